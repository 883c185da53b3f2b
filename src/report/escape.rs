//! Text of a bundle made harmless: what a terminal, a browser or a Markdown reader would act on is shown
//! instead. Renderers start from [`clean`], so none can forget a field.

use std::borrow::Cow;

use super::model::Model;
use super::walk::{self, Kind};

/// Longest one-line text and longest prose a report prints, in characters.
const LINE_MAX: usize = 2_000;
const PROSE_MAX: usize = 40_000;

/// A copy of `model` in which no string holds a control, bidirectional or invisible character.
pub fn clean(model: &Model) -> Model {
    let mut copy = model.clone();
    walk::strings(&mut copy, &mut |kind, text| {
        let (keep_newline, most) = match kind {
            Kind::Line => (false, LINE_MAX),
            Kind::Prose => (true, PROSE_MAX),
        };
        if let Cow::Owned(shown) = visible(text, keep_newline) {
            *text = shown;
        }
        shorten(text, most);
    });
    copy
}

fn shorten(text: &mut String, most: usize) {
    if text.len() > most
        && let Some((at, _)) = text.char_indices().nth(most)
    {
        text.truncate(at);
        text.push('…');
    }
}

/// Replaces control, invisible and direction-changing characters by their name or code (`⟨ESC⟩`, `⟨U+202E⟩`):
/// every font has these, unlike control pictures. Tabs stay; line ends stay only when asked.
pub fn visible(text: &str, keep_newline: bool) -> Cow<'_, str> {
    let acts = |c: char| match c {
        '\t' => false,
        '\n' => !keep_newline,
        _ => c.is_control() || is_invisible(c),
    };
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            out.push_str(&name(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn name(c: char) -> String {
    match c {
        '\0' => "⟨NUL⟩".to_owned(),
        '\u{7}' => "⟨BEL⟩".to_owned(),
        '\u{8}' => "⟨BS⟩".to_owned(),
        '\n' => "⟨LF⟩".to_owned(),
        '\r' => "⟨CR⟩".to_owned(),
        '\u{1b}' => "⟨ESC⟩".to_owned(),
        '\u{7f}' => "⟨DEL⟩".to_owned(),
        _ => format!("⟨U+{:04X}⟩", u32::from(c)),
    }
}

/// Characters that change direction, join or hide text (Unicode Bidi_Control, Default_Ignorable format
/// characters, line separators, tags).
fn is_invisible(c: char) -> bool {
    matches!(u32::from(c),
        0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e
        | 0x2060..=0x206f | 0x3164 | 0xfeff | 0xffa0 | 0xfff9..=0xfffb | 0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a
        | 0xe0000..=0xe0fff)
}

/// Text for an HTML text node or a quoted attribute.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Text inside a Markdown paragraph, heading or table cell. An underscore within a word is left alone, as
/// CommonMark does, so that `nr_throttled` stays readable where Markdown is not rendered.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // Only where they would begin an entity or a tag: `< 5 ms` stays readable where it is not rendered.
            '&' if rest.peek().is_none_or(|next| next.is_alphanumeric() || *next == '#') => out.push_str("&amp;"),
            '<' if rest.peek().is_none_or(|next| next.is_alphabetic() || "/!?".contains(*next)) => out.push_str("&lt;"),
            '>' if out.trim().is_empty() => out.push_str("&gt;"),
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '#' | '$' | '{' | '}' | '!' => out.extend(['\\', c]),
            '_' => {
                let inside = before.is_alphanumeric() && rest.peek().is_some_and(|next| next.is_alphanumeric());
                out.push_str(if inside { "_" } else { "\\_" });
            }
            '\n' | '\r' | '\t' => out.push(' '),
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// A Markdown code span that also holds in a table cell.
pub fn markdown_code(text: &str) -> String {
    let text = text.replace(['\n', '\r', '\t'], " ");
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    // A backslash before a pipe would eat the pipe's own: GFM has no way to write it in a cell's code.
    if text.contains("\\|") {
        return markdown(&text);
    }
    format!("{fence}{pad}{}{pad}{fence}", text.replace('|', "\\|"))
}

/// A fenced Markdown block that no line of `text` can close.
pub fn markdown_fence(text: &str) -> String {
    let fence = "`".repeat((longest_run(text, '`') + 1).max(3));
    format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_would_act() {
        let cases = [
            ("plain µs → ok", "plain µs → ok"),
            ("\u{1b}[31mred\u{1b}[0m", "⟨ESC⟩[31mred⟨ESC⟩[0m"),
            ("a\u{202e}b\u{2066}c", "a⟨U+202E⟩b⟨U+2066⟩c"),
            ("nul\0 bell\u{7} c1\u{9b}31m", "nul⟨NUL⟩ bell⟨BEL⟩ c1⟨U+009B⟩31m"),
            ("two\nlines\tand", "two⟨LF⟩lines\tand"),
            ("zero\u{200b}width\u{feff}", "zero⟨U+200B⟩width⟨U+FEFF⟩"),
            ("עברית stays", "עברית stays"),
        ];
        for (raw, shown) in cases {
            assert_eq!(visible(raw, false), shown);
        }
        assert_eq!(visible("two\nlines\r", true), "two\nlines⟨CR⟩");
    }

    #[test]
    fn markdown_keeps_words_and_disarms_marks() {
        assert_eq!(markdown("nr_throttled of _x_"), "nr_throttled of \\_x\\_");
        assert_eq!(markdown("a|b `c` <script>"), "a\\|b \\`c\\` &lt;script>");
        assert_eq!(markdown("< 5 ms & > 3 &amp; </b"), "< 5 ms & > 3 &amp;amp; &lt;/b");
        assert_eq!(markdown("{{ x }} ]]>"), "\\{\\{ x \\}\\} \\]\\]>");
    }

    #[test]
    fn code_spans_outgrow_their_backticks() {
        assert_eq!(markdown_code("a`b"), "``a`b``");
        assert_eq!(markdown_code("`"), "`` ` ``");
        assert_eq!(markdown_code("a|b"), "`a\\|b`");
        assert!(markdown_fence("x\n````\ny").starts_with("`````text\n"));
    }
}
