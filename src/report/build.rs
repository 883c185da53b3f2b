//! From facts and outcomes to the report: the one place where both meet. Renderers compute nothing.

use std::collections::{BTreeMap, BTreeSet};

use super::model::Verdict as Shown;
use super::model::{
    Bundle, CannotTell, ContextLine, Coverage, EntityName, Finding, HeaderRow, MissingFact, Model, Note, Quote,
    Reference, RuledOut, SCHEMA, Subject, SubjectName, Tool, Window,
};
use super::{charts, show};
use crate::analysis::{Analysis, stem};
use crate::bundle::raw::Quoted;
use crate::bundle::{Input, Limits, NoteKind};
use crate::facts::schema::keys::{host, memory, nic};
use crate::facts::{Entity, FactDef, Kind, Reading, Source, SubjectId};
use crate::rank::{Ranked, Ranking};
use crate::rule::expr::Gap;
use crate::rule::verdict::{Outcome, Role, Verdict};
use crate::rule::{Catalogue, Rule, evidence};

type Quotes = BTreeMap<Source, Quoted>;

/// Builds the report of one bundle.
pub fn model(analysis: &mut Analysis, catalogue: &Catalogue, ranking: &Ranking, input: &Input) -> Model {
    let wanted = cited(analysis, ranking);
    let quotes = analysis.loaded.raw.quotes(&wanted, input, &Limits::default());
    let builder = Builder { analysis, catalogue, quotes };
    builder.build(ranking)
}

struct Builder<'a> {
    analysis: &'a Analysis,
    catalogue: &'a Catalogue,
    quotes: Quotes,
}

/// Facts of the header and how they are labelled.
const HEADER: &[(&str, &FactDef)] = &[
    ("Kernel", &host::KERNEL),
    ("OS", &host::OS),
    ("Machine", &host::MACHINE_TYPE),
    ("Virtualization", &host::VIRT),
    ("CPU model", &host::CPU_MODEL),
    ("CPUs online", &host::CPUS_ONLINE),
    ("NUMA nodes", &host::NODES),
    ("Memory", &memory::TOTAL),
    ("Swap", &memory::SWAP_TOTAL),
    ("Uptime", &host::UPTIME),
    ("Load (1 min)", &host::LOAD1),
    ("Capture", &host::WINDOW),
];

/// Every line that the report will quote.
fn cited(analysis: &Analysis, ranking: &Ranking) -> Vec<Source> {
    let mut list: BTreeSet<Source> = BTreeSet::new();
    let fired = ranking.findings.iter().map(|found| &found.outcome);
    for outcome in fired.chain(&ranking.refuted) {
        list.extend(outcome.evidence.iter().flat_map(|condition| condition.sources().iter().copied()));
    }
    for subject in analysis.facts().subjects() {
        for (_, def) in HEADER {
            if let Ok(reading) = analysis.facts().get(def, &Entity::host(subject)) {
                list.extend(reading.sources.first());
            }
        }
    }
    list.into_iter().collect()
}

