//! `tc -s qdisc`, text and JSON: what queueing disciplines sent, dropped and hold back. Only the root of an interface
//! counts: `mq` already sums its children, one for each queue.

use super::json::{self, Node};
use super::table::{count, size};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::QDISC;
use crate::facts::schema::keys::nic;

pub static PARSER: Parser =
    Parser { kind: "tc-s-qdisc", names: &["tc *qdisc*", "*tc *qdisc*"], sniff, parse, binary: false };

/// `qdisc mq 0: dev eth0 root ...`: kind, device, whether it is the root.
fn head(line: &str) -> Option<(&str, Option<&str>, bool)> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let ["qdisc", kind, handle, rest @ ..] = words.as_slice() else { return None };
    if !handle.ends_with(':') {
        return None;
    }
    let device = rest.windows(2).find_map(|pair| match pair {
        ["dev", name] => Some(*name),
        _ => None,
    });
    Some((kind, device, rest.contains(&"root")))
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| head(line).is_some()) {
        return Looks::Yes;
    }
    let text = doc.text.get(..4096).unwrap_or(doc.text);
    let json = text.contains("\"kind\"") && text.contains("\"overlimits\"") && text.contains("\"requeues\"");
    if json { Looks::Yes } else { Looks::No }
}

/// Interface of `tc -s qdisc show dev eth1`.
fn of_command(command: &str) -> Option<&str> {
    let mut words = command.split_ascii_whitespace();
    words.find(|word| *word == "dev")?;
    words.next()
}

fn parse(doc: &Doc, out: &mut Out) {
    if !doc.head().any(|line| head(line).is_some()) {
        if let Some(json) = json::parse(doc.text, doc.first_line) {
            for item in json.root.items().iter().filter(|item| item.get("root").and_then(Node::flag) == Some(true)) {
                parse_item(item, out);
            }
        }
        return;
    }
    let mut root: Option<String> = None;
    for (number, line) in doc.lines() {
        if let Some((kind, device, is_root)) = head(line) {
            let name = device.or_else(|| of_command(doc.command)).or_else(|| of_command(&doc.place.key));
            root = name.filter(|_| is_root).map(str::to_owned);
            match &root {
                Some(name) => out.text(&nic::QDISC, name, kind, number),
                None if is_root => out.note(number, "nothing names the interface of this qdisc"),
                None => {}
            }
            continue;
        }
        let Some(name) = &root else { continue };
        let words: Vec<&str> = line.split([' ', '(', ')', ',']).filter(|word| !word.is_empty()).collect();
        match words.first() {
            Some(&"Sent") => {
                for pair in words.windows(2) {
                    let found = match pair {
                        [key @ ("dropped" | "overlimits" | "requeues"), value] => {
                            count(value).map(|value| (*key, value))
                        }
                        [value, "bytes"] => count(value).map(|value| ("sent_bytes", value)),
                        [value, "pkt" | "pkts"] => count(value).map(|value| ("sent_packets", value)),
                        _ => None,
                    };
                    if let Some((key, value)) = found {
                        out.sample(&QDISC, name, key, value, number);
                    }
                }
            }
            Some(&"backlog") => {
                if let Some(value) = words.get(1).and_then(|word| size(word, 1.0)) {
                    out.sample(&QDISC, name, "backlog", value, number);
                }
            }
            _ => {}
        }
    }
}

fn parse_item(item: &Node, out: &mut Out) {
    let Some(name) = item.get("dev").and_then(Node::text) else { return };
    if let Some(kind) = item.get("kind").and_then(|node| Some((node.text()?, node.line))) {
        out.text(&nic::QDISC, name, kind.0, kind.1);
    }
    for (key, metric) in [
        ("bytes", "sent_bytes"),
        ("packets", "sent_packets"),
        ("drops", "dropped"),
        ("overlimits", "overlimits"),
        ("requeues", "requeues"),
        ("backlog", "backlog"),
    ] {
        if let Some(node) = item.get(key)
            && let Some(value) = node.num()
        {
            out.sample(&QDISC, name, metric, value, node.line);
        }
    }
}
