//! What the page says, in the order of the page: strings and links, nothing left to decide.

mod finding;
mod gaps;
mod quotes;

use minijinja::Value;
use serde::Serialize;

use super::super::model::{Inventory, Model, Note, Subject};
use super::super::{number, outline};
use crate::units::{Unit, human};
use quotes::{Link, Quotes};

#[derive(Serialize)]
pub struct Page {
    style_hash: String,
    title: String,
    headline: String,
    summary: String,
    bundle: BundleView,
    tool: String,
    catalogue: String,
    coverage: String,
    lead: Option<finding::Badge>,
    ranked: Vec<Ranked>,
    findings: Vec<finding::FindingView>,
    cannot_tell: usize,
    gaps: Vec<gaps::GapView>,
    ruled_out: Vec<gaps::RuledOutView>,
    not_indicated: Vec<String>,
    notes: Vec<NoteView>,
    inventory: Vec<InventoryView>,
    inventory_left_out: usize,
    unread: usize,
    quotes: Vec<quotes::FileQuotes>,
}

#[derive(Serialize)]
struct BundleView {
    name: String,
    kind: String,
    sha256: String,
    window: String,
    complete: bool,
    subjects: Vec<SubjectView>,
}

#[derive(Serialize)]
struct SubjectView {
    name: String,
    rows: Vec<(String, String, Option<Link>)>,
}

/// A line of the list on the first screen.
#[derive(Serialize)]
struct Ranked {
    anchor: String,
    number: usize,
    title: String,
    about: String,
    badge: finding::Badge,
    symptoms: String,
}

#[derive(Serialize)]
struct NoteView {
    kind: String,
    place: String,
    text: String,
}

#[derive(Serialize)]
struct InventoryView {
    path: String,
    size: String,
    kind: String,
    facts: usize,
}

/// Files listed in the inventory; a tree of a large host has tens of thousands.
const INVENTORY_MAX: usize = 2_000;
/// Subjects whose header rows are shown.
const SUBJECTS_MAX: usize = 64;

pub fn page(model: &Model, style_hash: String) -> Page {
    let forest = outline::forest(&model.findings);
    let mut appendix = Quotes::new("q");
    let subjects = model.bundle.subjects.iter().take(SUBJECTS_MAX).map(|item| subject(item, &mut appendix)).collect();
    let ruled_out = gaps::ruled_out(model, &mut appendix);
    let headline = headline(model);
    Page {
        style_hash,
        title: format!("{headline} · {}", model.bundle.name),
        summary: model.summary.clone(),
        bundle: BundleView {
            name: model.bundle.name.clone(),
            kind: model.bundle.kind.clone(),
            sha256: model.bundle.sha256.clone(),
            window: model.bundle.window.as_ref().map(number::window).unwrap_or_default(),
            complete: model.bundle.complete,
            subjects,
        },
        tool: format!("{} {}", model.tool.name, model.tool.version),
        catalogue: model.tool.catalogue_sha256.clone(),
        coverage: outline::coverage(&model.coverage),
        lead: model.findings.first().map(finding::badge),
        ranked: forest.iter().map(|node| ranked(model, node)).collect(),
        findings: forest.iter().map(|node| finding::view(model, node, 3)).collect(),
        cannot_tell: model.coverage.cannot_tell,
        gaps: gaps::gaps(model),
        ruled_out,
        not_indicated: model.not_indicated.clone(),
        notes: model.bundle.notes.iter().map(note).collect(),
        inventory: model.inventory.iter().take(INVENTORY_MAX).map(inventory).collect(),
        inventory_left_out: model.inventory.len().saturating_sub(INVENTORY_MAX),
        unread: model.inventory.iter().filter(|item| item.kind.is_none()).count(),
        quotes: appendix.files(),
        headline,
    }
}

/// The first cause's title; without one, what was not found.
pub fn headline(model: &Model) -> String {
    match (model.findings.first(), model.coverage.cannot_tell) {
        (Some(finding), _) => finding.title.clone(),
        (None, 0) => "No known failure mode found".to_owned(),
        (None, _) => "No cause found, and not everything could be judged".to_owned(),
    }
}

fn subject(item: &Subject, quotes: &mut Quotes) -> SubjectView {
    let name = match (&item.pod, item.host.as_str()) {
        (Some(pod), host) => format!("Pod {pod} on {host}"),
        (None, "") => "Host".to_owned(),
        (None, host) => format!("Host {host}"),
    };
    let rows = item.header.iter().map(|row| {
        let link = row.source.as_ref().map(|source| quotes.link(source, None));
        (row.label.clone(), row.value.clone(), link)
    });
    SubjectView { name, rows: rows.collect() }
}

fn ranked(model: &Model, node: &outline::Node<'_>) -> Ranked {
    let count = below(node);
    Ranked {
        anchor: finding::anchor(node),
        number: node.number,
        title: node.finding.title.clone(),
        about: outline::about(model, &node.finding.subject, Some(&node.finding.entity)),
        badge: finding::badge(node.finding),
        symptoms: if count > 0 {
            format!("explains {}", number::counted(count, "symptom", "symptoms"))
        } else {
            String::new()
        },
    }
}

fn below(node: &outline::Node<'_>) -> usize {
    node.symptoms.iter().map(|symptom| 1 + below(symptom)).sum()
}

fn note(item: &Note) -> NoteView {
    let place = match (&item.path, item.line) {
        (Some(path), Some(line)) => format!("{path}:{line}"),
        (Some(path), None) => path.clone(),
        (None, _) => String::new(),
    };
    NoteView { kind: item.kind.clone(), place, text: item.text.clone() }
}

fn inventory(item: &Inventory) -> InventoryView {
    // Sizes are far below 2^53.
    let size = human::show(item.size as f64, Unit::Bytes);
    InventoryView { path: item.path.clone(), size, kind: item.kind.clone().unwrap_or_default(), facts: item.facts }
}

/// Markup that is ours and already escaped.
fn safe(html: String) -> Value {
    Value::from_safe_string(html)
}
