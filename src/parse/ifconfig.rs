//! `ifconfig`: interface counters in both of its layouts (`RX packets:12 errors:0` and `RX packets 12  bytes 34`).

use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::NETDEV;
use crate::facts::schema::keys::nic;

pub static PARSER: Parser =
    Parser { kind: "ifconfig", names: &["ifconfig", "ifconfig *"], sniff, parse, binary: false };

fn metric(side: &str, name: &str) -> Option<String> {
    let name = match name {
        "packets" | "bytes" | "frame" | "carrier" => name,
        "errors" => "errs",
        "dropped" => "drop",
        "overruns" => "fifo",
        "collisions" => "colls",
        _ => return None,
    };
    Some(format!("{side}_{name}"))
}

/// `eth0      Link encap:Ethernet ...` and `eth0: flags=4163<UP,...>  mtu 1500`.
fn interface(line: &str) -> Option<&str> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let name = line.split_ascii_whitespace().next()?;
    if line.contains("Link encap:") {
        return Some(name);
    }
    line.contains(": flags=").then(|| name.trim_end_matches(':'))
}

fn sniff(doc: &Doc) -> Looks {
    let counters = |line: &str| {
        let line = line.trim_start();
        line.starts_with("RX packets:") || (line.starts_with("RX packets ") && line.contains("bytes "))
    };
    if doc.head().any(|line| interface(line).is_some()) {
        Looks::Yes
    } else if doc.head().any(counters) {
        Looks::Maybe
    } else {
        Looks::No
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut name = "";
    for (number, line) in doc.lines() {
        if let Some(found) = interface(line) {
            name = found;
        }
        if name.is_empty() {
            continue;
        }
        let text = line.trim();
        if let Some(mtu) = text.split_once("MTU:").or_else(|| text.split_once(" mtu ")).map(|(_, rest)| rest)
            && let Some(value) = mtu.split_ascii_whitespace().next().and_then(count)
        {
            out.num(&nic::MTU, name, value, number);
        }
        // `RX bytes:12 (1 B)  TX bytes:34 (3 B)` holds both sides; `collisions:0` none, and is of the sending side.
        let mut side = if text.starts_with("collisions") { "tx" } else { "" };
        let mut key = "";
        for word in text.split([' ', ':', '\t']).filter(|word| !word.is_empty()) {
            match word {
                "RX" => side = "rx",
                "TX" => side = "tx",
                _ if side.is_empty() => break,
                _ => {
                    if let (Some(metric), Some(value)) = (metric(side, key), count(word)) {
                        out.sample(&NETDEV, name, &metric, value, number);
                    }
                    key = word;
                }
            }
        }
    }
}
