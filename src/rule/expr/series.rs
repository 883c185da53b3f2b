//! Arithmetic of series: percentiles, duty, runs, and series combined moment by moment.

use std::collections::BTreeMap;

use crate::facts::{Series, Source};

/// Nearest-rank percentile of the samples that are there; `p` in 0..=1.
pub fn percentile(series: &Series, p: f64) -> Option<f64> {
    let mut values: Vec<f64> = series.present().collect();
    values.sort_by(f64::total_cmp);
    let rank = (p * values.len() as f64).ceil().max(1.0) as usize;
    values.get(rank.min(values.len()).checked_sub(1)?).copied()
}

/// Median: the middle one, or the mean of the middle two.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => values.get(middle).copied(),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// Index of the extreme sample; `sign` 1 for the largest, -1 for the smallest.
pub fn extreme(series: &Series, sign: f64) -> Option<usize> {
    (0..series.values.len())
        .filter(|at| series.values[*at].is_finite())
        .max_by(|a, b| (sign * series.values[*a]).total_cmp(&(sign * series.values[*b])).then(b.cmp(a)))
}

/// Standard deviation (of the population) divided by the mean.
pub fn variation(series: &Series) -> Option<f64> {
    let mean = series.mean().filter(|mean| *mean != 0.0)?;
    let values: Vec<f64> = series.present().collect();
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
    Some(variance.sqrt() / mean.abs())
}

/// Share of the samples for which `test` holds.
pub fn duty(series: &Series, test: impl Fn(f64) -> bool) -> Option<f64> {
    let (mut hits, mut all) = (0u32, 0u32);
    for value in series.present() {
        all += 1;
        hits += u32::from(test(value));
    }
    (all > 0).then(|| f64::from(hits) / f64::from(all))
}

/// Median distance of samples in seconds. A sample stands for the interval that ends with it.
pub fn step(series: &Series) -> Option<f64> {
    median(series.at.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

/// Time that the series covers, the interval of its first sample included.
pub fn span(series: &Series) -> Option<f64> {
    Some(series.at.last()? - series.at.first()? + step(series)?)
}

/// A run of samples: length in seconds and the indices of its first and last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    pub seconds: f64,
    pub first: usize,
    pub last: usize,
}

/// Longest run in which `test` holds; a gap ends a run. `None` without two samples.
pub fn longest(series: &Series, test: impl Fn(f64) -> bool) -> Option<Run> {
    let step = step(series)?;
    let mut best = Run { seconds: 0.0, first: 0, last: 0 };
    let mut start: Option<usize> = None;
    for (at, value) in series.values.iter().enumerate() {
        if !(value.is_finite() && test(*value)) {
            start = None;
            continue;
        }
        let first = *start.get_or_insert(at);
        let seconds = series.at[at] - series.at[first] + step;
        if seconds > best.seconds {
            best = Run { seconds, first, last: at };
        }
    }
    Some(best)
}

/// How series are joined at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    Max,
    Min,
    Sum,
}

/// Joins series moment by moment (to the millisecond). A moment that one of them lacks is left out of a
/// sum and decided by the others in a maximum or minimum. Lines are those of the series that decided.
pub fn join(list: &[&Series], how: Join) -> Series {
    let mut moments: BTreeMap<i64, (f64, f64, usize, Option<Source>)> = BTreeMap::new();
    for series in list {
        for (index, (at, value)) in series.at.iter().zip(&series.values).enumerate() {
            if !value.is_finite() {
                continue;
            }
            let source = series.source(index);
            let entry = moments.entry((at * 1000.0).round() as i64).or_insert((*at, *value, 0, source));
            entry.2 += 1;
            if entry.2 == 1 {
                continue;
            }
            let wins = match how {
                Join::Max => *value > entry.1,
                Join::Min => *value < entry.1,
                Join::Sum => false,
            };
            if wins {
                (entry.1, entry.3) = (*value, source);
            } else if how == Join::Sum {
                entry.1 += value;
            }
        }
    }
    let full = list.len();
    collect(moments.into_values().filter(|(_, _, n, _)| how != Join::Sum || *n == full).map(|(at, v, _, s)| (at, v, s)))
        .with_start(list.first().and_then(|series| series.start))
}

