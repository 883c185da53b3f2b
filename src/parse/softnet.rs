//! `/proc/net/softnet_stat`: packets, drops and squeezes per CPU, in hexadecimal u32 (net/core/net-procfs.c).
//!
//! Offline CPUs have no row. The 13th column is the CPU id; without it a row's number stands for the CPU, which holds
//! only while all CPUs are online.

use super::stamp::stamp;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SOFTNET;

pub static PARSER: Parser = Parser {
    kind: "proc-net-softnet_stat",
    names: &["*proc net softnet_stat", "softnet_stat", "*softnet_stat"],
    sniff,
    parse,
    binary: false,
};

/// Columns that mean something: position and name. The 4th to 8th are always 0, the 9th was cpu_collision.
const COLUMNS: [(usize, &str); 7] = [
    (0, "processed"),
    (1, "dropped"),
    (2, "time_squeeze"),
    (8, "cpu_collision"),
    (9, "received_rps"),
    (10, "flow_limit"),
    (11, "backlog_len"),
];
const CPU_COLUMN: usize = 12;

fn row(line: &str) -> Option<Vec<u32>> {
    let cells: Option<Vec<u32>> = line
        .split_ascii_whitespace()
        .map(|cell| if cell.len() == 8 { u32::from_str_radix(cell, 16).ok() } else { None })
        .collect();
    cells.filter(|cells| (9..=32).contains(&cells.len()))
}

fn sniff(doc: &Doc) -> Looks {
    let mut rows = 0;
    for line in doc.head() {
        match row(line) {
            Some(_) => rows += 1,
            // The tables of /proc/net/stat look alike and have a header; this one has none.
            None if line.starts_with("entries ") => return Looks::No,
            None if rows > 0 && !line.contains("...") && stamp(line).is_none() => return Looks::No,
            None => {}
        }
    }
    if rows > 0 { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut at = None;
    let mut index = 0u32;
    let mut said = false;
    for (number, line) in doc.lines() {
        let Some(cells) = row(line) else {
            if let Some(seconds) = stamp(line) {
                at = Some(seconds);
                index = 0;
            } else if !line.trim().is_empty() {
                out.note(number, "no row of hexadecimal numbers");
            }
            continue;
        };
        let id = cells.get(CPU_COLUMN).copied();
        if id.is_none() && !said {
            said = true;
            out.note(number, "no CPU column; rows taken as CPU 0, 1, 2 ..., which is wrong while any CPU is offline");
        }
        let name = id.unwrap_or(index).to_string();
        index = index.saturating_add(1);
        for (column, metric) in COLUMNS {
            if let Some(value) = cells.get(column) {
                out.sample_at(&SOFTNET, &name, metric, f64::from(*value), number, at);
            }
        }
    }
}
