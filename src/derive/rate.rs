//! From counters to rates and shares: two snapshots, a timed series, or - marked as such - since boot.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::facts::schema::keys::family::UPTIME;
use crate::facts::{Entity, FactDef, Facts, Family, Grade, Missing, Reading, Series, Source, Value};

/// Rate of the sum of `metrics` per second, times `factor`.
///
/// Three or more timed samples give a series; two snapshots a number; one snapshot a since-boot mean when the
/// uptime is known. A reset is a [`Missing::CounterReset`], never a negative rate.
pub fn rate(
    facts: &Facts,
    family: &'static Family,
    entity: &Entity,
    metrics: &[&str],
    factor: f64,
) -> Result<Reading, Missing> {
    if let Some(series) = series(facts, family, entity, metrics, factor) {
        let sources = series_sources(&series);
        return Ok(Reading::new(Value::Series(Arc::new(series)), Grade::Series, sources));
    }
    match facts.change_sum(family, entity, metrics.iter().copied()) {
        Ok(change) => {
            let rate = change.rate().ok_or(Missing::TooShort)?;
            Ok(Reading::new(Value::Num(rate * factor), Grade::Two, change.sources()))
        }
        Err(Missing::TooShort) => since_boot(facts, family, entity, metrics, factor).ok_or(Missing::TooShort),
        Err(why) => Err(why),
    }
}

/// Puts the rate of `metrics` as `def`, or says why it is unknown.
pub fn put_rate(
    facts: &mut Facts,
    def: &'static FactDef,
    family: &'static Family,
    entity: &Entity,
    metrics: &[&str],
    factor: f64,
) {
    match rate(facts, family, entity, metrics, factor) {
        Ok(reading) => facts.put(def, entity, reading),
        Err(Missing::NotCollected) => {}
        Err(why) => facts.put_missing(def, entity, why),
    }
}

fn since_boot(
    facts: &Facts,
    family: &'static Family,
    entity: &Entity,
    metrics: &[&str],
    factor: f64,
) -> Option<Reading> {
    let uptime = facts.samples(&UPTIME, &Entity::host(entity.subject), "uptime").first()?;
    let (total, sources) = last_values(facts, family, entity, metrics)?;
    (uptime.value > 0.0).then(|| Reading::new(Value::Num(total / uptime.value * factor), Grade::SinceBoot, sources))
}

/// Sum of the last values of the metrics that exist, and their lines.
pub fn last_values(
    facts: &Facts,
    family: &'static Family,
    entity: &Entity,
    metrics: &[&str],
) -> Option<(f64, Vec<Source>)> {
    let mut total = 0.0;
    let mut sources = Vec::new();
    for metric in metrics {
        if let Some(sample) = facts.samples(family, entity, metric).last() {
            total += sample.value;
            sources.push(sample.source);
        }
    }
    (!sources.is_empty()).then_some((total, sources))
}

/// Rates between neighbouring timed samples. `None` with fewer than three samples or without their times.
fn series(facts: &Facts, family: &'static Family, entity: &Entity, metrics: &[&str], factor: f64) -> Option<Series> {
    let mut sums: BTreeMap<u64, (f64, Source, usize)> = BTreeMap::new();
    let mut parts = 0;
    for metric in metrics {
        let samples = facts.samples(family, entity, metric);
        if samples.is_empty() {
            continue;
        }
        parts += 1;
        for sample in samples {
            let at = sample.at.filter(|at| *at >= 0.0)?;
            let slot = sums.entry((at * 1000.0) as u64).or_insert((0.0, sample.source, 0));
            slot.0 += sample.value;
            slot.2 += 1;
        }
    }
    let points: Vec<(f64, f64, Source)> = sums
        .into_iter()
        .filter(|(_, (_, _, seen))| *seen == parts)
        .map(|(at, (value, source, _))| (at as f64 / 1000.0, value, source))
        .collect();
    if points.len() < 3 {
        return None;
    }
    let mut series = Series { artifact: points.first()?.2.artifact, ..Series::default() };
    let zero = points.first()?.0;
    for pair in points.windows(2) {
        let [from, to] = pair else { continue };
        let (dt, delta) = (to.0 - from.0, to.1 - from.1);
        if dt <= 0.0 {
            continue;
        }
        series.at.push(to.0 - zero);
        series.values.push(if delta < 0.0 { f64::NAN } else { delta / dt * factor });
        series.lines.push(to.2.line);
    }
    (series.present().count() >= 2).then_some(series)
}

/// Lines that stand for a series: its highest and last point.
pub fn series_sources(series: &Series) -> Vec<Source> {
    let top = (0..series.values.len())
        .filter(|at| series.values.get(*at).is_some_and(|value| value.is_finite()))
        .max_by(|a, b| series.values[*a].total_cmp(&series.values[*b]));
    [top, series.values.len().checked_sub(1)].into_iter().flatten().filter_map(|at| series.source(at)).collect()
}

/// A number computed from other readings: their sources, the worst of their grades.
pub fn computed<'a>(value: f64, inputs: impl IntoIterator<Item = &'a Reading>) -> Reading {
    let mut grade = Grade::State;
    let mut sources = Vec::new();
    for input in inputs {
        grade = grade.min(input.grade);
        sources.extend(input.sources.iter().copied().take(4));
    }
    Reading::new(Value::Num(value), grade, sources)
}
