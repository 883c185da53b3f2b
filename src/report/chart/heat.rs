//! The heat strip: one row per CPU (or pod), one column per sample, eight levels. Values at or over the limit
//! are hatched as well; a row that stands for several shows their highest value in its upper half and their
//! lowest in its lower half.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::model::Chart;
use super::super::number;
use super::scale::{Scale, Slots};
use super::svg::{self, Anchor, WIDTH};
use super::thin::{self, Band, Extent};

const ROWS_MAX: usize = 64;
const COLUMNS_MAX: usize = 96;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 64.0;
const TOP: f64 = 18.0;

pub fn draw(
    chart: &Chart,
    rows: &[String],
    at: &[f64],
    values: &[Vec<Option<f64>>],
    id: &str,
) -> (String, f64, Vec<String>) {
    let extents: Vec<Option<Extent>> = values.iter().map(|row| Extent::of(row.iter().copied())).collect();
    let Some(all) = extents.iter().copied().fold(None, Extent::join) else { return (String::new(), 0.0, vec![]) };
    let scale = Scale::cover(all.low, all.high, chart.unit);
    let slots = Slots::of(at);
    let bands = thin::bands(rows, &extents, ROWS_MAX);
    let columns = slots.count.clamp(1, COLUMNS_MAX);
    let grid: Vec<Vec<Option<Extent>>> = bands.iter().map(|band| cells(band, values, &slots, columns)).collect();

    let pitch = (560.0 / bands.len() as f64).clamp(9.0, 16.0);
    let width = (WIDTH - LEFT - RIGHT) / columns as f64;
    let bottom = TOP + pitch * bands.len() as f64;
    let mut out = String::new();
    hatch(&mut out, id);
    svg::rect(&mut out, LEFT, TOP, WIDTH - LEFT - RIGHT, bottom - TOP, "gap");
    strips(&mut out, &grid, scale, pitch, width);
    if let Some((limit, _)) = &chart.limit {
        hatched(&mut out, &grid, *limit, pitch, width, id);
    }
    labels(&mut out, chart, &bands, &extents, pitch);
    held(&mut out, chart, &slots, bottom);
    for time in slots.ticks(6) {
        let x = LEFT + slots.part(time) * (WIDTH - LEFT - RIGHT);
        svg::line(&mut out, (x, bottom), (x, bottom + 4.0), "axis");
        svg::text(&mut out, x, bottom + 15.0, Anchor::Start, "tick", &number::moment(time));
    }
    legend(&mut out, chart, scale, bottom + 26.0);
    let merged = bands.iter().any(|band| band.rows.len() > 1);
    (out, bottom + 56.0, notes(chart, merged, slots.count > columns))
}

fn cells(band: &Band, values: &[Vec<Option<f64>>], slots: &Slots, columns: usize) -> Vec<Option<Extent>> {
    let mut line = vec![None; slots.count];
    for row in &band.rows {
        let Some(row) = values.get(*row) else { continue };
        for (value, (start, end)) in row.iter().zip(&slots.spans) {
            let extent = Extent::of([*value]);
            for cell in line.iter_mut().take(*end).skip(*start) {
                *cell = Extent::join(*cell, extent);
            }
        }
    }
    thin::merge(&line, columns)
}

/// One path a level and stroke width: `M x y h length` for each run of equal cells.
fn strips(out: &mut String, grid: &[Vec<Option<Extent>>], scale: Scale, pitch: f64, width: f64) {
    let mut paths: BTreeMap<(bool, u8), String> = BTreeMap::new();
    let mut run = |whole: bool, level: u8, from: usize, to: usize, y: f64| {
        let path = paths.entry((whole, level)).or_default();
        let (x, end) = (LEFT + width * from as f64, LEFT + width * to as f64);
        let _ = write!(path, "M{} {}h{}", svg::n(x), svg::n(y), svg::n(end - x));
    };
    for (index, line) in grid.iter().enumerate() {
        let y = TOP + pitch * index as f64;
        let levels: Vec<Option<(u8, u8)>> =
            line.iter().map(|cell| cell.map(|cell| (scale.level(cell.high), scale.level(cell.low)))).collect();
        let mut from = 0;
        for chunk in levels.chunk_by(|a, b| a == b) {
            let to = from + chunk.len();
            match chunk.first().copied().flatten() {
                Some((high, low)) if high == low => run(true, high, from, to, y + pitch / 2.0),
                Some((high, low)) => {
                    run(false, high, from, to, y + pitch / 4.0);
                    run(false, low, from, to, y + pitch * 0.75);
                }
                None => {}
            }
            from = to;
        }
    }
    for ((whole, level), path) in paths {
        // A hairline of background stays between rows.
        let stroke = if whole { pitch - 1.0 } else { pitch / 2.0 - 0.5 };
        let _ = write!(out, "<path class=\"h h{level}\" stroke-width=\"{}\" d=\"{path}\"/>", svg::n(stroke));
    }
}

