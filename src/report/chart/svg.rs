//! The few SVG pieces that the charts share. Coordinates have one decimal at most, so that pages stay small
//! and equal.

use std::fmt::Write;

use super::super::escape;
use super::super::model::Chart;

/// Width of every chart in its own units; the page scales it.
pub const WIDTH: f64 = 720.0;
/// Mean width of a character of chart text relative to its size.
const GLYPH: f64 = 0.58;

/// A coordinate: one decimal, no trailing zero.
pub fn n(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    if rounded == 0.0 { "0".to_owned() } else { format!("{rounded}") }
}

pub fn wrap(chart: &Chart, id: &str, height: f64, body: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\"><title \
         id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>{body}</svg>",
        escape::html(&chart.title),
        escape::html(&chart.alt),
        w = n(WIDTH),
        h = n(height),
    )
}

#[derive(Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

pub fn text(out: &mut String, x: f64, y: f64, anchor: Anchor, class: &str, content: &str) {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = write!(out, "<text x=\"{}\" y=\"{}\"{anchor}{class}>{}</text>", n(x), n(y), escape::html(content));
}

pub fn rect(out: &mut String, x: f64, y: f64, w: f64, h: f64, class: &str) {
    let _ = write!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{class}\"/>",
        n(x),
        n(y),
        n(w.max(0.0)),
        n(h.max(0.0))
    );
}

pub fn line(out: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
    let _ = write!(out, "<path d=\"M{} {}L{} {}\" class=\"{class}\"/>", n(x1), n(y1), n(x2), n(y2));
}

/// `label` cut in its middle to what fits in `width` at text size `size`.
pub fn fit(label: &str, width: f64, size: f64) -> String {
    let most = ((width / (size * GLYPH)).floor() as usize).max(4);
    let length = label.chars().count();
    if length <= most {
        return label.to_owned();
    }
    let head = (most - 1) / 2;
    let tail = most - 1 - head;
    let start: String = label.chars().take(head).collect();
    let end: String = label.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short() {
        assert_eq!((n(1.04), n(1.25), n(-0.01), n(480.0)), ("1".into(), "1.3".into(), "0".into(), "480".into()));
        assert_eq!(fit("virtio0-input.0", 50.0, 10.0), "vir…ut.0");
        assert_eq!(fit("CPU 3", 50.0, 10.0), "CPU 3");
    }
}