impl Builder<'_> {
    fn build(&self, ranking: &Ranking) -> Model {
        let findings: Vec<Finding> = ranking.findings.iter().map(|found| self.finding(found, ranking)).collect();
        let cannot_tell = self.cannot_tell(&ranking.cannot_tell);
        let ruled_out: Vec<RuledOut> = ranking.refuted.iter().filter_map(|outcome| self.ruled_out(outcome)).collect();
        let best = best_verdicts(ranking);
        let coverage = coverage(&best);
        let not_indicated = rules_with(&best, Verdict::NotIndicated);
        Model {
            schema: SCHEMA,
            tool: Tool {
                name: "coroner",
                version: env!("CARGO_PKG_VERSION"),
                catalogue_sha256: self.catalogue.sha256(),
            },
            bundle: self.bundle(),
            summary: self.summary(&findings, &cannot_tell),
            coverage,
            findings,
            cannot_tell,
            ruled_out,
            not_indicated,
            inventory: self.analysis.inventory(),
        }
    }

    fn bundle(&self) -> Bundle {
        let walk = &self.analysis.loaded.walk;
        let subjects: Vec<SubjectId> = self.analysis.facts().subjects().into_iter().collect();
        let notes = self.analysis.notes().map(|note| Note {
            kind: match note.severity {
                NoteKind::Lost => "lost",
                NoteKind::Refused => "refused",
                NoteKind::Odd => "odd",
                NoteKind::Info => "info",
            }
            .to_owned(),
            path: (!note.path.is_empty()).then(|| note.path.clone()),
            line: note.line,
            text: note.text.clone(),
        });
        Bundle {
            name: walk.name.clone(),
            sha256: walk.sha256.clone(),
            kind: walk.container.name().to_owned(),
            window: subjects.first().and_then(|subject| self.window(*subject)),
            subjects: subjects.iter().map(|subject| self.subject(*subject)).collect(),
            complete: walk.complete,
            notes: notes.collect(),
        }
    }

    fn window(&self, subject: SubjectId) -> Option<Window> {
        let seconds = self.analysis.facts().number(&host::WINDOW, &Entity::host(subject))?;
        Some(Window { from: None, to: None, seconds })
    }

    fn subject_name(&self, subject: SubjectId) -> SubjectName {
        let pod = self.analysis.pod_name(subject).map(str::to_owned);
        let host = if pod.is_some() { self.analysis.host_name(subject) } else { self.analysis.subject_name(subject) };
        SubjectName { host, pod }
    }

    fn subject(&self, subject: SubjectId) -> Subject {
        let facts = self.analysis.facts();
        let this = Entity::host(subject);
        let mut header: Vec<HeaderRow> = Vec::new();
        for (label, def) in HEADER {
            let Ok(reading) = facts.get(def, &this) else { continue };
            header.push(self.row(label, show::value(&reading.value, def.unit()), reading));
        }
        for one in facts.entities(subject, Kind::Nic).filter(|one| facts.text(&nic::KIND, one) == Some("physical")) {
            if header.len() >= MAX_HEADER {
                break;
            }
            let Ok(reading) = facts.get(&nic::DRIVER, one).or_else(|_| facts.get(&nic::CHANNELS_NOW, one)) else {
                continue;
            };
            let mut parts: Vec<String> = facts.text(&nic::DRIVER, one).map(str::to_owned).into_iter().collect();
            if let Some(now) = facts.number(&nic::CHANNELS_NOW, one) {
                let max = facts.number(&nic::CHANNELS_MAX, one).map(|max| format!(" of {max}")).unwrap_or_default();
                parts.push(format!("{now}{max} receive channels"));
            }
            header.push(self.row(&format!("NIC {}", one.name), parts.join(", "), reading));
        }
        let name = self.subject_name(subject);
        Subject { host: name.host, pod: name.pod, header }
    }

    fn row(&self, label: &str, value: String, reading: &Reading) -> HeaderRow {
        let source = reading.sources.first().and_then(|source| self.quote(*source));
        HeaderRow { label: label.to_owned(), value, source }
    }

    fn quote(&self, source: Source) -> Option<Quote> {
        let found = self.quotes.get(&source)?;
        let context = |line: u32, text: &Option<String>| {
            text.iter().map(|text| ContextLine { line, text: text.clone() }).collect()
        };
        Some(Quote {
            path: found.path.clone(),
            line: found.line,
            quote: found.text.clone(),
            cut: found.cut,
            before: context(found.line.saturating_sub(1), &found.before),
            after: context(found.line + 1, &found.after),
        })
    }

    /// Conditions a reader weighs, in the order of the page.
    fn evidence(&self, outcome: &Outcome) -> Vec<super::model::Evidence> {
        let shown = outcome.evidence.iter().filter(|condition| condition.role != Role::Needs);
        shown.map(|condition| evidence::evidence(condition, &|source| self.quote(source))).collect()
    }

    fn finding(&self, found: &Ranked, ranking: &Ranking) -> Finding {
        let outcome = &found.outcome;
        let named = |at: &usize| ranking.findings.get(*at).map(|other| other.outcome.rule.clone());
        let rule = self.catalogue.rule(&outcome.rule);
        let text = rule.map(|rule| rule.fill(outcome, self.analysis.facts())).unwrap_or_default();
        let charts = rule.map(|rule| self.charts(rule, outcome)).unwrap_or_default();
        Finding {
            rule: outcome.rule.clone(),
            variant: outcome.variant.clone(),
            verdict: match outcome.verdict {
                Verdict::Confirmed => Shown::Confirmed,
                Verdict::Likely => Shown::Likely,
                _ => Shown::Possible,
            },
            severity: outcome.severity.name().to_owned(),
            confidence: outcome.confidence,
            subject: self.subject_name(outcome.entity.subject),
            entity: entity_name(&outcome.entity),
            title: text.title,
            window: self.window(outcome.entity.subject),
            explained_by: found.explained_by.as_ref().and_then(named),
            explains: found.explains.iter().filter_map(named).collect::<BTreeSet<_>>().into_iter().collect(),
            story: text.story,
            evidence: self.evidence(outcome),
            charts,
            rule_out: text.rule_out,
            fix_now: text.fix_now,
            fix_for_good: text.fix_for_good,
            verify: text.verify,
            references: rule.map(references).unwrap_or_default(),
            limits: outcome.limits.clone(),
        }
    }

    fn charts(&self, rule: &Rule, outcome: &Outcome) -> Vec<super::model::Chart> {
        let place =
            format!("{}-{}", outcome.rule, outcome.entity.name.replace(|c: char| !c.is_ascii_alphanumeric(), "-"));
        rule.charts
            .iter()
            .enumerate()
            .filter_map(|(at, spec)| {
                let id = format!("chart-{place}-{}-{at}", outcome.entity.subject.0);
                charts::draw(spec, &outcome.entity, self.analysis.facts(), &id)
            })
            .collect()
    }

    /// One entry per rule and subject: the entities share what is missing.
    fn cannot_tell(&self, outcomes: &[Outcome]) -> Vec<CannotTell> {
        let mut seen: BTreeMap<(String, SubjectId), usize> = BTreeMap::new();
        let mut list: Vec<CannotTell> = Vec::new();
        for outcome in outcomes {
            let key = (outcome.rule.clone(), outcome.entity.subject);
            let missing: Vec<MissingFact> = outcome.missing.iter().map(missing).collect();
            match seen.get(&key).and_then(|at| list.get_mut(*at)) {
                Some(entry) => {
                    entry.entity = None;
                    for fact in missing {
                        if !entry.missing.contains(&fact) {
                            entry.missing.push(fact);
                        }
                    }
                }
                None => {
                    seen.insert(key, list.len());
                    list.push(CannotTell {
                        rule: outcome.rule.clone(),
                        title: self.plain_title(&outcome.rule),
                        severity: outcome.severity.name().to_owned(),
                        subject: self.subject_name(outcome.entity.subject),
                        entity: (!outcome.entity.name.is_empty()).then(|| entity_name(&outcome.entity)),
                        missing,
                    });
                }
            }
        }
        list
    }

    fn ruled_out(&self, outcome: &Outcome) -> Option<RuledOut> {
        let condition = outcome.conditions(Role::Against).find(|condition| condition.solid() == Some(true))?;
        let evidence = evidence::evidence(condition, &|source| self.quote(source));
        Some(RuledOut {
            rule: outcome.rule.clone(),
            title: self.plain_title(&outcome.rule),
            subject: self.subject_name(outcome.entity.subject),
            entity: entity_name(&outcome.entity),
            because: evidence.says,
            shown: evidence.shown,
            sources: evidence.sources,
        })
    }

    fn plain_title(&self, rule: &str) -> String {
        rule.replace('-', " ")
    }

    fn summary(&self, findings: &[Finding], cannot_tell: &[CannotTell]) -> String {
        let name = stem(&self.analysis.loaded.walk.name);
        let causes: Vec<&Finding> = findings.iter().filter(|finding| finding.explained_by.is_none()).collect();
        let Some(top) = causes.first() else {
            let unknown = match cannot_tell.len() {
                0 => String::new(),
                n => {
                    format!(" {n} failure modes could not be judged from this bundle; what to collect is listed below.")
                }
            };
            return format!("No known failure mode is indicated in {name}.{unknown}");
        };
        let sure = match top.verdict {
            Shown::Confirmed => "This is confirmed by independent readings",
            Shown::Likely => "This is likely: the signature is complete, part of the support is missing",
            Shown::Possible => "This is possible, not proven: the evidence is incomplete",
        };
        let symptoms = match top.explains.len() {
            0 => String::new(),
            n => format!(", and it explains {n} more finding{}", if n == 1 { "" } else { "s" }),
        };
        format!("{}. {sure}{symptoms}.", top.title.trim_end_matches('.'))
    }
}

