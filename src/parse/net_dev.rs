//! `/proc/net/dev`: packets, bytes, errors and drops per interface. Columns go by the header's names.

use super::stamp::stamp;
use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::NETDEV;

pub static PARSER: Parser =
    Parser { kind: "proc-net-dev", names: &["*proc net dev", "net dev"], sniff, parse, binary: false };

/// Columns of kernels since 2.2, for pieces without a header.
const COLUMNS: [&str; 16] = [
    "rx_bytes",
    "rx_packets",
    "rx_errs",
    "rx_drop",
    "rx_fifo",
    "rx_frame",
    "rx_compressed",
    "rx_multicast",
    "tx_bytes",
    "tx_packets",
    "tx_errs",
    "tx_drop",
    "tx_fifo",
    "tx_colls",
    "tx_carrier",
    "tx_compressed",
];

/// ` face |bytes packets ...|bytes packets ...`.
fn header(line: &str) -> Option<Vec<String>> {
    let mut parts = line.split('|');
    if parts.next()?.trim() != "face" {
        return None;
    }
    let mut names = Vec::new();
    for (side, columns) in ["rx", "tx"].into_iter().zip(parts) {
        names.extend(columns.split_ascii_whitespace().take(16).map(|name| format!("{side}_{name}")));
    }
    names.contains(&"rx_bytes".to_owned()).then_some(names)
}

/// Name and numbers. The name may hold colons (`eth0:1`) and the first number may touch the last one.
fn row(line: &str) -> Option<(&str, Vec<f64>)> {
    let (name, rest) = line.rsplit_once(':')?;
    let name = name.trim();
    let values: Option<Vec<f64>> = rest.split_ascii_whitespace().map(count).collect();
    let plain = !name.is_empty() && name.len() <= 32 && !name.contains(char::is_whitespace);
    values.filter(|values| plain && (11..=20).contains(&values.len())).map(|values| (name, values))
}

fn sniff(doc: &Doc) -> Looks {
    let heading = doc.head().any(|line| header(line).is_some());
    let rows = doc.head().filter(|line| row(line).is_some_and(|(_, values)| values.len() == COLUMNS.len())).count();
    if heading || rows > 0 { Looks::Yes } else { Looks::No }
}

/// True for files of one process (`/proc/4711/net/dev`): its network namespace need not be the host's.
pub fn of_other_namespace(doc: &Doc, out: &mut Out) -> bool {
    let text = if doc.command.is_empty() { &doc.place.rel } else { doc.command };
    let parts: Vec<&str> = text.split(['/', ' ']).collect();
    let other = parts.windows(2).any(|pair| match pair {
        [number, "net"] => number.parse::<u32>().is_ok_and(|pid| pid > 1),
        _ => false,
    });
    if other {
        out.note(doc.first_line, "of one process's network namespace; not taken for the host's");
    }
    other
}

fn parse(doc: &Doc, out: &mut Out) {
    if of_other_namespace(doc, out) {
        return;
    }
    let mut columns: Vec<String> = Vec::new();
    let mut at = None;
    for (number, line) in doc.lines() {
        if let Some(names) = header(line) {
            columns = names;
            continue;
        }
        let Some((name, values)) = row(line) else {
            at = stamp(line).or(at);
            continue;
        };
        if columns.is_empty() {
            if values.len() != COLUMNS.len() {
                out.note(number, format!("{} columns without a header", values.len()));
                continue;
            }
            columns = COLUMNS.iter().map(|name| (*name).to_owned()).collect();
            out.note(number, "no header; the usual 16 columns are assumed");
        }
        if values.len() != columns.len() {
            out.note(number, format!("{} values under {} columns", values.len(), columns.len()));
        }
        for (metric, value) in columns.iter().zip(values) {
            out.sample_at(&NETDEV, name, metric, value, number, at);
        }
    }
}
