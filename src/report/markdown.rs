//! The report as Markdown that survives pasting into GitHub, GitLab, Confluence and Jira: headings, plain
//! tables, lists and fenced code, no HTML, charts as lines of block characters.

use std::collections::BTreeMap;

use super::chart::{spark, table};
use super::escape::{self, markdown as md, markdown_code as code, markdown_fence as fence};
use super::model::{ChartBody, Evidence, Finding, Model, Quote};
use super::outline::{self, Node};
use super::{html, number, prose};

/// Source places named in one table cell.
const PLACES_MAX: usize = 4;
/// Rows of the lists that only say what was fine.
const LIST_MAX: usize = 200;

pub fn render(model: &Model) -> String {
    let clean = escape::clean(model);
    let mut out = Writer::default();
    opening(&mut out, &clean);
    for node in outline::forest(&clean.findings) {
        finding(&mut out, &clean, &node);
    }
    gaps(&mut out, &clean);
    ruled_out(&mut out, &clean);
    if !clean.not_indicated.is_empty() {
        out.heading(2, "Not indicated");
        let rules: Vec<String> = clean.not_indicated.iter().map(|rule| code(rule)).collect();
        out.paragraph(&rules.join(", "));
    }
    appendix(&mut out, &clean);
    out.text
}

#[derive(Default)]
struct Writer {
    text: String,
}

impl Writer {
    fn heading(&mut self, level: usize, text: &str) {
        self.paragraph(&format!("{} {}", "#".repeat(level.min(6)), text));
    }

    fn paragraph(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn list(&mut self, items: impl IntoIterator<Item = String>) {
        let lines: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
        self.paragraph(&lines.join("\n"));
    }

    /// Cells are Markdown already.
    fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        let line = |cells: &mut dyn Iterator<Item = &str>| format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
        let mut text = line(&mut head.iter().copied());
        text.push_str(&line(&mut head.iter().map(|_| "---")));
        for row in rows {
            text.push_str(&line(&mut row.iter().map(String::as_str)));
        }
        self.paragraph(&text);
    }
}

fn opening(out: &mut Writer, model: &Model) {
    out.heading(1, &md(&html::headline(model)));
    out.paragraph(&md(&model.summary));
    if let Some(first) = model.findings.first() {
        out.paragraph(&format!("**{}**", md(&verdict(first))));
    }
    let mut coverage = outline::coverage(&model.coverage);
    if !model.bundle.complete {
        coverage.push_str(" **The bundle is incomplete: see the notes.**");
    }
    out.paragraph(&coverage);
    let rows: Vec<Vec<String>> = outline::forest(&model.findings).iter().map(|node| ranked(model, node)).collect();
    out.table(&["#", "Finding", "Where", "Verdict", "Severity", "Explains"], &rows);
    for subject in &model.bundle.subjects {
        let name = outline::place(&super::model::SubjectName { host: subject.host.clone(), pod: subject.pod.clone() });
        let rows: Vec<Vec<String>> = subject
            .header
            .iter()
            .map(|row| {
                let place = row.source.as_ref().map(place).unwrap_or_default();
                vec![md(&row.label), md(&row.value), place]
            })
            .collect();
        out.table(&[&md(&name), "Value", "Source"], &rows);
    }
    let window = model.bundle.window.as_ref().map(number::window).unwrap_or_default();
    let window = if window.is_empty() { window } else { format!(", {window}") };
    out.paragraph(&format!("Bundle {} ({}){}.", code(&model.bundle.name), md(&model.bundle.kind), md(&window)));
}

fn ranked(model: &Model, node: &Node<'_>) -> Vec<String> {
    let finding = node.finding;
    let symptoms: Vec<String> = node.symptoms.iter().map(|symptom| code(&symptom.finding.rule)).collect();
    vec![
        node.number.to_string(),
        md(&finding.title),
        md(&outline::about(model, &finding.subject, Some(&finding.entity))),
        format!("{} ({:.2})", finding.verdict.name(), finding.confidence),
        md(&finding.severity),
        symptoms.join(", "),
    ]
}

fn verdict(finding: &Finding) -> String {
    let shape = match finding.verdict {
        super::model::Verdict::Confirmed => "●",
        super::model::Verdict::Likely => "◐",
        super::model::Verdict::Possible => "○",
    };
    format!("{shape} {}, confidence {:.2}, {}", finding.verdict.name(), finding.confidence, finding.severity)
}

