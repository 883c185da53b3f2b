//! Visits every string of a report, so that what must hold for all of them (no control character, no host
//! name after redaction) is said once. A field added to the model belongs here too; a test counts them.

use serde_json::Value;

use super::model::{
    CannotTell, Chart, ChartBody, EntityName, Evidence, Finding, MissingFact, Model, Quote, RuledOut, SubjectName,
};

/// What a string is allowed to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One line of text.
    Line,
    /// Markdown from a rule page: several lines.
    Prose,
}

/// Calls `visit` on every string of `model` that can hold text of a bundle or a rule.
pub fn strings(model: &mut Model, visit: &mut dyn FnMut(Kind, &mut String)) {
    let line = Kind::Line;
    visit(line, &mut model.tool.catalogue_sha256);
    visit(line, &mut model.summary);
    let bundle = &mut model.bundle;
    visit(line, &mut bundle.name);
    visit(line, &mut bundle.sha256);
    visit(line, &mut bundle.kind);
    for subject in &mut bundle.subjects {
        visit(line, &mut subject.host);
        optional(&mut subject.pod, visit);
        for row in &mut subject.header {
            visit(line, &mut row.label);
            visit(line, &mut row.value);
            row.source.iter_mut().for_each(|source| quote(source, visit));
        }
    }
    for note in &mut bundle.notes {
        visit(line, &mut note.kind);
        visit(line, &mut note.text);
        optional(&mut note.path, visit);
    }
    model.findings.iter_mut().for_each(|item| finding(item, visit));
    model.cannot_tell.iter_mut().for_each(|item| cannot_tell(item, visit));
    model.ruled_out.iter_mut().for_each(|item| ruled_out(item, visit));
    model.not_indicated.iter_mut().for_each(|item| visit(line, item));
    for item in &mut model.inventory {
        visit(line, &mut item.path);
        optional(&mut item.kind, visit);
    }
}

fn optional(text: &mut Option<String>, visit: &mut dyn FnMut(Kind, &mut String)) {
    if let Some(text) = text {
        visit(Kind::Line, text);
    }
}

fn subject(name: &mut SubjectName, visit: &mut dyn FnMut(Kind, &mut String)) {
    visit(Kind::Line, &mut name.host);
    optional(&mut name.pod, visit);
}

fn entity(name: &mut EntityName, visit: &mut dyn FnMut(Kind, &mut String)) {
    visit(Kind::Line, &mut name.kind);
    visit(Kind::Line, &mut name.name);
}

fn quote(item: &mut Quote, visit: &mut dyn FnMut(Kind, &mut String)) {
    visit(Kind::Line, &mut item.path);
    visit(Kind::Line, &mut item.quote);
    for context in item.before.iter_mut().chain(&mut item.after) {
        visit(Kind::Line, &mut context.text);
    }
}

fn finding(item: &mut Finding, visit: &mut dyn FnMut(Kind, &mut String)) {
    let line = Kind::Line;
    visit(line, &mut item.rule);
    optional(&mut item.variant, visit);
    visit(line, &mut item.severity);
    subject(&mut item.subject, visit);
    entity(&mut item.entity, visit);
    visit(line, &mut item.title);
    optional(&mut item.explained_by, visit);
    item.explains.iter_mut().for_each(|rule| visit(line, rule));
    for prose in [&mut item.story, &mut item.rule_out, &mut item.fix_now, &mut item.fix_for_good, &mut item.verify] {
        visit(Kind::Prose, prose);
    }
    item.evidence.iter_mut().for_each(|row| evidence(row, visit));
    item.charts.iter_mut().for_each(|item| chart(item, visit));
    for reference in &mut item.references {
        visit(line, &mut reference.title);
        visit(line, &mut reference.url);
    }
    item.limits.iter_mut().for_each(|limit| visit(line, limit));
}

fn evidence(row: &mut Evidence, visit: &mut dyn FnMut(Kind, &mut String)) {
    let line = Kind::Line;
    visit(line, &mut row.says);
    visit(line, &mut row.expression);
    optional(&mut row.fact, visit);
    value(&mut row.value, visit);
    visit(line, &mut row.shown);
    value(&mut row.threshold, visit);
    visit(line, &mut row.threshold_shown);
    row.sources.iter_mut().for_each(|source| quote(source, visit));
}

fn value(item: &mut Value, visit: &mut dyn FnMut(Kind, &mut String)) {
    match item {
        Value::String(text) => visit(Kind::Line, text),
        Value::Array(items) => items.iter_mut().for_each(|item| value(item, visit)),
        Value::Object(map) => {
            let entries = std::mem::take(map);
            for (mut key, mut item) in entries {
                visit(Kind::Line, &mut key);
                value(&mut item, visit);
                map.insert(key, item);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn chart(item: &mut Chart, visit: &mut dyn FnMut(Kind, &mut String)) {
    let line = Kind::Line;
    visit(line, &mut item.id);
    visit(line, &mut item.title);
    visit(line, &mut item.alt);
    if let Some((_, label)) = &mut item.limit {
        visit(line, label);
    }
    match &mut item.body {
        ChartBody::Heat { rows, .. } => rows.iter_mut().for_each(|row| visit(line, row)),
        ChartBody::Lines { lines, .. } => lines.iter_mut().for_each(|item| visit(line, &mut item.label)),
        ChartBody::Bars { bars } => {
            for bar in bars {
                visit(line, &mut bar.label);
                visit(line, &mut bar.note);
            }
        }
        ChartBody::Matrix { rows, columns, .. } => {
            rows.iter_mut().chain(columns).for_each(|label| visit(line, label));
        }
    }
}

fn cannot_tell(item: &mut CannotTell, visit: &mut dyn FnMut(Kind, &mut String)) {
    let line = Kind::Line;
    visit(line, &mut item.rule);
    visit(line, &mut item.title);
    visit(line, &mut item.severity);
    subject(&mut item.subject, visit);
    item.entity.iter_mut().for_each(|name| entity(name, visit));
    for MissingFact { fact, meaning, reason, collect } in &mut item.missing {
        [fact, meaning, reason, collect].into_iter().for_each(|text| visit(line, text));
    }
}

fn ruled_out(item: &mut RuledOut, visit: &mut dyn FnMut(Kind, &mut String)) {
    let line = Kind::Line;
    visit(line, &mut item.rule);
    visit(line, &mut item.title);
    subject(&mut item.subject, visit);
    entity(&mut item.entity, visit);
    visit(line, &mut item.because);
    visit(line, &mut item.shown);
    item.sources.iter_mut().for_each(|source| quote(source, visit));
}