/// Combines two series where both have a sample.
pub fn zip(a: &Series, b: &Series, f: impl Fn(f64, f64) -> f64) -> Series {
    let key = |at: f64| (at * 1000.0).round() as i64;
    let right: BTreeMap<i64, f64> = b.at.iter().zip(&b.values).map(|(at, value)| (key(*at), *value)).collect();
    collect(a.at.iter().zip(&a.values).enumerate().filter_map(|(index, (at, x))| {
        let value = f(*x, *right.get(&key(*at))?);
        Some((*at, if value.is_finite() { value } else { f64::NAN }, a.source(index)))
    }))
    .with_start(a.start)
}

/// The series with every sample changed.
pub fn map(series: &Series, f: impl Fn(f64) -> f64) -> Series {
    Series { values: series.values.iter().map(|value| f(*value)).collect(), ..series.clone() }
}

/// A series from points; lines are kept when all are of one artifact.
fn collect(points: impl Iterator<Item = (f64, f64, Option<Source>)>) -> Series {
    let mut series = Series::default();
    let mut sources: Vec<Option<Source>> = Vec::new();
    for (at, value, source) in points {
        series.at.push(at);
        series.values.push(value);
        sources.push(source);
    }
    let first = sources.first().copied().flatten();
    if let Some(first) = first
        && sources.iter().all(|source| source.is_some_and(|source| source.artifact == first.artifact))
    {
        series.artifact = first.artifact;
        series.lines = sources.iter().flatten().map(|source| source.line).collect();
    }
    series
}

trait WithStart {
    fn with_start(self, start: Option<f64>) -> Self;
}

impl WithStart for Series {
    fn with_start(mut self, start: Option<f64>) -> Series {
        self.start = start;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(values: &[f64]) -> Series {
        Series {
            at: (0..values.len()).map(|at| at as f64).collect(),
            values: values.to_vec(),
            artifact: 3,
            lines: (10..10 + values.len() as u32).collect(),
            start: None,
        }
    }

    #[test]
    fn statistics_by_hand() {
        let s = series(&[1.0, 9.0, f64::NAN, 8.0, 7.0, 2.0]);
        assert_eq!(percentile(&s, 0.5), Some(7.0));
        assert_eq!(percentile(&s, 0.95), Some(9.0));
        assert_eq!(extreme(&s, 1.0), Some(1));
        assert_eq!(duty(&s, |v| v > 6.0), Some(0.6));
        assert_eq!(variation(&series(&[2.0, 4.0])), Some(1.0 / 3.0));
        assert_eq!(span(&s), Some(6.0));
    }

    #[test]
    fn a_gap_ends_a_run() {
        let s = series(&[9.0, 9.0, f64::NAN, 9.0, 9.0, 9.0, 1.0]);
        assert_eq!(longest(&s, |v| v > 5.0), Some(Run { seconds: 3.0, first: 3, last: 5 }));
        assert_eq!(longest(&series(&[9.0]), |v| v > 5.0), None);
    }

    #[test]
    fn joins_moment_by_moment_and_keeps_the_winning_line() {
        let (a, mut b) = (series(&[1.0, 5.0]), series(&[4.0, 2.0]));
        b.lines = vec![20, 21];
        let max = join(&[&a, &b], Join::Max);
        assert_eq!((max.values, max.lines), (vec![4.0, 5.0], vec![20, 11]));
        b.at = vec![1.0, 2.0];
        assert_eq!(join(&[&a, &b], Join::Sum).values, [9.0]);
        assert_eq!(join(&[&a, &b], Join::Max).values, [1.0, 5.0, 2.0]);
    }
}
