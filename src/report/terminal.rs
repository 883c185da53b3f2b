//! The summary on the terminal: at most [`LINES_MAX`] lines of `width` columns, plain text unless colour is
//! asked for. No byte of the bundle reaches the terminal as a control sequence.

use super::model::{Finding, Model, Verdict};
use super::outline::{self, Node};
use super::{escape, html, number, prose};

pub const LINES_MAX: usize = 40;
const WIDTH_MIN: usize = 40;
const WIDTH_MAX: usize = 120;
/// Readings shown under the first findings, and findings shown with any.
const READINGS_MAX: usize = 3;
const DETAILED_MAX: usize = 3;

#[derive(Clone, Copy)]
enum Style {
    Plain,
    Strong,
    Soft,
    Red,
    Yellow,
    Blue,
}

struct Screen {
    width: usize,
    color: bool,
    lines: Vec<String>,
}

impl Screen {
    fn paint(&self, style: Style, text: &str) -> String {
        let code = match style {
            Style::Strong => "1",
            Style::Soft => "2",
            Style::Red => "1;31",
            Style::Yellow => "1;33",
            Style::Blue => "1;34",
            Style::Plain => return text.to_owned(),
        };
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// One line, cut to the width.
    fn line(&mut self, indent: usize, style: Style, text: &str) {
        let text = cut(text, self.width.saturating_sub(indent));
        let painted = self.paint(style, &text);
        self.lines.push(format!("{:indent$}{painted}", ""));
    }

    /// Several lines, wrapped at words; at most `most` of them.
    fn wrapped(&mut self, indent: usize, style: Style, text: &str, most: usize) {
        let room = self.width.saturating_sub(indent);
        let mut lines = wrap(text, room);
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                *last = cut(&format!("{last} …"), room);
            }
        }
        lines.iter().for_each(|text| self.line(indent, style, text));
    }
}

/// `width` is the terminal's in columns; pass 100 when it is not a terminal.
pub fn render(model: &Model, width: usize, color: bool) -> String {
    let clean = escape::clean(model);
    let mut screen = Screen { width: width.clamp(WIDTH_MIN, WIDTH_MAX), color, lines: Vec::new() };
    head(&mut screen, &clean);
    let foot = foot(&screen, &clean);
    let forest = outline::forest(&clean.findings);
    let room = LINES_MAX.saturating_sub(foot.len() + 1);
    for (index, node) in forest.iter().enumerate() {
        let before = screen.lines.len();
        screen.blank();
        finding(&mut screen, &clean, node, index < DETAILED_MAX);
        let rest = forest.len() - index;
        let reserve = usize::from(rest > 1);
        if screen.lines.len() + reserve > room {
            screen.lines.truncate(before);
            short_list(&mut screen, &forest[index..], room);
            break;
        }
    }
    screen.blank();
    screen.lines.extend(foot);
    screen.lines.truncate(LINES_MAX);
    screen.lines.join("\n") + "\n"
}

fn head(screen: &mut Screen, model: &Model) {
    let bundle = &model.bundle;
    let mut parts = vec![bundle.name.clone()];
    match bundle.subjects.as_slice() {
        [] => {}
        [one] if !one.host.is_empty() => parts.push(one.host.clone()),
        [_] => {}
        many => parts.push(number::counted(many.len(), "subject", "subjects")),
    }
    parts.extend(bundle.window.as_ref().map(number::window));
    screen.line(0, Style::Soft, &parts.join(" · "));
    screen.blank();
    if model.summary.is_empty() {
        screen.wrapped(0, Style::Strong, &html::headline(model), 3);
    } else {
        screen.wrapped(0, Style::Plain, &model.summary, 5);
    }
}

