//! Front matter as a tree with places. The only file that knows the YAML library.
//!
//! Scalars keep the text as written, so that `70%` and `0.5` reach the rule reader alike, and every
//! character of a value can be led back to its place in the page.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, Spanned};

/// A value with its byte range in the text it was parsed from.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub data: Data,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    Null,
    Scalar(String),
    Seq(Vec<Node>),
    /// In the order of the page; keys may repeat.
    Map(Vec<(Node, Node)>),
}

/// What the YAML reader has to say, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    pub at: usize,
    pub message: String,
}

/// Parses front matter. Anchors, merges, includes and tags have no meaning in a rule; the library's budget
/// bounds what a hostile file can cost.
pub fn parse(text: &str) -> Result<Node, Broken> {
    let raw: Spanned<Raw> = serde_saphyr::from_str(text).map_err(|error| {
        let at = error.location().and_then(|place| offset(text, place)).unwrap_or(0);
        Broken { at, message: first_line(&error.without_snippet().to_string()) }
    })?;
    Ok(settle(raw, text))
}

fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    line.split(" at line ").next().unwrap_or(line).to_owned()
}

fn offset(text: &str, place: Location) -> Option<usize> {
    let at = match place.span().byte_offset() {
        Some(at) if at > 0 => usize::try_from(at).ok()?,
        _ => by_line(text, place)?,
    };
    (at <= text.len() && text.is_char_boundary(at)).then_some(at)
}

/// Errors of the scanner carry line and column only.
fn by_line(text: &str, place: Location) -> Option<usize> {
    let line = text.split_inclusive('\n').take((place.line() as usize).checked_sub(1)?).map(str::len).sum::<usize>();
    let column = text.get(line..)?.char_indices().nth((place.column() as usize).saturating_sub(1));
    Some(column.map_or(text.len(), |(at, _)| line + at))
}

enum Raw {
    Null,
    Scalar(String),
    Seq(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

/// Turns the library's places into byte ranges.
fn settle(raw: Spanned<Raw>, text: &str) -> Node {
    let (start, end) = range(raw.referenced, text);
    let data = match raw.value {
        Raw::Null => Data::Null,
        Raw::Scalar(value) => Data::Scalar(written(value, text, start, end)),
        Raw::Seq(items) => Data::Seq(items.into_iter().map(|item| settle(item, text)).collect()),
        Raw::Map(items) => Data::Map(
            items
                .into_iter()
                .map(|(key, value)| {
                    let (start, end) = range(key.referenced, text);
                    (Node { data: Data::Scalar(key.value), start, end }, settle(value, text))
                })
                .collect(),
        ),
    };
    Node { data, start, end }
}

fn range(place: Location, text: &str) -> (usize, usize) {
    let start = offset(text, place).unwrap_or(0);
    let len = place.span().byte_len().and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
    let mut end = (start + len).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (start, end.max(start))
}

/// Numbers and booleans as the author wrote them (`0.50`, `yes`), which their parsed form has lost.
fn written(value: String, text: &str, start: usize, end: usize) -> String {
    match value.strip_prefix(PLAIN) {
        Some(parsed) => {
            let source = text.get(start..end).unwrap_or_default().trim();
            if source.is_empty() { parsed.to_owned() } else { source.to_owned() }
        }
        None => value,
    }
}

/// Marks a scalar that YAML read as something else than a string.
const PLAIN: char = '\u{0}';

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a list or a mapping")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Scalar(format!("{PLAIN}{value}")))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Scalar(format!("{PLAIN}{value}")))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Scalar(format!("{PLAIN}{value}")))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Scalar(format!("{PLAIN}{value}")))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Scalar(value.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Raw::Seq(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(entry) = access.next_entry()? {
            items.push(entry);
        }
        Ok(Raw::Map(items))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_know_their_place() {
        let text = "severity: P1\nwhen:\n  one CPU ä drowns: cpu.soft >= 70%\n  b: 0.50\nlist: [a b, 'c']\nlong: >-\n  x\n  y\n";
        let Data::Map(items) = parse(text).unwrap().data else { panic!() };
        let names: Vec<&str> = items.iter().map(|(key, _)| &text[key.start..key.end]).collect();
        assert_eq!(names, ["severity", "when", "list", "long"]);
        let Data::Map(when) = &items[1].1.data else { panic!() };
        assert_eq!(&text[when[0].0.start..when[0].0.end], "one CPU ä drowns");
        assert_eq!(&text[when[0].1.start..when[0].1.end], "cpu.soft >= 70%");
        assert_eq!(when[1].1.data, Data::Scalar("0.50".into()));
        assert_eq!(items[3].1.data, Data::Scalar("x y".into()));
        let Data::Seq(list) = &items[2].1.data else { panic!() };
        assert_eq!(list[0].data, Data::Scalar("a b".into()));
        assert_eq!(&text[list[1].start..list[1].end], "'c'");
    }

    #[test]
    fn a_broken_page_is_a_place_and_a_sentence() {
        let broken = parse("a: [1, 2\nb: }\n").unwrap_err();
        assert!(broken.at > 0 && !broken.message.is_empty(), "{broken:?}");
    }
}
