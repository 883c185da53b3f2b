//! `ethtool -S`: the driver's own counters under the driver's own names. What they mean differs from driver to
//! driver and is the business of derivations.
//!
//! vmxnet3 prints headings (`Rx Queue#: 0`) and repeats the same names under each; they are kept apart as
//! `rx_queue_0_NAME`, and names indented further as `PARENT: NAME`.

use std::collections::BTreeSet;

use super::{interface, interface_or_note};
use crate::facts::schema::keys::family::NIC_STATS;
use crate::parse::stamp::stamp;
use crate::parse::{Doc, Looks, Out, Parser};

pub static PARSER: Parser = Parser {
    kind: "ethtool-S",
    names: &["ethtool -S *", "ethtool --statistics *", "*ethtool -S *"],
    sniff,
    parse,
    binary: false,
};

/// Name and value of a counter. Names may hold `: `, so the last colon separates.
fn counter(line: &str) -> Option<(&str, f64)> {
    let (name, value) = line.rsplit_once(':')?;
    let value = value.trim();
    let digits = value.strip_prefix('-').unwrap_or(value);
    if name.trim().is_empty() || digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((name.trim(), value.parse().ok()?))
}

fn heading(line: &str) -> bool {
    line.trim_start().starts_with("NIC statistics")
}

/// A name that only a network driver gives: a direction and a unit of traffic or trouble.
fn of_a_nic(name: &str) -> bool {
    let low = name.to_ascii_lowercase();
    let direction = low.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        word == "rx" || word == "tx" || word == "rxq" || word == "txq"
    });
    direction
        && [
            "packets", "bytes", "pkts", "errors", "err", "drop", "cnt", "missed", "discard", "octets", "desc",
            "timeout",
        ]
        .iter()
        .any(|unit| low.contains(unit))
}

fn sniff(doc: &Doc) -> Looks {
    let (mut named, mut counters, mut other) = (0, 0, 0);
    for line in doc.head() {
        if heading(line) {
            return Looks::Yes;
        }
        match counter(line) {
            Some((name, _)) => {
                counters += 1;
                named += usize::from(of_a_nic(name) && name.len() <= 64);
            }
            None => other += usize::from(stamp(line).is_none()),
        }
    }
    if named * 4 >= counters && named >= 1 && other == 0 {
        Looks::Yes
    } else if counters >= 1 && named >= 1 && counters > other {
        Looks::Maybe
    } else {
        Looks::No
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut name = interface(doc);
    let mut at = None;
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut queue: Option<(usize, String)> = None;
    let mut parent: Option<(usize, &str)> = None;
    for (number, line) in doc.lines() {
        let Some((key, value)) = counter(line) else {
            if let Some(seconds) = stamp(line) {
                at = Some(seconds);
                seen.clear();
            }
            if heading(line) {
                queue = None;
                parent = None;
            }
            continue;
        };
        let indent = line.len() - line.trim_start().len();
        if let Some(side) = key.strip_suffix(" Queue#") {
            queue = Some((indent, format!("{}_queue_{value}_", side.to_ascii_lowercase())));
            parent = None;
            continue;
        }
        if queue.as_ref().is_some_and(|(outer, _)| indent <= *outer && indent > 0) {
            queue = None;
        }
        let mut full = queue.as_ref().map(|(_, prefix)| prefix.clone()).unwrap_or_default();
        match parent {
            Some((outer, above)) if queue.is_some() && indent > outer => {
                full.push_str(above);
                full.push_str(": ");
            }
            _ => parent = Some((indent, key)),
        }
        full.push_str(key);
        if !seen.insert(full.clone()) {
            out.note(number, format!("'{full}' a second time; the first one counts"));
            continue;
        }
        let name = name.get_or_insert_with(|| interface_or_note(doc, out));
        out.sample_at(&NIC_STATS, name, &full, value, number, at);
    }
}
