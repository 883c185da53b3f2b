//! `netstat -i` (interface counters) and the socket lists of `netstat` (states, listening sockets).

use std::collections::BTreeMap;

use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::{NETDEV, SOCKSTAT};

pub static PARSER: Parser = Parser { kind: "netstat", names: &["netstat", "netstat *"], sniff, parse, binary: false };

const COLUMNS: [(&str, &str); 8] = [
    ("RX-OK", "rx_packets"),
    ("RX-ERR", "rx_errs"),
    ("RX-DRP", "rx_drop"),
    ("RX-OVR", "rx_fifo"),
    ("TX-OK", "tx_packets"),
    ("TX-ERR", "tx_errs"),
    ("TX-DRP", "tx_drop"),
    ("TX-OVR", "tx_fifo"),
];

fn interface_header(line: &str) -> bool {
    line.starts_with("Iface") && line.contains("RX-OK")
}

fn socket_header(line: &str) -> bool {
    line.starts_with("Proto") && line.contains("Recv-Q") && line.contains("Foreign Address")
}

fn sniff(doc: &Doc) -> Looks {
    let own = |line: &str| {
        interface_header(line)
            || socket_header(line)
            || line.starts_with("Active Internet connections")
            || line.starts_with("Kernel Interface table")
            || line.starts_with("IPv6/IPv4 Group Memberships")
    };
    if doc.head().any(own) { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut columns: Vec<&str> = Vec::new();
    let mut states: BTreeMap<String, (f64, u32)> = BTreeMap::new();
    let mut sockets = false;
    for (number, line) in doc.lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if interface_header(line) {
            columns = words;
            sockets = false;
        } else if socket_header(line) {
            columns.clear();
            sockets = true;
        } else if line.starts_with("Active ") || words.is_empty() {
            sockets &= !line.starts_with("Active ");
            columns.clear();
        } else if sockets {
            let tcp = words.first().is_some_and(|word| word.starts_with("tcp"));
            if let Some(state) = words
                .get(5)
                .filter(|word| tcp && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_'))
            {
                let slot = states.entry((*state).to_owned()).or_insert((0.0, number));
                slot.0 += 1.0;
            }
        } else if let Some(name) = words.first().filter(|_| !columns.is_empty()) {
            if words.len() != columns.len() {
                out.note(number, format!("{} cells under {} columns", words.len(), columns.len()));
                continue;
            }
            for (column, word) in columns.iter().zip(&words) {
                let metric = COLUMNS.iter().find(|(have, _)| have == column).map(|(_, metric)| *metric);
                if let (Some(metric), Some(value)) = (metric, count(word)) {
                    out.sample(&NETDEV, name, metric, value, number);
                }
            }
        }
    }
    for (state, (value, line)) in states {
        out.sample(&SOCKSTAT, "", &format!("TCP.state.{state}"), value, line);
    }
}
