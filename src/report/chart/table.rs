//! The data behind a chart as a table, for those who cannot see it and for those who want the numbers.

use super::super::model::{Chart, ChartBody, Line};
use super::super::number;
use super::thin::{self, Extent};

/// Rows a table shows; what is beyond is counted in `left_out`.
const ROWS_MAX: usize = 512;
/// Time steps a table of lines shows; neighbours are merged into `low – high`.
const STEPS_MAX: usize = 60;
const COLUMNS_MAX: usize = 32;

#[derive(Debug, Default, PartialEq)]
pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub left_out: usize,
}

pub fn of(chart: &Chart) -> Table {
    match &chart.body {
        ChartBody::Heat { rows, at, values } => by_row(chart, rows, at, values),
        ChartBody::Lines { at, lines } => by_time(chart, at, lines),
        ChartBody::Bars { bars } => {
            let with_notes = bars.iter().any(|bar| !bar.note.is_empty());
            let mut head = vec!["Name".to_owned(), "Value".to_owned()];
            if with_notes {
                head.push("Lands on".to_owned());
            }
            let rows = bars.iter().map(|bar| {
                let mark = if bar.marked { "▸ " } else { "" };
                let mut row = vec![format!("{mark}{}", bar.label), number::shown(bar.value, chart.unit)];
                if with_notes {
                    row.push(bar.note.clone());
                }
                row
            });
            capped(head, rows.collect())
        }
        ChartBody::Matrix { rows, columns, values } => {
            let head = std::iter::once(String::new()).chain(columns.iter().take(COLUMNS_MAX).cloned()).collect();
            let body = rows.iter().zip(values).map(|(label, row)| {
                let cells = row.iter().take(columns.len().min(COLUMNS_MAX)).map(|value| cell(chart, *value));
                std::iter::once(label.clone()).chain(cells).collect()
            });
            capped(head, body.collect())
        }
    }
}

fn capped(head: Vec<String>, mut rows: Vec<Vec<String>>) -> Table {
    let left_out = rows.len().saturating_sub(ROWS_MAX);
    rows.truncate(ROWS_MAX);
    Table { head, rows, left_out }
}

fn cell(chart: &Chart, value: Option<f64>) -> String {
    value.map_or_else(|| "—".to_owned(), |value| number::shown(value, chart.unit))
}

fn by_row(chart: &Chart, rows: &[String], at: &[f64], values: &[Vec<Option<f64>>]) -> Table {
    let head = ["Row", "Lowest", "Mean", "Highest", "Highest at", "Samples"].map(str::to_owned).to_vec();
    let body = rows.iter().zip(values).map(|(label, row)| {
        let known: Vec<f64> = row.iter().flatten().copied().filter(|value| value.is_finite()).collect();
        let extent = Extent::of(row.iter().copied());
        let mean = (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64);
        let peak = extent.and_then(|extent| row.iter().position(|value| *value == Some(extent.high)));
        let when = peak.and_then(|index| at.get(index)).map_or_else(|| "—".to_owned(), |time| number::moment(*time));
        vec![
            label.clone(),
            cell(chart, extent.map(|extent| extent.low)),
            cell(chart, mean),
            cell(chart, extent.map(|extent| extent.high)),
            when,
            known.len().to_string(),
        ]
    });
    capped(head, body.collect())
}

fn by_time(chart: &Chart, at: &[f64], lines: &[Line]) -> Table {
    let lines = &lines[..lines.len().min(COLUMNS_MAX)];
    let head = std::iter::once("Time".to_owned()).chain(lines.iter().map(|line| line.label.clone())).collect();
    let thinned: Vec<Vec<Option<Extent>>> = lines
        .iter()
        .map(|line| {
            let values: Vec<Option<f64>> =
                (0..at.len()).map(|index| line.values.get(index).copied().flatten()).collect();
            thin::buckets(&values, STEPS_MAX)
        })
        .collect();
    let count = at.len().min(STEPS_MAX);
    let rows = (0..count).map(|row| {
        let time = number::moment(at[(row * at.len()).div_ceil(count.max(1))]);
        let cells = thinned.iter().map(|line| match line.get(row).copied().flatten() {
            Some(extent) if extent.high > extent.low => {
                format!("{} – {}", number::shown(extent.low, chart.unit), number::shown(extent.high, chart.unit))
            }
            other => cell(chart, other.map(|extent| extent.low)),
        });
        std::iter::once(time).chain(cells).collect()
    });
    capped(head, rows.collect())
}
