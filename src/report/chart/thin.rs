//! Many values on few marks: each mark keeps the lowest and the highest of what it stands for, so that a spike
//! of one sample is seen.

/// Lowest and highest value of a mark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    pub low: f64,
    pub high: f64,
}

impl Extent {
    pub fn of(values: impl IntoIterator<Item = Option<f64>>) -> Option<Extent> {
        values.into_iter().flatten().filter(|value| value.is_finite()).fold(None, |sum, value| {
            Some(sum.map_or(Extent { low: value, high: value }, |sum: Extent| sum.with(value)))
        })
    }

    fn with(self, value: f64) -> Extent {
        Extent { low: self.low.min(value), high: self.high.max(value) }
    }

    pub fn join(one: Option<Extent>, other: Option<Extent>) -> Option<Extent> {
        match (one, other) {
            (Some(a), Some(b)) => Some(Extent { low: a.low.min(b.low), high: a.high.max(b.high) }),
            (some, none) => some.or(none),
        }
    }
}

/// `values` on at most `most` marks; a mark without any value is a gap.
pub fn buckets(values: &[Option<f64>], most: usize) -> Vec<Option<Extent>> {
    let extents: Vec<Option<Extent>> = values.iter().map(|value| Extent::of([*value])).collect();
    merge(&extents, most)
}

/// The same for values that were merged before.
pub fn merge(extents: &[Option<Extent>], most: usize) -> Vec<Option<Extent>> {
    let most = most.max(1);
    if extents.len() <= most {
        return extents.to_vec();
    }
    let mut out = vec![None; most];
    for (index, extent) in extents.iter().enumerate() {
        let bucket = &mut out[index * most / extents.len()];
        *bucket = Extent::join(*bucket, *extent);
    }
    out
}

/// A row of a chart: one row of the data, or several neighbours in one.
#[derive(Debug, PartialEq)]
pub struct Band {
    pub label: String,
    /// Indexes of the rows it stands for.
    pub rows: Vec<usize>,
}

/// Rows on at most `most` bands: those with the highest and the lowest values stay by themselves, the others
/// are merged with their neighbours.
pub fn bands(rows: &[String], extents: &[Option<Extent>], most: usize) -> Vec<Band> {
    if rows.len() <= most {
        return rows.iter().enumerate().map(|(row, label)| Band { label: label.clone(), rows: vec![row] }).collect();
    }
    let mut kept = extremes(extents, (most / 8).max(1));
    kept.sort_unstable();
    let others: Vec<usize> = (0..rows.len()).filter(|row| kept.binary_search(row).is_err()).collect();
    // A power of two, so that groups of CPUs begin where a reader expects it.
    let size = rows.len().div_ceil((most - kept.len()).max(1)).next_power_of_two();
    let mut out: Vec<Band> = kept.iter().map(|row| Band { label: rows[*row].clone(), rows: vec![*row] }).collect();
    out.extend(
        others.chunk_by(|a, b| a / size == b / size).map(|chunk| Band {
            label: span_label(&rows[chunk[0]], &rows[chunk[chunk.len() - 1]]),
            rows: chunk.to_vec(),
        }),
    );
    out
}

/// Row indexes with the `each` highest and `each` lowest values.
pub fn extremes(extents: &[Option<Extent>], each: usize) -> Vec<usize> {
    let mut known: Vec<(usize, Extent)> =
        extents.iter().enumerate().filter_map(|(row, extent)| extent.map(|extent| (row, extent))).collect();
    known.sort_by(|a, b| b.1.high.total_cmp(&a.1.high).then(a.0.cmp(&b.0)));
    // Rows that tie with the first one left out are not worth naming: hundreds may stand at the same floor.
    let rest = known.get(each).map_or(f64::NEG_INFINITY, |(_, extent)| extent.high);
    let mut out: Vec<usize> =
        known.iter().take(each).filter(|(_, extent)| extent.high > rest).map(|(row, _)| *row).collect();
    known.sort_by(|a, b| a.1.low.total_cmp(&b.1.low).then(a.0.cmp(&b.0)));
    let rest = known.get(each).map_or(f64::INFINITY, |(_, extent)| extent.low);
    for (row, extent) in known.iter().take(each) {
        if extent.low < rest && !out.contains(row) {
            out.push(*row);
        }
    }
    if out.is_empty() {
        out.extend(known.first().map(|(row, _)| *row));
    }
    out
}

/// `CPU 0–11` for rows `CPU 0` to `CPU 11`; otherwise both names.
pub fn span_label(a: &str, b: &str) -> String {
    if a == b {
        return a.to_owned();
    }
    let common = a.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    match (a.get(..common), b.get(..common)) {
        (Some(lead), Some(other)) if lead == other && !lead.is_empty() => format!("{a}–{}", &b[common..]),
        _ => format!("{a} – {b}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spike_survives() {
        let mut values = vec![Some(1.0); 10_000];
        values[7_777] = Some(99.0);
        values[3] = Some(-5.0);
        let thin = buckets(&values, 60);
        assert_eq!(thin.len(), 60);
        assert_eq!(
            Extent::of(thin.iter().flatten().flat_map(|e| [Some(e.low), Some(e.high)])).expect("some").high,
            99.0
        );
        assert_eq!(thin[0], Some(Extent { low: -5.0, high: 1.0 }));
    }

    #[test]
    fn gaps_stay_gaps() {
        assert_eq!(buckets(&[None, None, Some(1.0), Some(2.0)], 2), [None, Some(Extent { low: 1.0, high: 2.0 })]);
        assert_eq!(Extent::of([None, Some(f64::NAN)]), None);
    }

    #[test]
    fn hot_rows_are_named() {
        let rows: Vec<String> = (0..480).map(|cpu| format!("CPU {cpu}")).collect();
        let mut extents = vec![Some(Extent { low: 0.0, high: 0.01 }); 480];
        extents[311] = Some(Extent { low: 0.5, high: 0.99 });
        let bands = bands(&rows, &extents, 64);
        assert!(bands.len() <= 64, "{}", bands.len());
        assert!(bands.iter().any(|band| band.label == "CPU 311"));
        let mut all: Vec<usize> = bands.iter().flat_map(|band| band.rows.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..480).collect::<Vec<_>>());
        assert!(bands.iter().any(|band| band.label == "CPU 8–15"), "{bands:?}");
    }
}
