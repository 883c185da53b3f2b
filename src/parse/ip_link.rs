//! `ip -s link` and `ip -j -s link`: link state and interface counters. Columns go by the heading, which changed:
//! `overrun` until iproute2 5.16, `missed` since.

use super::json::{self, Node};
use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::NETDEV;
use crate::facts::schema::keys::nic;

pub static PARSER: Parser =
    Parser { kind: "ip-s-link", names: &["ip *link*", "ip *addr*"], sniff, parse, binary: false };

/// A column (or JSON key) and its name in the samples, which are those of /proc/net/dev where they mean the same.
fn metric(side: &str, column: &str) -> Option<String> {
    let name = match column {
        "bytes" | "packets" | "compressed" => column,
        "errors" => "errs",
        "dropped" => "drop",
        "overrun" | "over_errors" => "over",
        "missed" | "missed_errors" => "missed",
        "mcast" | "multicast" => "multicast",
        "collsns" | "collisions" => "colls",
        "carrier" | "carrier_errors" => "carrier",
        "length" | "length_errors" => "length",
        "crc" | "crc_errors" => "crc",
        "frame" | "frame_errors" => "frame",
        "fifo" | "fifo_errors" => "fifo",
        "aborted" | "aborted_errors" => "aborted",
        "window" | "window_errors" => "window",
        "heartbt" | "heartbeat" | "heartbeat_errors" => "heartbeat",
        _ => return None,
    };
    Some(format!("{side}_{name}"))
}

/// `2: eth0@if3: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc mq ...`: name, flags, the rest.
fn link(line: &str) -> Option<(&str, &str, &str)> {
    let (index, rest) = line.split_once(": ")?;
    count(index)?;
    let (name, rest) = rest.split_once(": <")?;
    let (flags, rest) = rest.split_once('>')?;
    let name = name.split('@').next().unwrap_or(name);
    (!name.is_empty() && !name.contains(' ')).then_some((name, flags, rest))
}

/// Side and columns of `RX: bytes packets ...` and `RX errors: length crc ...`.
fn heading(line: &str) -> Option<(&'static str, Vec<&str>)> {
    let line = line.trim();
    let (label, rest) = line.split_once(':')?;
    let side = match label {
        "RX" | "RX errors" => "rx",
        "TX" | "TX errors" => "tx",
        _ => return None,
    };
    Some((side, rest.split_ascii_whitespace().collect()))
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| link(line).is_some()) {
        return Looks::Yes;
    }
    if doc.text.contains("\"ifname\"") {
        return Looks::Yes;
    }
    let columns = |line: &str| {
        heading(line).is_some_and(|(_, columns)| columns.starts_with(&["bytes", "packets", "errors", "dropped"]))
    };
    if doc.head().any(columns) { Looks::Maybe } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    if !doc.head().any(|line| link(line).is_some()) {
        if let Some(json) = json::parse(doc.text, doc.first_line) {
            for item in json.root.items() {
                parse_item(item, out);
            }
            if json.cut {
                out.note(0, "the document is cut off");
            }
        }
        return;
    }
    let mut name = "";
    let mut above: Option<(&str, Vec<&str>)> = None;
    for (number, line) in doc.lines() {
        if let Some((found, flags, rest)) = link(line) {
            name = found;
            above = None;
            state(name, flags, rest, number, out);
            continue;
        }
        if name.is_empty() {
            continue;
        }
        if let Some(columns) = heading(line) {
            above = Some(columns);
            continue;
        }
        if let Some((side, columns)) = above.take() {
            let words: Vec<&str> = line.split_ascii_whitespace().collect();
            if words.len() > columns.len() {
                out.note(number, format!("{} values under {} columns", words.len(), columns.len()));
            }
            for (column, word) in columns.iter().zip(words) {
                match (metric(side, column), count(word)) {
                    (Some(metric), Some(value)) => out.sample(&NETDEV, name, &metric, value, number),
                    (Some(_), None) => out.note(number, format!("'{word}' is no number")),
                    _ => {}
                }
            }
            continue;
        }
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        for pair in words.windows(2) {
            match pair {
                ["link/ether", mac] => out.text(&nic::MAC, name, mac, number),
                ["parentdev", device] => out.text(&nic::BUS, name, device, number),
                _ => {}
            }
        }
    }
}

fn state(name: &str, flags: &str, rest: &str, number: u32, out: &mut Out) {
    let flags: Vec<&str> = flags.split(',').collect();
    let up = flags.contains(&"LOWER_UP");
    out.flag(&nic::STATE, name, up, number);
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    for pair in words.windows(2) {
        match pair {
            ["mtu", value] => {
                if let Some(value) = count(value) {
                    out.num(&nic::MTU, name, value, number);
                }
            }
            ["qdisc", value] => out.text(&nic::QDISC, name, value, number),
            ["master", value] => out.text(&nic::MASTER, name, value, number),
            _ => {}
        }
    }
}

fn parse_item(item: &Node, out: &mut Out) {
    let Some(name) = item.get("ifname").and_then(Node::text) else { return };
    let text = |key: &str| item.get(key).and_then(|node| Some((node.text()?, node.line)));
    if let Some(flags) = item.get("flags") {
        let up = flags.items().iter().any(|flag| flag.text() == Some("LOWER_UP"));
        out.flag(&nic::STATE, name, up, flags.line);
    }
    if let Some(mtu) = item.get("mtu")
        && let Some(value) = mtu.num()
    {
        out.num(&nic::MTU, name, value, mtu.line);
    }
    for (key, def) in
        [("qdisc", &nic::QDISC), ("master", &nic::MASTER), ("address", &nic::MAC), ("parentdev", &nic::BUS)]
    {
        if let Some((value, line)) = text(key) {
            out.text(def, name, value, line);
        }
    }
    let Some(stats) = item.get("stats64").or_else(|| item.get("stats")) else { return };
    for side in ["rx", "tx"] {
        for (key, node) in stats.get(side).map(Node::members).unwrap_or_default() {
            if let (Some(metric), Some(value)) = (metric(side, key), node.num()) {
                out.sample(&NETDEV, name, &metric, value, node.line);
            }
        }
    }
}