/// Rows of the header.
const MAX_HEADER: usize = 24;

fn entity_name(entity: &Entity) -> EntityName {
    EntityName { kind: entity.kind.name().to_owned(), name: entity.name.to_string() }
}

fn references(rule: &Rule) -> Vec<Reference> {
    rule.references.iter().map(|(title, url)| Reference { title: title.clone(), url: url.clone() }).collect()
}

/// What is missing, with the command that collects it for the entity in question.
fn missing(gap: &Gap) -> MissingFact {
    let command = gap.def.collect.first().copied().unwrap_or_default();
    let named = !gap.entity.name.is_empty();
    let collect = match gap.entity.kind {
        Kind::Nic if named => command.replace("IFACE", &gap.entity.name),
        Kind::Process if named => command.replace("PID", &gap.entity.name),
        Kind::Cgroup if named => command.replace("PATH", gap.entity.name.trim_start_matches('/')),
        _ => command.to_owned(),
    };
    MissingFact { fact: gap.def.path.to_owned(), meaning: gap.def.doc.to_owned(), reason: gap.why.to_string(), collect }
}

/// The best verdict of each rule over all entities.
fn best_verdicts(ranking: &Ranking) -> BTreeMap<&str, Verdict> {
    let mut best: BTreeMap<&str, Verdict> = BTreeMap::new();
    let fired = ranking.findings.iter().map(|found| &found.outcome);
    let others = [&ranking.cannot_tell, &ranking.refuted, &ranking.not_indicated, &ranking.not_applicable];
    for outcome in fired.chain(others.into_iter().flatten()) {
        let have = best.entry(&outcome.rule).or_insert(outcome.verdict);
        *have = (*have).max(outcome.verdict);
    }
    best
}

fn rules_with(best: &BTreeMap<&str, Verdict>, verdict: Verdict) -> Vec<String> {
    best.iter().filter(|(_, have)| **have == verdict).map(|(rule, _)| (*rule).to_owned()).collect()
}

fn coverage(best: &BTreeMap<&str, Verdict>) -> Coverage {
    let count = |test: fn(&Verdict) -> bool| best.values().filter(|verdict| test(verdict)).count();
    Coverage {
        rules: best.len(),
        fired: count(|verdict| verdict.fired()),
        cannot_tell: count(|verdict| *verdict == Verdict::CannotTell),
        ruled_out: count(|verdict| *verdict == Verdict::Refuted),
        not_indicated: count(|verdict| *verdict == Verdict::NotIndicated),
        not_applicable: count(|verdict| *verdict == Verdict::NotApplicable),
    }
}
