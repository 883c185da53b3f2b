//! Pressure stall information of the host: `/proc/pressure/{cpu,io,memory,irq}` (Documentation/accounting/psi.rst).
//! Averages are percent, totals microseconds. The file does not name its resource; its path does.

use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::Family;
use crate::facts::schema::keys::family::PRESSURE;

pub static PARSER: Parser =
    Parser { kind: "pressure", names: &["*proc pressure *", "pressure *", "*pressure*"], sniff, parse, binary: false };

/// `some avg10=0.12 avg60=0.02 avg300=0.00 total=55224`.
pub fn psi_line(line: &str) -> Option<(&str, impl Iterator<Item = (&str, f64)>)> {
    let (level, rest) = line.trim().split_once(' ')?;
    if !matches!(level, "some" | "full") || !rest.trim_start().starts_with("avg10=") {
        return None;
    }
    let pairs = rest.split_ascii_whitespace().filter_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        matches!(key, "avg10" | "avg60" | "avg300" | "total").then_some(())?;
        Some((key, number(value).filter(|value| *value >= 0.0)?))
    });
    Some((level, pairs))
}

/// Writes the lines of one pressure file as `PREFIX.some.total` and so on.
pub fn samples(doc: &Doc, out: &mut Out, family: &'static Family, name: &str, prefix: &str) {
    for (number, line) in doc.lines() {
        let Some((level, pairs)) = psi_line(line) else {
            if !line.trim().is_empty() {
                out.note(number, "no pressure line");
            }
            continue;
        };
        for (key, value) in pairs {
            out.sample(family, name, &format!("{prefix}.{level}.{key}"), value, number);
        }
    }
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| psi_line(line).is_some()) { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let text = if doc.command.is_empty() { &doc.place.rel } else { doc.command };
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let resource = ["cpu", "memory", "io", "irq"].into_iter().find(|name| words.contains(name));
    let resource = match resource {
        Some(resource) => resource,
        // Only irq has no `some` line.
        None if !doc.text.contains("some ") => "irq",
        None => {
            out.note(doc.first_line, "the name does not say which resource (cpu, io, memory) this pressure is of");
            "unknown"
        }
    };
    samples(doc, out, &PRESSURE, "", resource);
}
