//! A table of values with a level behind each number (NUMA distances, pages by node). Large tables merge
//! neighbours; a merged cell shows its highest value.

use std::fmt::Write;

use super::super::model::Chart;
use super::super::number;
use super::scale::Scale;
use super::svg::{self, Anchor, WIDTH};
use super::thin::{self, Extent};

const SIDE_MAX: usize = 16;
const LEFT: f64 = 96.0;
const TOP: f64 = 22.0;
const CELL_HEIGHT: f64 = 24.0;

pub fn draw(
    chart: &Chart,
    rows: &[String],
    columns: &[String],
    values: &[Vec<Option<f64>>],
) -> (String, f64, Vec<String>) {
    let all = values.iter().map(|row| Extent::of(row.iter().copied())).fold(None, Extent::join);
    let Some(all) = all else { return (String::new(), 0.0, vec![]) };
    let scale = Scale::cover(all.low, all.high, chart.unit);
    let (row_groups, column_groups) = (groups(rows), groups(columns));
    let width = ((WIDTH - LEFT) / column_groups.len().max(1) as f64).min(96.0);
    let mut out = String::new();
    for (index, group) in column_groups.iter().enumerate() {
        let x = LEFT + width * (index as f64 + 0.5);
        svg::text(&mut out, x, TOP - 7.0, Anchor::Middle, "tick", &svg::fit(&group.label, width - 4.0, 9.5));
    }
    for (index, group) in row_groups.iter().enumerate() {
        let y = TOP + CELL_HEIGHT * index as f64;
        svg::text(&mut out, LEFT - 6.0, y + 16.0, Anchor::End, "", &svg::fit(&group.label, LEFT - 10.0, 10.5));
        for (column, across) in column_groups.iter().enumerate() {
            let x = LEFT + width * column as f64;
            let cell = values
                .get(group.from..group.to.min(values.len()))
                .unwrap_or_default()
                .iter()
                .map(|row| {
                    Extent::of(row.get(across.from..across.to.min(row.len())).unwrap_or_default().iter().copied())
                })
                .fold(None, Extent::join);
            let Some(cell) = cell else {
                svg::rect(&mut out, x + 0.5, y + 0.5, width - 1.0, CELL_HEIGHT - 1.0, "gap");
                continue;
            };
            let level = scale.level(cell.high);
            let _ = write!(
                out,
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"m h{level}\"/>",
                svg::n(x + 0.5),
                svg::n(y + 0.5),
                svg::n(width - 1.0),
                svg::n(CELL_HEIGHT - 1.0)
            );
            let ink = if level >= 5 { "on-dark" } else { "on-light" };
            let shown = svg::fit(&number::shown(cell.high, chart.unit), width - 2.0, 9.5);
            svg::text(&mut out, x + width / 2.0, y + 15.5, Anchor::Middle, ink, &shown);
        }
    }
    let merged = rows.len() > row_groups.len() || columns.len() > column_groups.len();
    let notes = if merged {
        vec!["Neighbours were merged to fit: each cell is the highest value of its group.".to_owned()]
    } else {
        vec![]
    };
    (out, TOP + CELL_HEIGHT * row_groups.len() as f64 + 4.0, notes)
}

struct Group {
    label: String,
    from: usize,
    to: usize,
}

fn groups(labels: &[String]) -> Vec<Group> {
    let size = labels.len().div_ceil(SIDE_MAX).max(1);
    let group = |(index, chunk): (usize, &[String])| {
        let label = thin::span_label(&chunk[0], &chunk[chunk.len() - 1]);
        Group { label, from: index * size, to: index * size + chunk.len() }
    };
    labels.chunks(size).enumerate().map(group).collect()
}
