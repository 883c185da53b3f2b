//! `ss -s` (socket totals) and socket lists of `ss`. In a list, a listening socket's Recv-Q is its accept queue and
//! Send-Q the limit of that queue (ss(8)); a queue is full when it exceeds its limit.

use std::collections::BTreeMap;

use super::table::{count, number};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SOCKSTAT;
use crate::facts::schema::keys::host;
use crate::facts::{Grade, Value};

pub static PARSER: Parser = Parser { kind: "ss", names: &["ss", "ss *"], sniff, parse, binary: false };

/// Listening sockets named in the fact; more are counted.
const MAX_NAMED: usize = 32;

fn list_header(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    matches!(words.next(), Some("Netid" | "State" | "Recv-Q"))
        && line.contains("Recv-Q")
        && line.contains("Local Address")
}

fn summary(line: &str) -> bool {
    line.starts_with("TCP:") && line.contains("(estab ")
}

/// State and socket kinds of a row: `tcp LISTEN ...` or `LISTEN ...`.
const STATES: [&str; 12] = [
    "LISTEN",
    "ESTAB",
    "SYN-SENT",
    "SYN-RECV",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "TIME-WAIT",
    "CLOSE-WAIT",
    "LAST-ACK",
    "CLOSING",
    "UNCONN",
    "CLOSED",
];

struct Row<'a> {
    tcp: bool,
    state: &'a str,
    recv: f64,
    send: f64,
    local: &'a str,
}

fn row(line: &str) -> Option<Row<'_>> {
    let mut words = line.split_ascii_whitespace();
    let mut first = words.next()?;
    let mut tcp = true;
    if !STATES.contains(&first) {
        tcp = first.starts_with("tcp");
        first = words.next()?;
    }
    STATES.contains(&first).then_some(())?;
    Some(Row { tcp, state: first, recv: count(words.next()?)?, send: count(words.next()?)?, local: words.next()? })
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| list_header(line) || summary(line)) {
        return Looks::Yes;
    }
    let rows = doc.head().filter(|line| row(line).is_some()).count();
    if rows >= 1 && rows * 2 >= doc.head().count() { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    if doc.head().any(summary) {
        parse_summary(doc, out);
        return;
    }
    let mut states: BTreeMap<&str, (f64, u32)> = BTreeMap::new();
    let mut fullest: Option<(f64, u32)> = None;
    let mut full: Vec<(String, u32)> = Vec::new();
    let mut listening = false;
    // With -t alone rows have no Netid; then they are TCP. Other families could be meant too, and say so by Netid.
    for (number, line) in doc.lines() {
        let Some(row) = row(line) else { continue };
        if !row.tcp {
            continue;
        }
        states.entry(row.state).or_insert((0.0, number)).0 += 1.0;
        if row.state != "LISTEN" {
            continue;
        }
        listening = true;
        if row.send > 0.0 {
            let fill = row.recv / row.send;
            if fullest.is_none_or(|(most, _)| fill > most) {
                fullest = Some((fill, number));
            }
            // The kernel accepts one more than the limit (sk_acceptq_is_full compares with >).
            if row.recv > row.send {
                full.push((format!("{} {}/{}", row.local, row.recv, row.send), number));
            }
        }
    }
    for (state, (value, line)) in states {
        out.sample(&SOCKSTAT, "", &format!("TCP.state.{state}"), value, line);
    }
    if listening {
        let line = full.first().map(|(_, line)| *line).or(fullest.map(|(_, line)| line)).unwrap_or(doc.first_line);
        let number = u32::try_from(full.len()).unwrap_or(u32::MAX);
        out.graded(&host::LISTEN_FULL, "", Value::Num(f64::from(number)), Grade::Once, line);
        out.list(&host::LISTEN_FULL_SOCKETS, "", full.into_iter().take(MAX_NAMED).map(|(text, _)| text), line);
    }
    if let Some((fill, line)) = fullest {
        out.graded(&host::LISTEN_FILL, "", Value::Num(fill), Grade::Once, line);
    }
}

/// `TCP:   11 (estab 2, closed 2, orphaned 0, timewait 2)` and the table of transports.
fn parse_summary(doc: &Doc, out: &mut Out) {
    let mut table: Option<usize> = None;
    let mut flows = None;
    for (line_number, line) in doc.lines() {
        if summary(line) {
            let inside = line.split_once('(').map(|(_, rest)| rest).unwrap_or_default();
            for part in inside.trim_end().trim_end_matches(')').split(',') {
                let mut words = part.split_ascii_whitespace();
                let (Some(key), Some(value)) = (words.next(), words.next()) else { continue };
                // Older: `timewait 2/0`.
                if let Some(value) = value.split('/').next().and_then(number) {
                    out.sample(&SOCKSTAT, "", &format!("ss.{key}"), value, line_number);
                }
            }
            continue;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if words.first() == Some(&"Transport") {
            table = words.iter().position(|word| *word == "Total");
            continue;
        }
        let (Some(column), Some(name)) = (table, words.first()) else { continue };
        let Some(value) = words.get(column).and_then(|word| count(word)) else { continue };
        out.sample(&SOCKSTAT, "", &format!("ss.{name}"), value, line_number);
        if matches!(*name, "TCP" | "UDP") {
            let sum: &mut (f64, u32) = flows.get_or_insert((0.0, line_number));
            sum.0 += value;
        }
    }
    if let Some((value, line)) = flows {
        out.graded(&host::FLOWS, "", Value::Num(value), Grade::Once, line);
    }
}