fn finding(out: &mut Writer, model: &Model, node: &Node<'_>) {
    let item = node.finding;
    out.heading(2, &format!("{}. {}", node.number, md(&item.title)));
    let rule = match &item.variant {
        Some(variant) => format!("{} / {variant}", item.rule),
        None => item.rule.clone(),
    };
    let mut facts = vec![md(&verdict(item)), format!("rule {}", code(&rule))];
    facts.push(md(&outline::about(model, &item.subject, Some(&item.entity))));
    facts.extend(item.window.as_ref().map(|window| md(&number::window(window))));
    facts.extend(item.explained_by.as_ref().map(|cause| format!("a symptom of {}", code(cause))));
    facts.retain(|fact| !fact.is_empty());
    out.paragraph(&facts.join(" · "));
    out.paragraph(&prose::to_markdown(&item.story));

    let mut unquoted = Vec::new();
    let rows: Vec<Vec<String>> = item.evidence.iter().map(evidence).collect();
    if !rows.is_empty() {
        out.heading(3, "Evidence and why we think so");
        out.table(&["Condition", "Reading", "Threshold", "Outcome", "Source"], &rows);
    }
    item.evidence.iter().for_each(|row| unquoted.extend(&row.sources));
    quotes(out, &unquoted);
    for chart in &item.charts {
        out.paragraph(&format!("**{}.** {}", md(&chart.title), md(&chart.alt)));
        let mut lines = spark::lines(chart);
        if let Some((limit, label)) = &chart.limit {
            lines.push(format!("limit {} ({label})", number::shown(*limit, chart.unit)));
        }
        if matches!(chart.body, ChartBody::Matrix { .. }) {
            let table = table::of(chart);
            let head: Vec<String> = table.head.iter().map(|cell| md(cell)).collect();
            let rows: Vec<Vec<String>> =
                table.rows.iter().map(|row| row.iter().map(|cell| md(cell)).collect()).collect();
            out.table(&head.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
        }
        if !lines.is_empty() {
            out.paragraph(&fence(&lines.join("\n")));
        }
    }
    let sections = [
        ("Fix now", &item.fix_now),
        ("Fix for good", &item.fix_for_good),
        ("Verify", &item.verify),
        ("Rule out first", &item.rule_out),
    ];
    for (title, text) in sections {
        if !text.trim().is_empty() {
            out.heading(3, title);
            out.paragraph(&prose::to_markdown(text));
        }
    }
    if !item.limits.is_empty() {
        out.heading(3, "What would change our mind");
        out.list(item.limits.iter().map(|limit| md(limit)));
    }
    if !item.references.is_empty() {
        out.heading(3, "References");
        out.list(item.references.iter().map(|reference| match prose::is_web(&reference.url) {
            true => format!("[{}]({})", md(&reference.title), url(&reference.url)),
            false => md(&format!("{} {}", reference.title, reference.url)),
        }));
    }
    for symptom in &node.symptoms {
        finding(out, model, symptom);
    }
}

/// A link target that its parentheses cannot end.
fn url(text: &str) -> String {
    text.replace('(', "%28").replace(')', "%29").replace(' ', "%20").replace('<', "%3C").replace('>', "%3E")
}

fn evidence(row: &Evidence) -> Vec<String> {
    let outcome = match (row.holds, row.role) {
        (Some(true), "against") => "holds, and acquits",
        (Some(false), "against") => "does not hold",
        (Some(true), _) => "holds",
        (Some(false), _) => "does not hold",
        (None, _) => "unknown",
    };
    let mut places: Vec<String> = row.sources.iter().take(PLACES_MAX).map(place).collect();
    if row.sources.len() > PLACES_MAX {
        places.push(format!("and {} more", row.sources.len() - PLACES_MAX));
    }
    vec![
        format!("{} ({})", md(&row.says), outline::role(row.role)),
        md(&row.shown),
        md(&outline::threshold(row)),
        outcome.to_owned(),
        places.join(", "),
    ]
}

fn place(quote: &Quote) -> String {
    code(&format!("{}:{}", quote.path, quote.line))
}

/// Quoted lines by file, each with its number, the cited ones pointed at.
fn quotes(out: &mut Writer, sources: &[&Quote]) {
    let mut files: BTreeMap<&str, BTreeMap<u32, (bool, &str)>> = BTreeMap::new();
    for source in sources {
        let file = files.entry(&source.path).or_default();
        for context in source.before.iter().chain(&source.after) {
            file.entry(context.line).or_insert((false, &context.text));
        }
        file.insert(source.line, (true, &source.quote));
    }
    for (path, lines) in files {
        out.paragraph(&code(path));
        let width = lines.keys().last().map_or(1, |line| line.to_string().len());
        let text: Vec<String> = lines
            .iter()
            .map(|(line, (cited, text))| format!("{} {line:width$}  {text}", if *cited { '>' } else { ' ' }))
            .collect();
        out.paragraph(&fence(&text.join("\n")));
    }
}

fn gaps(out: &mut Writer, model: &Model) {
    let gaps = outline::gaps(&model.cannot_tell);
    if gaps.is_empty() {
        return;
    }
    out.heading(2, "Could not tell");
    out.paragraph("Missing input is not a clean bill. The commands come in the order in which they settle most.");
    for gap in gaps {
        let rules = number::counted(gap.rules, "rule", "rules");
        if gap.collect.is_empty() {
            out.paragraph(&format!("{rules} without a command that would help:"));
        } else {
            out.paragraph(&format!("Would help {rules}:"));
            out.paragraph(&fence(gap.collect));
        }
        let rows = gap.items.iter().take(LIST_MAX).map(|item| {
            let missing: Vec<String> = item
                .missing
                .iter()
                .map(|fact| {
                    let name = if fact.meaning.is_empty() { &fact.fact } else { &fact.meaning };
                    format!("{}: {}", md(name), md(&fact.reason))
                })
                .collect();
            let about = outline::about(model, &item.entry.subject, item.entry.entity.as_ref());
            let also: Vec<String> = item.also.iter().map(|command| code(command)).collect();
            vec![
                format!("{} {}", md(&item.entry.title), code(&item.entry.rule)),
                md(&about),
                missing.join("; "),
                also.join(", "),
            ]
        });
        out.table(&["Rule", "Where", "Missing", "Also needs"], &rows.collect::<Vec<_>>());
        more(out, gap.items.len());
    }
}

fn more(out: &mut Writer, count: usize) {
    if count > LIST_MAX {
        out.paragraph(&format!("and {} more, all in report.json.", count - LIST_MAX));
    }
}

fn ruled_out(out: &mut Writer, model: &Model) {
    if model.ruled_out.is_empty() {
        return;
    }
    out.heading(2, "Ruled out");
    let rows = model.ruled_out.iter().take(LIST_MAX).map(|item| {
        let places: Vec<String> = item.sources.iter().take(PLACES_MAX).map(place).collect();
        vec![
            format!("{} {}", md(&item.title), code(&item.rule)),
            md(&outline::about(model, &item.subject, Some(&item.entity))),
            md(&item.because),
            md(&item.shown),
            places.join(", "),
        ]
    });
    out.table(&["Not this", "Where", "Because", "Reading", "Source"], &rows.collect::<Vec<_>>());
    more(out, model.ruled_out.len());
}

fn appendix(out: &mut Writer, model: &Model) {
    out.heading(2, "Inventory and notes");
    if model.bundle.notes.is_empty() {
        out.paragraph("Nothing was lost, refused or odd.");
    }
    let notes = model.bundle.notes.iter().take(LIST_MAX).map(|note| {
        let place = match (&note.path, note.line) {
            (Some(path), Some(line)) => code(&format!("{path}:{line}")),
            (Some(path), None) => code(path),
            (None, _) => String::new(),
        };
        vec![md(&note.kind), md(&note.text), place]
    });
    out.table(&["Kind", "Note", "Where"], &notes.collect::<Vec<_>>());
    more(out, model.bundle.notes.len());
    let read = model.inventory.iter().filter(|item| item.kind.is_some()).count();
    out.paragraph(&format!(
        "{} read, {} not recognised.",
        number::counted(read, "file", "files"),
        model.inventory.len() - read
    ));
    let unread = model.inventory.iter().filter(|item| item.kind.is_none());
    out.list(unread.take(LIST_MAX).map(|item| code(&item.path)));
    out.paragraph(&format!(
        "{} {}, bundle {}, rule catalogue {}.",
        md(model.tool.name),
        md(model.tool.version),
        code(&model.bundle.sha256),
        code(&model.tool.catalogue_sha256)
    ));
}
