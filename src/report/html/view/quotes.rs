//! Quoted lines with anchors: every source named on the page links to the line itself, on the same page.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::super::mark;
use super::super::super::model::Quote;

/// A link to a quoted line.
#[derive(Clone, Serialize)]
pub struct Link {
    pub anchor: String,
    /// `path:line`.
    pub label: String,
}

/// Lines quoted in one block, by file and line number.
pub struct Quotes {
    prefix: String,
    files: BTreeMap<String, BTreeMap<u32, Shown>>,
    next: usize,
}

struct Shown {
    text: String,
    cut: bool,
    /// Set for quoted lines, not for context.
    anchor: Option<String>,
    marked: Option<std::ops::Range<usize>>,
}

#[derive(Serialize)]
pub struct FileQuotes {
    path: String,
    lines: Vec<LineView>,
}

/// A line in three parts: before, the decisive part, after.
#[derive(Serialize)]
struct LineView {
    line: u32,
    anchor: Option<String>,
    head: String,
    mark: String,
    tail: String,
    cut: bool,
    /// Lines were left out between this and the one above.
    gap: bool,
}

impl Quotes {
    /// Anchors start with `prefix`, which must be unique in the page.
    pub fn new(prefix: &str) -> Quotes {
        Quotes { prefix: prefix.to_owned(), files: BTreeMap::new(), next: 1 }
    }

    /// Adds a line (once) and gives its link; `value` is the reading to look for in it.
    pub fn link(&mut self, quote: &Quote, value: Option<&serde_json::Value>) -> Link {
        let file = self.files.entry(quote.path.clone()).or_default();
        for context in quote.before.iter().chain(&quote.after) {
            file.entry(context.line).or_insert_with(|| Shown {
                text: context.text.clone(),
                cut: false,
                anchor: None,
                marked: None,
            });
        }
        let line = file.entry(quote.line).or_insert_with(|| Shown {
            text: quote.quote.clone(),
            cut: quote.cut,
            anchor: None,
            marked: None,
        });
        if line.marked.is_none() {
            line.marked = value.and_then(|value| mark::decisive(&line.text, value));
        }
        let anchor = match &line.anchor {
            Some(anchor) => anchor.clone(),
            None => {
                let anchor = format!("{}-{}", self.prefix, self.next);
                self.next += 1;
                line.anchor = Some(anchor.clone());
                anchor
            }
        };
        Link { anchor, label: format!("{}:{}", quote.path, quote.line) }
    }

    pub fn files(self) -> Vec<FileQuotes> {
        self.files.into_iter().map(|(path, lines)| FileQuotes { path, lines: shown(lines) }).collect()
    }
}

fn shown(lines: BTreeMap<u32, Shown>) -> Vec<LineView> {
    let mut before: Option<u32> = None;
    let mut out = Vec::with_capacity(lines.len());
    for (line, item) in lines {
        let at = item.marked.filter(|_| item.anchor.is_some()).unwrap_or(0..0);
        let (head, mark, tail) = if at.is_empty() {
            (item.text.as_str(), "", "")
        } else {
            (&item.text[..at.start], &item.text[at.clone()], &item.text[at.end..])
        };
        out.push(LineView {
            line,
            anchor: item.anchor,
            head: head.to_owned(),
            mark: mark.to_owned(),
            tail: tail.to_owned(),
            cut: item.cut,
            gap: before.is_some_and(|before| line > before.saturating_add(1)),
        });
        before = Some(line);
    }
    out
}
