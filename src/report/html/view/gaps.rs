//! What could not be told, and what was ruled out.

use serde::Serialize;

use super::super::super::model::Model;
use super::super::super::{number, outline};
use super::quotes::{Link, Quotes};

/// Entries listed under one command; a host with hundreds of entities repeats itself.
const ITEMS_MAX: usize = 40;
/// Ruled-out entries listed.
const RULED_OUT_MAX: usize = 200;

#[derive(Serialize)]
pub struct GapView {
    collect: String,
    settles: String,
    items: Vec<GapRow>,
    left_out: usize,
}

#[derive(Serialize)]
struct GapRow {
    rule: String,
    title: String,
    about: String,
    missing: Vec<(String, String)>,
    also: String,
}

#[derive(Serialize)]
pub struct RuledOutView {
    rule: String,
    title: String,
    about: String,
    because: String,
    shown: String,
    links: Vec<Link>,
}

pub fn gaps(model: &Model) -> Vec<GapView> {
    outline::gaps(&model.cannot_tell).into_iter().map(|gap| gap_view(model, &gap)).collect()
}

fn gap_view(model: &Model, gap: &outline::Gap<'_>) -> GapView {
    let row = |item: &outline::GapItem<'_>| GapRow {
        rule: item.entry.rule.clone(),
        title: item.entry.title.clone(),
        about: outline::about(model, &item.entry.subject, item.entry.entity.as_ref()),
        missing: item.missing.iter().map(|fact| (said(&fact.meaning, &fact.fact), fact.reason.clone())).collect(),
        also: item.also.join("; "),
    };
    GapView {
        collect: gap.collect.to_owned(),
        settles: number::counted(gap.rules, "rule", "rules"),
        items: gap.items.iter().take(ITEMS_MAX).map(row).collect(),
        left_out: gap.items.len().saturating_sub(ITEMS_MAX),
    }
}

fn said(meaning: &str, fact: &str) -> String {
    if meaning.is_empty() { fact.to_owned() } else { meaning.to_owned() }
}

pub fn ruled_out(model: &Model, quotes: &mut Quotes) -> Vec<RuledOutView> {
    let row = |item: &super::super::super::model::RuledOut| RuledOutView {
        rule: item.rule.clone(),
        title: item.title.clone(),
        about: outline::about(model, &item.subject, Some(&item.entity)),
        because: item.because.clone(),
        shown: item.shown.clone(),
        links: item.sources.iter().take(4).map(|source| quotes.link(source, None)).collect(),
    };
    model.ruled_out.iter().take(RULED_OUT_MAX).map(row).collect()
}
