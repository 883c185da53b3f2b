//! One finding as the page shows it, with the symptoms it explains below it.

use minijinja::Value;
use serde::Serialize;

use super::super::super::model::{Evidence, Finding, Model, Reference, Verdict};
use super::super::super::outline::{self, Node};
use super::super::super::{chart, number, prose};
use super::quotes::{FileQuotes, Link, Quotes};
use super::safe;

/// Source links beside one reading; further lines are quoted and counted.
const LINKS_MAX: usize = 6;

/// Verdict, confidence and severity, in words and with a shape.
#[derive(Clone, Serialize)]
pub struct Badge {
    verdict: &'static str,
    shape: &'static str,
    confidence: String,
    severity: String,
    severity_means: &'static str,
}

#[derive(Serialize)]
pub struct FindingView {
    anchor: String,
    /// Heading level of its title; its sections are one below.
    level: u8,
    number: usize,
    title: String,
    badge: Badge,
    rule: String,
    about: String,
    window: String,
    story: Value,
    charts: Vec<ChartView>,
    evidence: Vec<EvidenceView>,
    quotes: Vec<FileQuotes>,
    fixes: Vec<Section>,
    references: Vec<ReferenceView>,
    trace: Vec<TraceGroup>,
    trace_summary: String,
    limits: Vec<String>,
    explained_by: String,
    symptoms: Vec<FindingView>,
}

#[derive(Serialize)]
struct ChartView {
    title: String,
    alt: String,
    svg: Value,
    notes: Vec<String>,
    table: TableView,
}

#[derive(Serialize)]
struct TableView {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    left_out: usize,
}

#[derive(Serialize)]
struct EvidenceView {
    says: String,
    shown: String,
    threshold: String,
    holds: &'static str,
    class: &'static str,
    links: Vec<Link>,
    more: usize,
    derived: String,
}

#[derive(Serialize)]
struct Section {
    title: &'static str,
    class: &'static str,
    body: Value,
}

/// The title is a link only when the address is http(s).
#[derive(Serialize)]
struct ReferenceView {
    title: String,
    url: String,
    link: bool,
}

#[derive(Serialize)]
struct TraceGroup {
    title: String,
    rows: Vec<TraceRow>,
}

#[derive(Serialize)]
struct TraceRow {
    says: String,
    role: String,
    expression: String,
    reading: String,
    grade: &'static str,
}

pub fn anchor(node: &Node<'_>) -> String {
    format!("f{}", node.number)
}

pub fn badge(finding: &Finding) -> Badge {
    let shape = match finding.verdict {
        Verdict::Confirmed => "●",
        Verdict::Likely => "◐",
        Verdict::Possible => "○",
    };
    let severity_means = match finding.severity.as_str() {
        "P1" => "outage",
        "P2" => "degraded",
        "P3" => "at risk",
        _ => "for information",
    };
    Badge {
        verdict: finding.verdict.name(),
        shape,
        confidence: format!("{:.2}", finding.confidence),
        severity: finding.severity.clone(),
        severity_means,
    }
}

pub fn view(model: &Model, node: &Node<'_>, level: u8) -> FindingView {
    let finding = node.finding;
    let anchor = anchor(node);
    let mut quotes = Quotes::new(&format!("{anchor}q"));
    let evidence =
        finding.evidence.iter().filter(|row| is_evidence(row)).map(|row| reading(row, &mut quotes)).collect();
    // Lines behind conditions that are only in the trace are quoted too.
    for row in finding.evidence.iter().filter(|row| !is_evidence(row)) {
        row.sources.iter().for_each(|source| drop(quotes.link(source, Some(&row.value))));
    }
    let (trace, trace_summary) = trace(finding);
    let below = (level + 1).min(5);
    FindingView {
        level,
        number: node.number,
        title: finding.title.clone(),
        badge: badge(finding),
        rule: match &finding.variant {
            Some(variant) => format!("{} / {variant}", finding.rule),
            None => finding.rule.clone(),
        },
        about: outline::about(model, &finding.subject, Some(&finding.entity)),
        window: finding.window.as_ref().map(number::window).unwrap_or_default(),
        story: safe(prose::to_html(&finding.story, level)),
        charts: finding
            .charts
            .iter()
            .enumerate()
            .map(|(index, item)| chart_view(item, &format!("{anchor}c{index}")))
            .collect(),
        evidence,
        quotes: quotes.files(),
        fixes: sections(finding, level + 1),
        references: finding.references.iter().map(reference).collect(),
        trace,
        trace_summary,
        limits: finding.limits.clone(),
        explained_by: finding.explained_by.clone().unwrap_or_default(),
        symptoms: node.symptoms.iter().map(|symptom| view(model, symptom, below)).collect(),
        anchor,
    }
}

