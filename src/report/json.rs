//! `report.json`: the model as it is, schema `coroner.report/1` (`docs/report.schema.json`). Keys in the
//! model's order, indented for people and diffs; lists of plain numbers stay on one line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};

use super::model::Model;

pub fn render(model: &Model) -> String {
    let mut out = Vec::new();
    let mut to = Serializer::with_formatter(&mut out, Pretty::default());
    match model.serialize(&mut to) {
        Ok(()) => out.push(b'\n'),
        // Every map key of the model is a string and a Vec takes any byte: there is nothing that can fail.
        Err(error) => out = format!("{{\"error\":{:?}}}\n", error.to_string()).into_bytes(),
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Indents objects; an array breaks its line at the first element that is not a bare number.
#[derive(Default)]
struct Pretty {
    depth: usize,
    /// For each open array or object: did it break its line, does it hold anything.
    open: Vec<Open>,
}

#[derive(Clone, Copy, Default)]
struct Open {
    broken: bool,
    filled: bool,
    pending: bool,
}

impl Pretty {
    fn line<W: ?Sized + Write>(&self, to: &mut W) -> io::Result<()> {
        to.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| to.write_all(b"  "))
    }

    /// Called when the next array element turns out to be more than a number.
    fn settle<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        let Some(top) = self.open.last_mut() else { return Ok(()) };
        if !top.pending {
            return Ok(());
        }
        top.pending = false;
        top.broken = true;
        self.line(to)
    }
}

impl Formatter for Pretty {
    fn begin_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.settle(to)?;
        self.depth += 1;
        self.open.push(Open::default());
        to.write_all(b"[")
    }

    fn end_array<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.open.pop().is_some_and(|open| open.broken) {
            self.line(to)?;
        }
        to.write_all(b"]")
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if !first {
            to.write_all(b",")?;
        }
        if let Some(top) = self.open.last_mut() {
            top.filled = true;
            top.pending = true;
        }
        Ok(())
    }

    fn begin_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.settle(to)?;
        self.depth += 1;
        self.open.push(Open::default());
        to.write_all(b"{")
    }

    fn end_object<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.depth = self.depth.saturating_sub(1);
        if self.open.pop().is_some_and(|open| open.filled) {
            self.line(to)?;
        }
        to.write_all(b"}")
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if !first {
            to.write_all(b",")?;
        }
        if let Some(top) = self.open.last_mut() {
            top.filled = true;
        }
        self.line(to)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }

    fn begin_string<W: ?Sized + Write>(&mut self, to: &mut W) -> io::Result<()> {
        self.settle(to)?;
        to.write_all(b"\"")
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, to: &mut W, part: &str) -> io::Result<()> {
        to.write_all(part.as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, to: &mut W, escape: CharEscape) -> io::Result<()> {
        serde_json::ser::CompactFormatter.write_char_escape(to, escape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_lines_where_a_person_would() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b": [{"c": []}], "d": [[1, 2], [3]], "e": ["x"], "f": {}});
        let mut out = Vec::new();
        value.serialize(&mut Serializer::with_formatter(&mut out, Pretty::default())).expect("a Vec takes it");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(
            text,
            "{\n  \"a\": [1,2.5,null],\n  \"b\": [\n    {\n      \"c\": []\n    }\n  ],\n  \"d\": [\n    [1,2],\n    [3]\n  ],\n  \"e\": [\n    \"x\"\n  ],\n  \"f\": {}\n}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
    }
}
