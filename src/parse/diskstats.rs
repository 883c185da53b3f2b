//! `/proc/diskstats`: 11 numbers per device, 15 with discards (4.18), 17 with flushes (5.5); 4 for partitions
//! of kernels before 2.6.25. Field meanings: kernel documentation, admin-guide/iostats.

use super::stamp::stamp;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::DISKSTATS;

pub static PARSER: Parser = Parser { kind: "proc-diskstats", names: &["*diskstats*"], sniff, parse, binary: false };

const FIELDS: [&str; 17] = [
    "reads",
    "reads_merged",
    "read_sectors",
    "read_ms",
    "writes",
    "writes_merged",
    "write_sectors",
    "write_ms",
    "in_flight",
    "io_ms",
    "weighted_ms",
    "discards",
    "discards_merged",
    "discard_sectors",
    "discard_ms",
    "flushes",
    "flush_ms",
];
const OLD_PARTITION: [&str; 4] = ["reads", "read_sectors", "writes", "write_sectors"];

/// Splits a row into the device and its numbers; `None` when it is no row of this file.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_whitespace();
    let major: u32 = words.next()?.parse().ok()?;
    let minor: u32 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let numbers: Vec<&str> = words.take(FIELDS.len() + 8).collect();
    let digits = numbers.iter().all(|word| word.bytes().all(|b| b.is_ascii_digit()));
    (named && digits && numbers.len() >= OLD_PARTITION.len() && major < 1 << 20 && minor < 1 << 24)
        .then_some((name, numbers))
}

fn sniff(doc: &Doc) -> Looks {
    let mut rows = 0;
    for line in doc.head() {
        if row(line).is_some_and(|(_, numbers)| numbers.len() >= 11) {
            rows += 1;
        } else if stamp(line).is_none() && rows == 0 && line.split_whitespace().count() > 11 {
            return Looks::No;
        }
    }
    if rows > 0 { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut at = None;
    for (line, text) in doc.lines() {
        if let Some(time) = stamp(text) {
            at = Some(time);
            continue;
        }
        let Some((name, numbers)) = row(text) else {
            if !text.trim().is_empty() {
                out.note(line, "no row of diskstats");
            }
            continue;
        };
        let idle = numbers.iter().all(|word| *word == "0");
        if idle && (name.starts_with("ram") || name.starts_with("loop") || name.starts_with("fd")) {
            continue;
        }
        let fields: &[&str] = if numbers.len() < 11 { &OLD_PARTITION } else { &FIELDS };
        if numbers.len() < 11 && numbers.len() != OLD_PARTITION.len() {
            out.note(line, format!("row of {name} is cut"));
            continue;
        }
        for (field, number) in fields.iter().zip(&numbers) {
            match number.parse::<f64>() {
                Ok(value) => out.sample_at(&DISKSTATS, name, field, value, line, at),
                Err(_) => out.note(line, format!("{field} of {name} is no number")),
            }
        }
    }
}
