//! The order of a report: symptoms under the cause that explains them, gaps under the command that would
//! close most of them, evidence by how it came out. Shared by all renderers, so that they tell one story.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{CannotTell, Coverage, EntityName, Evidence, Finding, MissingFact, Model, SubjectName};
use super::number::counted;

/// Symptoms of symptoms are nested this deep; deeper ones stand beside the last level.
const DEPTH_MAX: usize = 2;

/// A finding with the symptoms it explains. `number` counts through the whole report from 1.
pub struct Node<'a> {
    pub number: usize,
    pub finding: &'a Finding,
    pub symptoms: Vec<Node<'a>>,
}

/// Findings as a forest in the model's order. A symptom whose cause was not found stands by itself.
pub fn forest(findings: &[Finding]) -> Vec<Node<'_>> {
    let parents: Vec<Option<usize>> = (0..findings.len()).map(|index| parent(findings, index)).collect();
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut roots = Vec::new();
    for index in 0..findings.len() {
        match rooted(&parents, index) {
            Some(parent) => children.entry(parent).or_default().push(index),
            None => roots.push(index),
        }
    }
    let mut number = 0;
    roots.into_iter().map(|root| node(findings, &children, root, 0, &mut number)).collect()
}

fn parent(findings: &[Finding], index: usize) -> Option<usize> {
    let symptom = findings.get(index)?;
    let cause = symptom.explained_by.as_deref()?;
    let fits = |same_pod: bool| {
        findings.iter().enumerate().position(|(at, finding)| {
            at != index
                && finding.rule == cause
                && finding.subject.host == symptom.subject.host
                && (!same_pod || finding.subject.pod == symptom.subject.pod)
        })
    };
    fits(true).or_else(|| fits(false))
}

/// The parent of `index`, unless following parents never ends.
fn rooted(parents: &[Option<usize>], index: usize) -> Option<usize> {
    let mut at = index;
    for _ in 0..=parents.len() {
        match parents.get(at).copied().flatten() {
            Some(next) => at = next,
            None => return parents.get(index).copied().flatten(),
        }
    }
    None
}

fn node<'a>(
    findings: &'a [Finding],
    children: &BTreeMap<usize, Vec<usize>>,
    index: usize,
    depth: usize,
    number: &mut usize,
) -> Node<'a> {
    *number += 1;
    let own = *number;
    let mut symptoms = Vec::new();
    for child in children.get(&index).into_iter().flatten() {
        let mut below = node(findings, children, *child, depth + 1, number);
        let deeper = if depth + 1 >= DEPTH_MAX { std::mem::take(&mut below.symptoms) } else { Vec::new() };
        symptoms.push(below);
        symptoms.extend(deeper);
    }
    Node { number: own, finding: &findings[index], symptoms }
}

/// Rules that share the command which would settle them.
pub struct Gap<'a> {
    /// Empty when nothing could be collected.
    pub collect: &'a str,
    /// Number of different rules.
    pub rules: usize,
    pub items: Vec<GapItem<'a>>,
}

pub struct GapItem<'a> {
    pub entry: &'a CannotTell,
    /// What this command would supply.
    pub missing: Vec<&'a MissingFact>,
    /// Further commands the rule would need.
    pub also: Vec<&'a str>,
}

/// Groups `cannot_tell` by command, the most useful first; each entry appears once.
pub fn gaps(entries: &[CannotTell]) -> Vec<Gap<'_>> {
    let mut left: Vec<&CannotTell> = entries.iter().collect();
    let mut out: Vec<Gap<'_>> = Vec::new();
    loop {
        let mut count: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for entry in &left {
            for fact in &entry.missing {
                count.entry(&fact.collect).or_default().insert(&entry.rule);
            }
        }
        count.remove("");
        let best = count.iter().max_by(|a, b| a.1.len().cmp(&b.1.len()).then(b.0.cmp(a.0)));
        let Some((&collect, rules)) = best else { break };
        let rules = rules.len();
        let (taken, kept) =
            left.into_iter().partition(|entry| entry.missing.iter().any(|fact| fact.collect == collect));
        out.push(Gap { collect, rules, items: gap_items(taken, collect) });
        left = kept;
    }
    if !left.is_empty() {
        let rules = left.iter().map(|entry| entry.rule.as_str()).collect::<BTreeSet<_>>().len();
        out.push(Gap { collect: "", rules, items: gap_items(left, "") });
    }
    out
}

