//! Bars lying down, one a label, with the value and what it lands on written beside. The bar that the finding
//! is about is marked by a pointer, not by colour alone.

use super::super::model::{Bar, Chart};
use super::super::number;
use super::scale::Scale;
use super::svg::{self, Anchor, WIDTH};
use super::thin::Extent;

/// More bars than this: the marked, the highest and the lowest stay, the others become one line of text.
const BARS_MAX: usize = 32;
const LEFT: f64 = 132.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 20.0;
const PITCH: f64 = 18.0;

pub fn draw(chart: &Chart, bars: &[Bar]) -> (String, f64, Vec<String>) {
    let extents: Vec<Option<Extent>> = bars.iter().map(|bar| Extent::of([Some(bar.value)])).collect();
    let Some(all) = extents.iter().copied().fold(None, Extent::join) else { return (String::new(), 0.0, vec![]) };
    let limit = chart.limit.as_ref().map(|(limit, _)| *limit).filter(|limit| limit.is_finite());
    let scale = Scale::cover(all.low, limit.map_or(all.high, |limit| all.high.max(limit)), chart.unit);
    let shown = drawn(bars, &extents);
    let width = WIDTH - LEFT - RIGHT;
    let bottom = TOP + PITCH * shown.len() as f64;
    let zero = LEFT + width * scale.part(0.0);
    let mut out = String::new();
    for (index, bar) in shown.iter().map(|index| &bars[*index]).enumerate() {
        let y = TOP + PITCH * index as f64;
        let middle = y + PITCH / 2.0 + 3.5;
        let (class, pointer) = if bar.marked { ("bar marked", "▸ ") } else { ("bar", "") };
        svg::text(
            &mut out,
            LEFT - 6.0,
            middle,
            Anchor::End,
            if bar.marked { "strong" } else { "" },
            &format!("{pointer}{}", svg::fit(&bar.label, LEFT - 24.0, 10.5)),
        );
        let end = if bar.value.is_finite() { LEFT + width * scale.part(bar.value) } else { zero };
        svg::rect(&mut out, zero.min(end), y + 3.0, (end - zero).abs().max(0.6), PITCH - 6.0, class);
        let note = if bar.note.is_empty() { String::new() } else { format!(" → {}", bar.note) };
        let text = format!("{}{note}", number::shown(bar.value, chart.unit));
        svg::text(&mut out, end.max(zero) + 5.0, middle, Anchor::Start, "", &svg::fit(&text, WIDTH - end - 8.0, 10.5));
    }
    svg::line(&mut out, (zero, TOP - 2.0), (zero, bottom), "axis");
    if let (Some(limit), Some((_, label))) = (limit, &chart.limit) {
        let x = LEFT + width * scale.part(limit);
        svg::line(&mut out, (x, TOP - 4.0), (x, bottom), "limit");
        svg::text(&mut out, x, TOP - 8.0, Anchor::Middle, "limit-text", label);
    }
    (out, bottom + 6.0, left_out(chart, bars, &extents, &shown))
}

fn drawn(bars: &[Bar], extents: &[Option<Extent>]) -> Vec<usize> {
    if bars.len() <= BARS_MAX {
        return (0..bars.len()).collect();
    }
    let mut out: Vec<usize> = (0..bars.len()).filter(|index| bars[*index].marked).take(BARS_MAX / 2).collect();
    let mut by_value: Vec<usize> = (0..bars.len()).filter(|index| extents[*index].is_some()).collect();
    by_value.sort_by(|a, b| bars[*b].value.total_cmp(&bars[*a].value).then(a.cmp(b)));
    let lowest = by_value.last().copied();
    for index in by_value.into_iter().take(BARS_MAX / 2).chain(lowest) {
        if !out.contains(&index) {
            out.push(index);
        }
    }
    out.sort_unstable();
    out
}

fn left_out(chart: &Chart, bars: &[Bar], extents: &[Option<Extent>], shown: &[usize]) -> Vec<String> {
    let mut notes = Vec::new();
    if bars.iter().any(|bar| bar.marked) {
        notes.push("▸ marks what the finding is about.".to_owned());
    }
    let rest = (0..bars.len()).filter(|index| !shown.contains(index)).map(|index| extents[index]);
    if let Some(extent) = rest.fold(None, Extent::join) {
        notes.push(format!(
            "{} not drawn, from {} to {}; all are in the table.",
            number::counted(bars.len() - shown.len(), "bar is", "bars are"),
            number::shown(extent.low, chart.unit),
            number::shown(extent.high, chart.unit)
        ));
    }
    notes
}