fn hatch(out: &mut String, id: &str) {
    let _ = write!(
        out,
        "<defs><pattern id=\"{id}-h\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><path d=\"M-1 5L5 \
         -1\" class=\"hatch\"/></pattern></defs>"
    );
}

fn hatched(out: &mut String, grid: &[Vec<Option<Extent>>], limit: f64, pitch: f64, width: f64, id: &str) {
    let mut path = String::new();
    for (index, line) in grid.iter().enumerate() {
        let y = TOP + pitch * index as f64;
        let mut from = 0;
        for chunk in line.chunk_by(|a, b| over(*a, limit) == over(*b, limit)) {
            let to = from + chunk.len();
            if over(chunk[0], limit) {
                let x = LEFT + width * from as f64;
                let length = svg::n(width * chunk.len() as f64);
                let _ = write!(path, "M{} {}h{length}v{}h-{length}z", svg::n(x), svg::n(y), svg::n(pitch - 1.0));
            }
            from = to;
        }
    }
    if !path.is_empty() {
        let _ = write!(out, "<path d=\"{path}\" fill=\"url(#{id}-h)\"/>");
    }
}

fn over(cell: Option<Extent>, limit: f64) -> bool {
    cell.is_some_and(|cell| cell.high >= limit)
}

fn labels(out: &mut String, chart: &Chart, bands: &[Band], extents: &[Option<Extent>], pitch: f64) {
    svg::text(out, WIDTH - RIGHT + 6.0, TOP - 6.0, Anchor::Start, "tick", "highest");
    for (index, band) in bands.iter().enumerate() {
        let y = TOP + pitch * (index as f64 + 0.5) + 3.2;
        svg::text(out, LEFT - 6.0, y, Anchor::End, "small", &svg::fit(&band.label, LEFT - 10.0, 9.0));
        let extent = band.rows.iter().filter_map(|row| extents.get(*row).copied()).fold(None, Extent::join);
        let shown = extent.map_or_else(|| "no samples".to_owned(), |extent| number::shown(extent.high, chart.unit));
        svg::text(out, WIDTH - RIGHT + 6.0, y, Anchor::Start, "small", &svg::fit(&shown, RIGHT - 6.0, 9.0));
    }
}

fn held(out: &mut String, chart: &Chart, slots: &Slots, bottom: f64) {
    let Some((from, to)) = chart.held else { return };
    let x = |time: f64| LEFT + slots.part(time) * (WIDTH - LEFT - RIGHT);
    let (start, end) = (x(from), x(to));
    if end - start < 1.0 {
        return;
    }
    let (y, low) = (svg::n(TOP - 4.0), svg::n(bottom));
    let (a, b) = (svg::n(start), svg::n(end));
    let _ = write!(out, "<path d=\"M{a} {low}V{y}H{b}V{low}\" class=\"held-line\"/>");
    svg::text(out, (start + 2.0).max(LEFT), TOP - 8.0, Anchor::Start, "tick", "rule held");
}

fn legend(out: &mut String, chart: &Chart, scale: Scale, y: f64) {
    let step = (scale.high - scale.low) / 8.0;
    for level in 0..8_u8 {
        let x = LEFT + 44.0 * f64::from(level);
        let _ =
            write!(out, "<path class=\"h h{level}\" stroke-width=\"8\" d=\"M{} {}h43\"/>", svg::n(x), svg::n(y + 4.0));
        if level % 2 == 0 {
            let from = scale.low + step * f64::from(level);
            svg::text(out, x, y + 20.0, Anchor::Start, "tick", &number::shown(from, chart.unit));
        }
    }
    svg::text(out, LEFT + 352.0, y + 20.0, Anchor::End, "tick", &number::shown(scale.high, chart.unit));
    svg::rect(out, LEFT + 372.0, y, 16.0, 8.0, "gap");
    svg::text(out, LEFT + 393.0, y + 8.0, Anchor::Start, "tick", "no sample");
}

fn notes(chart: &Chart, rows_merged: bool, columns_merged: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some((limit, label)) = &chart.limit {
        notes.push(format!("Hatched: at or over {} ({label}).", number::shown(*limit, chart.unit)));
    }
    if rows_merged || columns_merged {
        let what = match (rows_merged, columns_merged) {
            (true, true) => "Rows and samples were merged to fit",
            (true, false) => {
                "Rows were merged to fit; the rows with the highest and lowest values come first by themselves"
            }
            _ => "Samples were merged to fit",
        };
        notes.push(format!(
            "{what}: where a cell is split, its upper half is the highest value and its lower half the lowest."
        ));
    }
    notes
}
