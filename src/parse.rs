//! Parsers: one file format, one file. A parser turns the text of an artifact into facts and raw samples,
//! each with its line. It computes no rates, knows no rules, and never gives up: a bad line is a note.
//!
//! Adding one: write `parse/NAME.rs` with a `pub static PARSER`, add it to [`PARSERS`], add its facts to
//! the dictionary and a fixture to `tests/data/parse/NAME/`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::as_conversions)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::indexing_slicing))]

pub mod doc;
pub mod out;
pub mod recognise;
pub mod run;
pub mod sections;
pub mod table;
pub mod time;

pub use doc::Doc;
pub use out::Out;
pub use recognise::Looks;

/// A parser of one format.
pub struct Parser {
    /// Name of the format, as in `facts show` and in fixtures' folders.
    pub kind: &'static str,
    /// Names under which it is found: patterns over [`crate::bundle::layout::flat`] keys, `*` for any text.
    pub names: &'static [&'static str],
    /// What the first lines of the content say, whatever the file's name.
    pub sniff: fn(&Doc) -> Looks,
    pub parse: fn(&Doc, &mut Out),
    /// True for formats that are bytes, not text.
    pub binary: bool,
}

/// Every parser. Order decides only between equals, so more particular formats come first.
pub static PARSERS: &[&Parser] = &[];
