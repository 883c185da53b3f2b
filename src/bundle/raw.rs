//! Raw bytes of read artifacts, for quoting the lines that evidence cites.
//!
//! Small bundles stay in memory whole. Above the budget, bytes are dropped after parsing and the bundle is
//! walked once more for the cited files alone.

use std::collections::BTreeMap;

use super::text::Text;
use super::{Input, Limits, Want, walk};
use crate::facts::Source;

/// Raw bytes that may stay in memory.
const BUDGET: usize = 48 << 20;
/// Longest quote; longer lines are cut here at a character.
pub const MAX_QUOTE: usize = 2000;
/// Longest context line.
const MAX_CONTEXT: usize = 300;

#[derive(Debug, Default)]
pub struct RawStore {
    kept: BTreeMap<u32, Vec<u8>>,
    paths: BTreeMap<u32, String>,
    bytes: usize,
}

/// A line of an artifact. `cut` when it was longer than [`MAX_QUOTE`].
#[derive(Clone, Debug, PartialEq)]
pub struct Quoted {
    pub path: String,
    pub line: u32,
    pub text: String,
    pub cut: bool,
    /// The line before and the line after, where they hold anything.
    pub before: Option<String>,
    pub after: Option<String>,
}

impl RawStore {
    pub fn keep(&mut self, id: u32, path: &str, bytes: Vec<u8>) {
        self.paths.insert(id, path.to_owned());
        if self.bytes + bytes.len() <= BUDGET {
            self.bytes += bytes.len();
            self.kept.insert(id, bytes);
        }
    }

    /// Remembers only the name.
    pub fn forget(&mut self, id: u32, path: &str) {
        self.paths.insert(id, path.to_owned());
    }

    pub fn path(&self, id: u32) -> Option<&str> {
        self.paths.get(&id).map(String::as_str)
    }

    /// Quotes all sources, reading dropped artifacts again. Lines that cannot be read are left out.
    pub fn quotes(&mut self, sources: &[Source], input: &Input, limits: &Limits) -> BTreeMap<Source, Quoted> {
        let mut wanted: BTreeMap<u32, Vec<Source>> = BTreeMap::new();
        for source in sources {
            wanted.entry(source.artifact).or_default().push(*source);
        }
        let mut found = BTreeMap::new();
        let mut again: BTreeMap<String, u32> = BTreeMap::new();
        for (id, list) in &wanted {
            let Some(path) = self.paths.get(id) else { continue };
            match self.kept.get(id) {
                Some(bytes) => quote(path, bytes, list, &mut found),
                None => {
                    again.insert(path.clone(), *id);
                }
            }
        }
        if !again.is_empty() {
            let result = walk(
                input,
                limits,
                &mut |head| {
                    if again.contains_key(head.path) {
                        Want::Read { max: crate::parse::run::MAX_ARTIFACT }
                    } else {
                        Want::Skip
                    }
                },
                &mut |entry| {
                    if let Some(list) = again.get(&entry.path).and_then(|id| wanted.get(id)) {
                        quote(&entry.path, &entry.bytes, list, &mut found);
                    }
                },
            );
            // The bundle was readable a moment ago; when it no longer is, evidence stands without its quotes.
            drop(result);
        }
        found
    }
}

fn quote(path: &str, bytes: &[u8], sources: &[Source], found: &mut BTreeMap<Source, Quoted>) {
    let quoted = |line: u32, text: String, cut: bool| Quoted {
        path: path.to_owned(),
        line,
        text,
        cut,
        before: None,
        after: None,
    };
    if super::text::is_binary(bytes) {
        for source in sources {
            let text = format!("binary, byte offset {}", source.line);
            found.insert(*source, quoted(source.line, text, false));
        }
        return;
    }
    let text = Text::decode(bytes);
    let mut sources: Vec<Source> = sources.to_vec();
    sources.sort_unstable();
    sources.dedup();
    let mut next = sources.into_iter().peekable();
    let mut lines = text.lines().peekable();
    let mut before: Option<&str> = None;
    while let Some((number, line)) = lines.next() {
        while next.peek().is_some_and(|source| source.line < number) {
            next.next();
        }
        let Some(source) = next.peek().copied() else { break };
        if source.line == number {
            let around = |line: &str| {
                let line = clip(line, MAX_CONTEXT);
                (!line.trim().is_empty()).then(|| line.to_owned())
            };
            found.insert(
                source,
                Quoted {
                    before: before.and_then(around),
                    after: lines.peek().and_then(|(_, line)| around(line)),
                    ..quoted(number, clip(line, MAX_QUOTE).to_owned(), line.len() > MAX_QUOTE)
                },
            );
            next.next();
        }
        before = Some(line);
    }
}

/// At most `most` bytes of a line, cut at a character.
fn clip(line: &str, most: usize) -> &str {
    line.get(..line.floor_char_boundary(most)).unwrap_or(line)
}
