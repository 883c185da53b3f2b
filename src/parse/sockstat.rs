//! Sockets in use: `/proc/net/sockstat[6]`, the states of `/proc/net/tcp[6]` and the drops of `/proc/net/udp[6]`.

use super::net_dev::of_other_namespace;
use super::table::{count, number};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SOCKSTAT;

pub static PARSER: Parser = Parser {
    kind: "proc-net-sockstat",
    names: &["*proc net sockstat", "*proc net sockstat6"],
    sniff,
    parse,
    binary: false,
};

pub static UDP: Parser = Parser {
    kind: "proc-net-udp",
    names: &["*proc net udp", "*proc net udp6", "*proc net udplite"],
    sniff: |doc| if doc.head().any(is_udp_header) { Looks::Yes } else { Looks::No },
    parse: parse_udp,
    binary: false,
};

pub static TCP: Parser = Parser {
    kind: "proc-net-tcp",
    names: &["*proc net tcp", "*proc net tcp6"],
    sniff: |doc| if doc.head().any(is_tcp_header) { Looks::Yes } else { Looks::No },
    parse: parse_tcp,
    binary: false,
};

const PROTOCOLS: [&str; 10] = ["TCP", "UDP", "UDPLITE", "RAW", "FRAG", "TCP6", "UDP6", "UDPLITE6", "RAW6", "FRAG6"];

fn row(line: &str) -> Option<(&str, Vec<(&str, f64)>)> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim();
    if !PROTOCOLS.contains(&name) && name != "sockets" {
        return None;
    }
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let first = *words.first()?;
    if !matches!(first, "inuse" | "used") {
        return None;
    }
    let pairs = words.chunks_exact(2).filter_map(|pair| match pair {
        [key, value] => Some((*key, number(value)?)),
        _ => None,
    });
    Some((name, pairs.collect()))
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| row(line).is_some()) { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    if of_other_namespace(doc, out) {
        return;
    }
    for (number, line) in doc.lines() {
        let Some((name, pairs)) = row(line) else { continue };
        for (key, value) in pairs {
            out.sample(&SOCKSTAT, "", &format!("{name}.{key}"), value, number);
        }
    }
}

fn is_udp_header(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("sl ") && line.contains("local_address") && line.contains("drops")
}

/// `drops` is the last column; queues are `tx:rx` in hexadecimal.
fn parse_udp(doc: &Doc, out: &mut Out) {
    if of_other_namespace(doc, out) {
        return;
    }
    let mut header = false;
    let (mut drops, mut sockets, mut first) = (0.0, 0u32, 0);
    for (number, line) in doc.lines() {
        if is_udp_header(line) {
            header = true;
            first = number;
            continue;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if !header || words.len() < 10 {
            continue;
        }
        let Some(value) = words.last().and_then(|word| count(word)) else {
            out.note(number, "the row does not end in a number of drops");
            continue;
        };
        sockets = sockets.saturating_add(1);
        drops += value;
        if value > 0.0 {
            first = number;
        }
    }
    // raw, raw6, udplite, icmp ... have the same columns.
    let place = if doc.command.is_empty() { &doc.place.rel } else { doc.command };
    let file = place.rsplit(['/', ' ']).next().unwrap_or_default().to_ascii_uppercase();
    let name = ["UDP6", "UDPLITE6", "UDPLITE", "RAW6", "RAW", "ICMP6", "ICMP"].into_iter().find(|name| file == *name);
    let name = name.unwrap_or("UDP");
    if header {
        out.sample(&SOCKSTAT, "", &format!("{name}.sockets"), f64::from(sockets), first);
        out.sample(&SOCKSTAT, "", &format!("{name}.drops"), drops, first);
    }
}

fn is_tcp_header(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("sl ") && line.contains("_address") && line.contains("inode") && !line.contains("drops")
}

/// Names of states as ss prints them, by number from 1 (include/net/tcp_states.h).
const STATES: [&str; 12] = [
    "ESTAB",
    "SYN-SENT",
    "SYN-RECV",
    "FIN-WAIT-1",
    "FIN-WAIT-2",
    "TIME-WAIT",
    "CLOSED",
    "CLOSE-WAIT",
    "LAST-ACK",
    "LISTEN",
    "CLOSING",
    "NEW-SYN-RECV",
];

fn parse_tcp(doc: &Doc, out: &mut Out) {
    if of_other_namespace(doc, out) {
        return;
    }
    let mut counts: [(f64, u32); 12] = [(0.0, 0); 12];
    let mut header = false;
    for (number, line) in doc.lines() {
        if is_tcp_header(line) {
            header = true;
            continue;
        }
        let state = line.split_ascii_whitespace().nth(3).and_then(|word| usize::from_str_radix(word, 16).ok());
        if let Some(slot) = state.and_then(|state| counts.get_mut(state.checked_sub(1)?)).filter(|_| header) {
            *slot = (slot.0 + 1.0, if slot.1 == 0 { number } else { slot.1 });
        }
    }
    let name = if doc.path.contains("tcp6") { "TCP6" } else { "TCP" };
    for (state, (value, line)) in STATES.iter().zip(counts).filter(|(_, (value, _))| *value > 0.0) {
        out.sample(&SOCKSTAT, "", &format!("{name}.state.{state}"), value, line);
    }
}
