//! Lines over time on one axis, with the limit drawn and the time in which the rule held shaded. A line breaks
//! where nothing was sampled. Lines differ by dash and by the label at their end, not by colour alone.

use std::fmt::Write;

use super::super::model::{Chart, Line};
use super::super::number;
use super::scale::{self, Scale, Slots};
use super::svg::{self, Anchor, WIDTH};
use super::thin::{self, Extent};

/// More lines than this are drawn as one band from their lowest to their highest.
const LINES_MAX: usize = 6;
/// Points a line is thinned to; each keeps its lowest and highest value.
const POINTS_MAX: usize = 200;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 124.0;
const TOP: f64 = 14.0;
const HEIGHT: f64 = 176.0;

struct Frame {
    scale: Scale,
    slots: Slots,
}

impl Frame {
    fn x(&self, time: f64) -> f64 {
        LEFT + self.slots.part(time) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + HEIGHT * (1.0 - self.scale.part(value))
    }
}

pub fn draw(chart: &Chart, at: &[f64], lines: &[Line]) -> (String, f64, Vec<String>) {
    let extents: Vec<Option<Extent>> = lines.iter().map(|line| Extent::of(line.values.iter().copied())).collect();
    let Some(all) = extents.iter().copied().fold(None, Extent::join) else { return (String::new(), 0.0, vec![]) };
    let limit = chart.limit.as_ref().map(|(limit, _)| *limit).filter(|limit| limit.is_finite());
    let high = limit.map_or(all.high, |limit| all.high.max(limit));
    let frame = Frame { scale: Scale::cover(all.low, high, chart.unit), slots: Slots::of(at) };
    let mut out = String::new();

    if let Some((from, to)) = chart.held {
        let (start, end) = (frame.x(from), frame.x(to));
        if end - start >= 1.0 {
            svg::rect(&mut out, start, TOP, end - start, HEIGHT, "held");
            svg::text(&mut out, start + 3.0, TOP + 10.0, Anchor::Start, "tick", "rule held");
        }
    }
    axes(&mut out, chart, &frame);

    let shown = drawn_alone(&extents);
    let others: Vec<usize> = (0..lines.len()).filter(|index| !shown.contains(index)).collect();
    let mut ends = Vec::new();
    if !others.is_empty() {
        let band = band(&others, lines, at.len());
        area(&mut out, &frame, at, &band);
        if let Some(last) = band.iter().rev().find_map(|cell| *cell) {
            ends.push((frame.y((last.low + last.high) / 2.0), format!("{} others", others.len()), "band"));
        }
    }
    const CLASSES: [&str; LINES_MAX] = ["l0", "l1", "l2", "l3", "l4", "l5"];
    for (class, index) in CLASSES.iter().zip(&shown) {
        let line = &lines[*index];
        let _ = write!(out, "<path class=\"line {class}\" d=\"{}\"/>", path(&frame, at, &line.values));
        if let Some(last) = line.values.iter().rev().find_map(|value| value.filter(|value| value.is_finite())) {
            ends.push((frame.y(last), line.label.clone(), class));
        }
    }
    if let (Some(limit), Some((_, label))) = (limit, &chart.limit) {
        let y = frame.y(limit);
        svg::line(&mut out, (LEFT, y), (WIDTH - RIGHT, y), "limit");
        svg::text(&mut out, WIDTH - RIGHT - 4.0, y - 4.0, Anchor::End, "limit-text", label);
    }
    end_labels(&mut out, ends);
    let mut notes = Vec::new();
    if !others.is_empty() {
        notes.push(format!(
            "The band spans the other {}, from lowest to highest.",
            number::counted(others.len(), "line", "lines")
        ));
    }
    (out, TOP + HEIGHT + 26.0, notes)
}

/// The lines that reach highest and lowest; all of them when they are few.
fn drawn_alone(extents: &[Option<Extent>]) -> Vec<usize> {
    if extents.len() <= LINES_MAX {
        return (0..extents.len()).collect();
    }
    let mut out = thin::extremes(extents, LINES_MAX / 2);
    out.truncate(LINES_MAX);
    out.sort_unstable();
    out
}

fn band(others: &[usize], lines: &[Line], samples: usize) -> Vec<Option<Extent>> {
    (0..samples)
        .map(|sample| Extent::of(others.iter().map(|line| lines[*line].values.get(sample).copied().flatten())))
        .collect()
}