fn gap_items<'a>(entries: Vec<&'a CannotTell>, collect: &'a str) -> Vec<GapItem<'a>> {
    let item = |entry: &'a CannotTell| {
        let (missing, other): (Vec<_>, Vec<_>) = entry.missing.iter().partition(|fact| fact.collect == collect);
        let also: BTreeSet<&str> =
            other.iter().map(|fact| fact.collect.as_str()).filter(|command| !command.is_empty()).collect();
        GapItem { entry, missing, also: also.into_iter().collect() }
    };
    entries.into_iter().map(item).collect()
}

/// Evidence by how its condition came out.
pub struct Trace<'a> {
    pub held: Vec<&'a Evidence>,
    pub failed: Vec<&'a Evidence>,
    pub unknown: Vec<&'a Evidence>,
}

pub fn trace(evidence: &[Evidence]) -> Trace<'_> {
    let of = |holds: Option<bool>| evidence.iter().filter(|row| row.holds == holds).collect();
    Trace { held: of(Some(true)), failed: of(Some(false)), unknown: of(None) }
}

/// What a condition's role means to a reader.
pub fn role(role: &str) -> &str {
    match role {
        "when" => "must hold",
        "proof" => "proves it alone",
        "supports" => "supports it",
        "against" => "would acquit",
        "variant" => "tells which kind",
        other => other,
    }
}

/// `41 of 58 rules evaluated: 3 found something, ... 9 could not tell.`
pub fn coverage(coverage: &Coverage) -> String {
    let evaluated = coverage.fired + coverage.ruled_out + coverage.not_indicated;
    let mut text = format!(
        "{evaluated} of {} evaluated, {} could not tell",
        counted(coverage.rules, "rule", "rules"),
        coverage.cannot_tell
    );
    if coverage.not_applicable > 0 {
        text.push_str(&format!(", {} not applicable here", coverage.not_applicable));
    }
    text.push('.');
    text
}

/// `pod web-1 on host node-3`, or the host alone.
pub fn place(subject: &SubjectName) -> String {
    match (&subject.pod, subject.host.is_empty()) {
        (Some(pod), false) => format!("pod {pod} on {}", subject.host),
        (Some(pod), true) => format!("pod {pod}"),
        (None, false) => subject.host.clone(),
        (None, true) => "unnamed host".to_owned(),
    }
}

/// `nic eth0`; the host itself needs no second naming.
pub fn entity(entity: &EntityName) -> String {
    match entity.kind.as_str() {
        "host" | "bundle" | "" => String::new(),
        kind => format!("{} {}", kind.replace('_', " "), entity.name),
    }
}

/// Whether findings must say which host or pod they are about.
pub fn many_subjects(model: &Model) -> bool {
    model.bundle.subjects.len() > 1
}

/// `where, what` of a finding or gap, as far as it says anything.
pub fn about(model: &Model, subject: &SubjectName, of: Option<&EntityName>) -> String {
    let place = if many_subjects(model) { place(subject) } else { String::new() };
    let entity = of.map(entity).unwrap_or_default();
    [entity, place].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// `98.6 %` against `≥ 70 %`: the threshold as one reads it.
pub fn threshold(row: &Evidence) -> String {
    let op = match row.op {
        Some(">=") => "≥",
        Some("<=") => "≤",
        Some("==") => "=",
        Some("!=") => "≠",
        Some(op) => op,
        None => "",
    };
    [op, row.threshold_shown.as_str()].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