/// Conditions that speak for the finding; the others are told in the trace.
fn is_evidence(row: &Evidence) -> bool {
    row.holds == Some(true) && row.role != "against"
}

fn reading(row: &Evidence, quotes: &mut Quotes) -> EvidenceView {
    let links: Vec<Link> = row.sources.iter().map(|source| quotes.link(source, Some(&row.value))).collect();
    let (holds, class) = outcome(row.holds);
    EvidenceView {
        says: row.says.clone(),
        shown: row.shown.clone(),
        threshold: outline::threshold(row),
        holds,
        class,
        more: links.len().saturating_sub(LINKS_MAX),
        links: links.into_iter().take(LINKS_MAX).collect(),
        derived: row.fact.clone().unwrap_or_default(),
    }
}

fn outcome(holds: Option<bool>) -> (&'static str, &'static str) {
    match holds {
        Some(true) => ("✓ holds", "yes"),
        Some(false) => ("✗ does not hold", "no"),
        None => ("? unknown", "unknown"),
    }
}

fn chart_view(item: &super::super::super::model::Chart, id: &str) -> ChartView {
    let drawing = chart::draw(item, id);
    ChartView {
        title: item.title.clone(),
        alt: item.alt.clone(),
        svg: safe(drawing.svg),
        notes: drawing.notes,
        table: TableView { head: drawing.table.head, rows: drawing.table.rows, left_out: drawing.table.left_out },
    }
}

fn sections(finding: &Finding, level: u8) -> Vec<Section> {
    let all = [
        ("Fix now", "now", &finding.fix_now),
        ("Fix for good", "good", &finding.fix_for_good),
        ("Verify", "verify", &finding.verify),
        ("Rule out first", "rule-out", &finding.rule_out),
    ];
    all.into_iter()
        .filter(|(_, _, text)| !text.trim().is_empty())
        .map(|(title, class, text)| Section { title, class, body: safe(prose::to_html(text, level)) })
        .collect()
}

fn reference(item: &Reference) -> ReferenceView {
    let title = if item.title.is_empty() { item.url.clone() } else { item.title.clone() };
    ReferenceView { title, link: prose::is_web(&item.url), url: item.url.clone() }
}

fn trace(finding: &Finding) -> (Vec<TraceGroup>, String) {
    let trace = outline::trace(&finding.evidence);
    let counts = format!("{} held, {} did not, {} unknown", trace.held.len(), trace.failed.len(), trace.unknown.len());
    let groups = [("Held", trace.held), ("Did not hold", trace.failed), ("Unknown", trace.unknown)];
    let groups = groups
        .into_iter()
        .filter(|(_, rows)| !rows.is_empty())
        .map(|(title, rows)| TraceGroup { title: title.to_owned(), rows: rows.into_iter().map(trace_row).collect() });
    (groups.collect(), counts)
}

fn trace_row(row: &Evidence) -> TraceRow {
    let threshold = outline::threshold(row);
    let reading = match (row.shown.is_empty(), threshold.is_empty()) {
        (true, _) => String::new(),
        (false, true) => row.shown.clone(),
        (false, false) => format!("{} against {threshold}", row.shown),
    };
    TraceRow {
        says: row.says.clone(),
        role: outline::role(row.role).to_owned(),
        expression: row.expression.clone(),
        reading,
        grade: row.grade.unwrap_or(""),
    }
}
