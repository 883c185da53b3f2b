//! `/proc/meminfo`: sizes in kB (HugePages_* rows are counts). Which rows exist depends on the kernel;
//! `MemAvailable` is absent before 3.14 and is not estimated here.

use super::stamp::stamp;
use super::stamped::stamped;
use super::table::pair;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::MEMINFO;

pub static PARSER: Parser = Parser { kind: "proc-meminfo", names: &["*meminfo*"], sniff, parse, binary: false };

/// Rows that no other file of /proc has.
const OWN: &[&str] = &[
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "SwapCached",
    "SwapTotal",
    "SwapFree",
    "Active(anon)",
    "Inactive(file)",
    "Dirty",
    "Writeback",
    "AnonPages",
    "Slab",
    "SReclaimable",
    "SUnreclaim",
    "CommitLimit",
    "Committed_AS",
];

fn sniff(doc: &Doc) -> Looks {
    let known = |line: &str| {
        let (_, line) = stamped(line);
        pair(line).is_some_and(|(key, value)| OWN.contains(&key) && value.ends_with("kB"))
    };
    match doc.head().filter(|line| known(line)).take(2).count() {
        0 => Looks::No,
        1 => Looks::Maybe,
        _ => Looks::Yes,
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut at = None;
    for (line, text) in doc.lines() {
        let (own, rest) = stamped(text);
        let Some((key, size, value)) = row(rest) else {
            at = stamp(text).or(at);
            continue;
        };
        let Some(value) = value else {
            out.note(line, format!("{key} is no number"));
            continue;
        };
        out.sample_at(&MEMINFO, "", key, if size { value * 1024.0 } else { value }, line, own.or(at));
    }
}

/// `Key:  123 kB` as key, whether it is a size, and the number.
pub(super) fn row(line: &str) -> Option<(&str, bool, Option<f64>)> {
    let (key, value) = pair(line)?;
    if key.is_empty() || key.len() > 40 || key.contains(' ') {
        return None;
    }
    let mut words = value.split_whitespace();
    let number = words.next().and_then(|word| word.parse::<u64>().ok().and_then(|_| word.parse::<f64>().ok()));
    let size = match words.next() {
        None => false,
        Some("kB" | "KB" | "KiB") => true,
        Some(_) => return None,
    };
    Some((key, size, number))
}