fn axes(out: &mut String, chart: &Chart, frame: &Frame) {
    for tick in frame.scale.ticks() {
        let y = frame.y(tick);
        svg::line(out, (LEFT, y), (WIDTH - RIGHT, y), "grid");
        svg::text(out, LEFT - 6.0, y + 3.5, Anchor::End, "tick", &number::shown(tick, chart.unit));
    }
    for time in frame.slots.ticks(6) {
        let x = frame.x(time);
        svg::line(out, (x, TOP + HEIGHT), (x, TOP + HEIGHT + 4.0), "axis");
        svg::text(out, x, TOP + HEIGHT + 16.0, Anchor::Start, "tick", &number::moment(time));
    }
}

/// Samples as points, neighbours joined unless there is a pause between them.
fn path(frame: &Frame, at: &[f64], values: &[Option<f64>]) -> String {
    let step = scale::usual_step(at);
    let points: Vec<(f64, Option<Extent>)> = thinned(at, values);
    let joined = if at.len() > POINTS_MAX { step * at.len() as f64 / POINTS_MAX as f64 } else { step };
    let mut out = String::new();
    let mut before: Option<f64> = None;
    for (time, extent) in points {
        let Some(extent) = extent else {
            before = None;
            continue;
        };
        let x = svg::n(frame.x(time));
        let starts = before.is_none_or(|before| scale::is_gap(time - before, joined));
        // A lone sample between gaps is a dot: a round cap on a line of no length.
        let _ = if starts {
            write!(out, "M{x} {}h0", svg::n(frame.y(extent.low)))
        } else {
            write!(out, "L{x} {}", svg::n(frame.y(extent.low)))
        };
        if extent.high > extent.low {
            let _ = write!(out, "V{}", svg::n(frame.y(extent.high)));
        }
        before = Some(time);
    }
    out
}

fn thinned(at: &[f64], values: &[Option<f64>]) -> Vec<(f64, Option<Extent>)> {
    let buckets = thin::buckets(&values[..values.len().min(at.len())], POINTS_MAX);
    let count = buckets.len();
    let length = values.len().min(at.len());
    // The first sample of each bucket gives its time.
    buckets.into_iter().enumerate().map(|(index, cell)| (at[(index * length).div_ceil(count)], cell)).collect()
}

fn area(out: &mut String, frame: &Frame, at: &[f64], band: &[Option<Extent>]) {
    let cells = thin::merge(band, POINTS_MAX);
    let count = cells.len();
    let points: Vec<Option<(f64, Extent)>> = cells
        .into_iter()
        .enumerate()
        .map(|(index, cell)| cell.map(|cell| (at[(index * band.len()).div_ceil(count)], cell)))
        .collect();
    for part in points.split(Option::is_none) {
        let part: Vec<(f64, Extent)> = part.iter().flatten().copied().collect();
        let Some((first, rest)) = part.split_first() else { continue };
        let mut path = format!("M{} {}", svg::n(frame.x(first.0)), svg::n(frame.y(first.1.high)));
        for (time, cell) in rest {
            let _ = write!(path, "L{} {}", svg::n(frame.x(*time)), svg::n(frame.y(cell.high)));
        }
        for (time, cell) in part.iter().rev() {
            let _ = write!(path, "L{} {}", svg::n(frame.x(*time)), svg::n(frame.y(cell.low)));
        }
        let _ = write!(out, "<path class=\"band\" d=\"{path}Z\"/>");
    }
}

/// Labels at the right ends, pushed apart so that none covers another.
fn end_labels(out: &mut String, mut ends: Vec<(f64, String, &str)>) {
    const APART: f64 = 12.0;
    ends.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let lowest = TOP + HEIGHT - APART * ends.len().saturating_sub(1) as f64;
    let mut y = TOP;
    for (index, (wanted, label, class)) in ends.iter().enumerate() {
        let latest = lowest + APART * index as f64;
        y = wanted.max(if index == 0 { TOP } else { y + APART }).min(latest.max(y + APART));
        let x = WIDTH - RIGHT + 4.0;
        let key = if *class == "band" { "band-key".to_owned() } else { format!("line {class}") };
        svg::line(out, (x, y), (x + 18.0, y), &key);
        svg::text(out, x + 22.0, y + 3.5, Anchor::Start, "", &svg::fit(label, RIGHT - 28.0, 10.5));
    }
}
