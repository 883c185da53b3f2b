//! `/proc/net/stat/{nf_conntrack,arp_cache,ndisc_cache}`: a header and one hexadecimal row per CPU. Counters are summed;
//! `entries` is the same in every row.

use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SNMP;
use crate::facts::schema::keys::host;
use crate::facts::{Grade, Value};

pub static PARSER: Parser = Parser {
    kind: "proc-net-stat",
    names: &["*proc net stat *"],
    sniff: |doc| if doc.head().take(4).any(|line| table(line).is_some()) { Looks::Yes } else { Looks::No },
    parse,
    binary: false,
};

/// Which table a header begins, and its columns.
fn table(line: &str) -> Option<(&'static str, Vec<&str>)> {
    let columns: Vec<&str> = line.split_ascii_whitespace().collect();
    if columns.first() != Some(&"entries") {
        return None;
    }
    let has = |name: &str| columns.contains(&name);
    let name = if has("insert_failed") {
        "Conntrack"
    } else if has("res_failed") {
        "Neigh"
    } else if has("in_hit") {
        "Route"
    } else {
        return None;
    };
    Some((name, columns))
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut current: Option<(String, Vec<&str>)> = None;
    let mut sums: Vec<(f64, u32)> = Vec::new();
    for (number, line) in doc.lines() {
        if let Some((name, columns)) = table(line) {
            // The ARP and the IPv6 neighbour table have the same columns.
            let name = match doc.path.contains("ndisc") {
                true if name == "Neigh" => "Neigh6".to_owned(),
                _ => name.to_owned(),
            };
            sums = vec![(0.0, number); columns.len()];
            current = Some((name, columns));
            continue;
        }
        let Some((_, columns)) = &current else { continue };
        let cells: Option<Vec<u32>> =
            line.split_ascii_whitespace().map(|cell| u32::from_str_radix(cell, 16).ok()).collect();
        match cells {
            Some(cells) if cells.len() == columns.len() => {
                for (at, (sum, cell)) in sums.iter_mut().zip(cells).enumerate() {
                    let value = f64::from(cell);
                    *sum = (if at == 0 { value } else { sum.0 + value }, number);
                }
            }
            Some(cells) if cells.is_empty() => {}
            _ => out.note(number, "the row does not fit the header"),
        }
    }
    let Some((name, columns)) = current else { return };
    for (column, (value, line)) in columns.iter().zip(&sums) {
        out.sample(&SNMP, "", &format!("{name}.{column}"), *value, *line);
    }
    if let Some((value, line)) = sums.first().filter(|_| name == "Conntrack") {
        out.graded(&host::CONNTRACK_COUNT, "", Value::Num(*value), Grade::Once, *line);
    }
}
