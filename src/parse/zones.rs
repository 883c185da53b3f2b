//! Memory zones: `/proc/zoneinfo`, `/proc/buddyinfo` and `/proc/pagetypeinfo`. Old kernels count under each zone,
//! 4.8 and later per node; zones without pages have `managed 0`.

use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::{BUDDY, NODE_STAT, ZONE};

pub static ZONEINFO: Parser =
    Parser { kind: "proc-zoneinfo", names: &["*zoneinfo*"], sniff: zone_sniff, parse: zone_parse, binary: false };
pub static BUDDYINFO: Parser =
    Parser { kind: "proc-buddyinfo", names: &["*buddyinfo*"], sniff: buddy_sniff, parse: buddy_parse, binary: false };
pub static PAGETYPEINFO: Parser = Parser {
    kind: "proc-pagetypeinfo",
    names: &["*pagetypeinfo*"],
    sniff: type_sniff,
    parse: type_parse,
    binary: false,
};

/// `Node 0, zone   Normal rest` as node, zone, rest.
fn zone_line(line: &str) -> Option<(u32, &str, &str)> {
    let rest = line.trim_start().strip_prefix("Node")?;
    let (node, rest) = rest.split_once(',')?;
    let rest = rest.trim_start().strip_prefix("zone")?.trim_start();
    let end = rest.find([' ', ',', '\t']).unwrap_or(rest.len());
    let (zone, rest) = rest.split_at(end);
    let fits = !zone.is_empty() && zone.len() < 20 && zone.chars().all(char::is_alphanumeric);
    fits.then_some((node.trim().parse().ok()?, zone, rest.trim()))
}

fn number(word: &str) -> Option<f64> {
    word.parse::<i64>().ok().and_then(|_| word.parse().ok())
}

fn zone_sniff(doc: &Doc) -> Looks {
    let heads = doc.head().any(|line| zone_line(line).is_some_and(|(_, _, rest)| rest.is_empty()));
    let rows = doc.head().any(|line| {
        let line = line.trim_start();
        line.starts_with("pages free")
            || line.starts_with("per-node stats")
            || line.starts_with("nr_")
            || line.starts_with("managed ")
    });
    if heads && rows { Looks::Yes } else { Looks::No }
}

fn zone_parse(doc: &Doc, out: &mut Out) {
    let mut place: Option<(String, String)> = None;
    let (mut per_node, mut per_cpu) = (false, false);
    for (line, text) in doc.lines() {
        if let Some((node, zone, _)) = zone_line(text) {
            place = Some((node.to_string(), zone.to_owned()));
            (per_node, per_cpu) = (false, false);
            continue;
        }
        let Some((node, zone)) = &place else { continue };
        let trimmed = text.trim();
        match trimmed {
            "per-node stats" => per_node = true,
            "pagesets" => per_cpu = true,
            _ => {}
        }
        let row = trimmed.strip_prefix("pages ").inspect(|_| per_node = false).unwrap_or(trimmed);
        if row.ends_with(':')
            || per_cpu
                && !row.starts_with("all_unreclaimable")
                && !row.starts_with("start_pfn")
                && !row.starts_with("node_")
        {
            continue;
        }
        let mut words = row.split_whitespace();
        let (Some(key), Some(value), None) = (words.next(), words.next(), words.next()) else { continue };
        let key = key.trim_end_matches(':');
        let Some(value) = number(value) else { continue };
        if per_node {
            out.sample(&NODE_STAT, node, key, value, line);
        } else {
            out.sample(&ZONE, node, &format!("{zone}.{key}"), value, line);
        }
    }
}

fn buddy_sniff(doc: &Doc) -> Looks {
    let row = |line: &str| {
        zone_line(line).is_some_and(|(_, _, rest)| {
            let orders = rest.split_whitespace().count();
            orders >= 8 && rest.split_whitespace().all(|word| word.parse::<u64>().is_ok())
        })
    };
    if doc.head().any(row) { Looks::Yes } else { Looks::No }
}

fn buddy_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        let Some((node, zone, rest)) = zone_line(text) else { continue };
        for (order, word) in rest.split_whitespace().enumerate().take(32) {
            match number(word) {
                Some(value) => out.sample(&BUDDY, &node.to_string(), &format!("{zone}.{order}"), value, line),
                None => out.note(line, format!("{word} is no count of free blocks")),
            }
        }
    }
}

fn type_sniff(doc: &Doc) -> Looks {
    let table = doc
        .head()
        .any(|line| line.starts_with("Free pages count per migrate type") || line.starts_with("Number of blocks type"));
    let row = doc.head().any(|line| zone_line(line).is_some_and(|(_, _, rest)| rest.starts_with(", type")));
    if table || row { Looks::Yes } else { Looks::No }
}

/// Free blocks by order and migrate type; the second table counts page blocks by type and has no orders.
fn type_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        let Some((node, zone, rest)) = zone_line(text) else { continue };
        let Some(rest) = rest.strip_prefix(", type") else { continue };
        let mut words = rest.split_whitespace();
        let Some(migrate) = words.next() else { continue };
        for (order, word) in words.enumerate().take(32) {
            // A count above 100000 is printed as ">100000": at least that many.
            if let Some(value) = number(word.trim_start_matches('>')) {
                out.sample(&BUDDY, &node.to_string(), &format!("{zone}.{migrate}.{order}"), value, line);
            }
        }
    }
}