fn finding(screen: &mut Screen, model: &Model, node: &Node<'_>, detailed: bool) {
    let item = node.finding;
    title(screen, node);
    if !detailed {
        return;
    }
    let rule = match &item.variant {
        Some(variant) => format!("{}/{variant}", item.rule),
        None => item.rule.clone(),
    };
    let about = outline::about(model, &item.subject, Some(&item.entity));
    let parts: Vec<&str> = [about.as_str(), rule.as_str()].into_iter().filter(|part| !part.is_empty()).collect();
    screen.line(5, Style::Soft, &parts.join(" · "));
    let held = item.evidence.iter().filter(|row| row.holds == Some(true) && row.role != "against");
    for row in held.filter(|row| !row.shown.is_empty()).take(READINGS_MAX) {
        let place = row.sources.first().map(|source| format!("  {}:{}", source.path, source.line)).unwrap_or_default();
        let threshold = outline::threshold(row);
        let threshold = if threshold.is_empty() { threshold } else { format!(" ({threshold})") };
        screen.line(5, Style::Plain, &format!("{}: {}{threshold}{place}", row.says, row.shown));
    }
    if !node.symptoms.is_empty() {
        let rules: Vec<&str> = node.symptoms.iter().map(|symptom| symptom.finding.rule.as_str()).collect();
        screen.line(5, Style::Plain, &format!("explains: {}", rules.join(", ")));
    }
    if let Some(command) = prose::commands(&item.fix_now).first() {
        screen.line(5, Style::Strong, &format!("fix: {command}"));
    }
}

fn title(screen: &mut Screen, node: &Node<'_>) {
    let item: &Finding = node.finding;
    let style = match item.verdict {
        Verdict::Confirmed => Style::Red,
        Verdict::Likely => Style::Yellow,
        Verdict::Possible => Style::Blue,
    };
    let verdict = format!("{} {:.2}", item.verdict.name(), item.confidence);
    let lead = format!("{:>3}  {verdict:<14}  {:<2}  ", node.number, cut(&item.severity, 4));
    let room = screen.width.saturating_sub(lead.chars().count());
    let painted = lead.replacen(item.verdict.name(), &screen.paint(style, item.verdict.name()), 1);
    let text = screen.paint(Style::Strong, &cut(&item.title, room));
    screen.lines.push(format!("{painted}{text}"));
}

/// Titles alone for what does not fit, and a count for what still does not.
fn short_list(screen: &mut Screen, nodes: &[Node<'_>], room: usize) {
    let free = room.saturating_sub(screen.lines.len());
    let shown = if nodes.len() <= free { nodes.len() } else { free.saturating_sub(1) };
    nodes[..shown].iter().for_each(|node| title(screen, node));
    if shown < nodes.len() {
        screen.line(2, Style::Soft, &format!("and {} more in the report", nodes.len() - shown));
    }
}

fn foot(screen: &Screen, model: &Model) -> Vec<String> {
    let mut foot = Screen { width: screen.width, color: screen.color, lines: Vec::new() };
    if !model.bundle.complete {
        foot.line(0, Style::Yellow, "The bundle is incomplete; the report says what was lost.");
    }
    foot.wrapped(0, Style::Plain, &outline::coverage(&model.coverage), 2);
    let gaps = outline::gaps(&model.cannot_tell);
    let useful: Vec<_> = gaps.iter().filter(|gap| !gap.collect.is_empty()).take(3).collect();
    if !useful.is_empty() {
        foot.line(0, Style::Plain, "To settle what could not be told, collect:");
        for gap in useful {
            let rules = number::counted(gap.rules, "rule", "rules");
            foot.line(5, Style::Plain, &format!("{}  ({rules})", cut(gap.collect, foot.width.saturating_sub(18))));
        }
    }
    foot.lines
}

/// Columns a character takes, well enough for cutting: East Asian wide characters and emoji two, combining
/// marks none.
fn columns(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x64b..=0x65f
        | 0x1ab0..=0x1aff
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

fn cut(text: &str, width: usize) -> String {
    let text = text.replace('\t', " ");
    if text.chars().map(columns).sum::<usize>() <= width {
        return text;
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += columns(c);
        if used > width.saturating_sub(1) {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let length = |text: &str| text.chars().map(columns).sum::<usize>();
        let Some(last) = lines.last_mut() else { break };
        if last.is_empty() {
            last.push_str(word);
        } else if length(last) + 1 + length(word) <= width {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_and_wraps_by_columns() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    }
}
