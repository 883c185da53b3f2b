//! Charts as data: the facts a rule asks to see, for the entities that matter.

use super::model::{Bar, Chart, ChartBody, Line};
use crate::facts::{Entity, FactDef, Facts, Kind, Series, Value};
use crate::rule::chart::{ChartKind, ChartSpec};
use crate::units::Unit;

/// Entities in one chart; a 480-CPU host fits.
const MAX_ROWS: usize = 1024;
/// Lines in one chart; more cannot be told apart.
const MAX_LINES: usize = 6;

/// The chart, when the bundle has the data for it.
pub fn draw(spec: &ChartSpec, about: &Entity, facts: &Facts, id: &str) -> Option<Chart> {
    let def = *spec.facts.first()?;
    let unit = def.unit().unwrap_or(Unit::Count);
    let (body, alt) = match spec.kind {
        ChartKind::Heat => heat(def, about, facts)?,
        ChartKind::Bars => bars(def, about, facts)?,
        ChartKind::Lines => lines(&spec.facts, about, facts)?,
        ChartKind::Matrix => return None,
    };
    Some(Chart { id: id.to_owned(), title: sentence(def.doc), alt, unit: unit.name(), body, limit: None, held: None })
}

fn sentence(doc: &str) -> String {
    let mut chars = doc.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn all_series<'f>(def: &'f FactDef, about: &'f Entity, facts: &'f Facts) -> Vec<(&'f Entity, &'f Series)> {
    facts
        .scoped(about, def.kind)
        .filter_map(|entity| {
            let series = facts.readings(def, entity).iter().find_map(|reading| match &reading.value {
                Value::Series(series) if series.values.len() >= 2 => Some(&**series),
                _ => None,
            })?;
            Some((entity, series))
        })
        .take(MAX_ROWS)
        .collect()
}

fn heat(def: &FactDef, about: &Entity, facts: &Facts) -> Option<(ChartBody, String)> {
    let list = all_series(def, about, facts);
    let longest = list.iter().map(|(_, series)| *series).max_by_key(|series| series.at.len())?;
    if list.len() < 2 {
        return None;
    }
    let at = longest.at.clone();
    let values = list.iter().map(|(_, series)| aligned(&at, series)).collect();
    let alt = format!("{} for {} {} over {} samples", def.doc, list.len(), def.kind.plural(), at.len());
    let rows = list.iter().map(|(entity, _)| row_name(entity)).collect();
    Some((ChartBody::Heat { rows, at, values }, alt))
}

/// Values at the given times; a time the series lacks is a gap.
fn aligned(at: &[f64], series: &Series) -> Vec<Option<f64>> {
    let mut next = 0;
    at.iter()
        .map(|time| {
            while series.at.get(next).is_some_and(|have| *have < *time - 0.5) {
                next += 1;
            }
            let near = series.at.get(next).is_some_and(|have| (have - time).abs() <= 0.5);
            let value = near.then(|| series.values.get(next).copied()).flatten();
            value.filter(|value| value.is_finite())
        })
        .collect()
}

fn row_name(entity: &Entity) -> String {
    match entity.kind {
        Kind::Cpu => format!("CPU {}", entity.name),
        Kind::Queue => format!("queue {}", entity.name.rsplit('/').next().unwrap_or(&entity.name)),
        _ => entity.name.to_string(),
    }
}

fn bars(def: &FactDef, about: &Entity, facts: &Facts) -> Option<(ChartBody, String)> {
    use crate::facts::schema::keys::queue;
    let values: Vec<(&Entity, f64)> = facts
        .scoped(about, def.kind)
        .filter_map(|entity| Some((entity, facts.number(def, entity)?)))
        .take(MAX_ROWS)
        .collect();
    if values.len() < 2 {
        return None;
    }
    let top = values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = values.iter().map(|(_, value)| value).sum();
    let mut marked = false;
    let bars = values
        .iter()
        .map(|(entity, value)| {
            let lands = facts.get(&queue::CPUS, entity).ok().and_then(|reading| match &reading.value {
                Value::Cpus(set) if set.len() == 1 => Some(format!("CPU {set}")),
                _ => None,
            });
            let mark = !marked && *value == top && total > 0.0 && *value / total >= 0.5;
            marked |= mark;
            Bar { label: row_name(entity), value: *value, note: lands.unwrap_or_default(), marked: mark }
        })
        .collect();
    Some((ChartBody::Bars { bars }, format!("{} for {} {}", def.doc, values.len(), def.kind.plural())))
}

fn lines(defs: &[&'static FactDef], about: &Entity, facts: &Facts) -> Option<(ChartBody, String)> {
    let mut found: Vec<(String, &Series)> = Vec::new();
    for def in defs {
        for (entity, series) in all_series(def, about, facts) {
            let short = def.path.rsplit('.').next().unwrap_or(def.path).replace('_', " ");
            let own = entity == about || entity.kind == Kind::Host;
            found.push((if own { short } else { format!("{} {short}", row_name(entity)) }, series));
        }
    }
    found.truncate(MAX_LINES);
    let longest = found.iter().map(|(_, series)| *series).max_by_key(|series| series.at.len())?;
    let at = longest.at.clone();
    let alt = format!(
        "{} over {} samples",
        found.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", "),
        at.len()
    );
    let lines =
        found.iter().map(|(label, series)| Line { label: label.clone(), values: aligned(&at, series) }).collect();
    Some((ChartBody::Lines { at, lines }, alt))
}
