//! Charts as text, for Markdown and pasted comments: one line of block characters a row.

use super::super::model::{Chart, ChartBody};
use super::super::number;
use super::scale::{Scale, Slots};
use super::thin::{self, Extent};

const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const GAP: char = '·';
const COLUMNS_MAX: usize = 48;
const ROWS_MAX: usize = 10;
const LABEL_MAX: usize = 28;

/// Lines of text for `chart`; the rows with the highest and lowest values when there are many.
pub fn lines(chart: &Chart) -> Vec<String> {
    match &chart.body {
        ChartBody::Heat { rows, at, values } => {
            let rows: Vec<(&str, &[Option<f64>])> =
                rows.iter().zip(values).map(|(label, row)| (label.as_str(), row.as_slice())).collect();
            sparks(chart, at, &rows)
        }
        ChartBody::Lines { at, lines } => {
            let rows: Vec<(&str, &[Option<f64>])> =
                lines.iter().map(|line| (line.label.as_str(), line.values.as_slice())).collect();
            sparks(chart, at, &rows)
        }
        ChartBody::Bars { bars } => {
            let rows: Vec<(String, Option<f64>, &str)> = bars
                .iter()
                .map(|bar| {
                    (
                        format!("{}{}", if bar.marked { "▸ " } else { "  " }, bar.label),
                        Some(bar.value),
                        bar.note.as_str(),
                    )
                })
                .collect();
            lying(chart, &rows)
        }
        ChartBody::Matrix { .. } => Vec::new(),
    }
}

fn sparks(chart: &Chart, at: &[f64], rows: &[(&str, &[Option<f64>])]) -> Vec<String> {
    let extents: Vec<Option<Extent>> = rows.iter().map(|(_, row)| Extent::of(row.iter().copied())).collect();
    let Some(all) = extents.iter().copied().fold(None, Extent::join) else { return vec!["no samples".to_owned()] };
    let scale = Scale::cover(all.low, all.high, chart.unit);
    let slots = Slots::of(at);
    let shown = picked(&extents);
    let width = shown.iter().map(|row| label(rows[*row].0).chars().count()).max().unwrap_or(0);
    let mut out: Vec<String> = Vec::new();
    for row in &shown {
        let (name, values) = rows[*row];
        let mut cells = vec![None; slots.count];
        for (value, (start, end)) in values.iter().zip(&slots.spans) {
            cells.iter_mut().take(*end).skip(*start).for_each(|cell| *cell = Extent::of([*value]));
        }
        let middle = extents[*row].map_or(0.0, |extent| (extent.low + extent.high) / 2.0);
        let spark: String =
            thin::merge(&cells, COLUMNS_MAX).into_iter().map(|cell| block(scale, cell, middle)).collect();
        out.push(format!("{:width$}  {spark}  {}", label(name), range(chart, extents[*row])));
    }
    rest(chart, &extents, &shown, &mut out);
    out
}

/// A merged mark shows whichever of its ends is farther from the middle of its row: spikes and dips stay.
fn block(scale: Scale, cell: Option<Extent>, middle: f64) -> char {
    let Some(cell) = cell else { return GAP };
    let value = if (cell.high - middle).abs() >= (middle - cell.low).abs() { cell.high } else { cell.low };
    BLOCKS[usize::from(scale.level(value))]
}

fn lying(chart: &Chart, rows: &[(String, Option<f64>, &str)]) -> Vec<String> {
    const FULL: f64 = 24.0;
    let extents: Vec<Option<Extent>> = rows.iter().map(|row| Extent::of([row.1])).collect();
    let Some(all) = extents.iter().copied().fold(None, Extent::join) else { return vec!["no samples".to_owned()] };
    let scale = Scale::cover(all.low.min(0.0), all.high, chart.unit);
    let shown = picked(&extents);
    let width = shown.iter().map(|row| label(&rows[*row].0).chars().count()).max().unwrap_or(0);
    let mut out = Vec::new();
    for row in &shown {
        let (name, value, note) = &rows[*row];
        let value = value.filter(|value| value.is_finite()).unwrap_or(0.0);
        let bar = "█".repeat((scale.part(value) * FULL).round() as usize);
        let note = if note.is_empty() { String::new() } else { format!(" → {note}") };
        out.push(format!("{:width$}  {bar:24}  {}{note}", label(name), number::shown(value, chart.unit)));
    }
    rest(chart, &extents, &shown, &mut out);
    out
}

fn picked(extents: &[Option<Extent>]) -> Vec<usize> {
    if extents.len() <= ROWS_MAX {
        return (0..extents.len()).collect();
    }
    let mut out = thin::extremes(extents, ROWS_MAX / 2);
    out.sort_unstable();
    out
}

fn rest(chart: &Chart, extents: &[Option<Extent>], shown: &[usize], out: &mut Vec<String>) {
    let others = (0..extents.len()).filter(|row| !shown.contains(row)).map(|row| extents[row]);
    let count = extents.len() - shown.len();
    if count > 0 {
        out.push(format!("and {count} more, {}", range(chart, others.fold(None, Extent::join))));
    }
}

fn range(chart: &Chart, extent: Option<Extent>) -> String {
    match extent {
        None => "no samples".to_owned(),
        Some(extent) if extent.low == extent.high => number::shown(extent.low, chart.unit),
        Some(extent) => {
            format!("{} – {}", number::shown(extent.low, chart.unit), number::shown(extent.high, chart.unit))
        }
    }
}

fn label(name: &str) -> String {
    let one_line = name.replace(['\t', '\n'], " ");
    if one_line.chars().count() <= LABEL_MAX {
        return one_line;
    }
    let head: String = one_line.chars().take(LABEL_MAX - 1).collect();
    format!("{head}…")
}
