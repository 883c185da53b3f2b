//! `ethtool -c` (interrupt coalescing) and `ethtool -a` (pause frames).

use super::{headed, interface_or_note, setting};
use crate::facts::schema::keys::nic;
use crate::parse::table::pair;
use crate::parse::{Doc, Looks, Out, Parser};

pub static COALESCE: Parser = Parser {
    kind: "ethtool-c",
    names: &["ethtool -c *", "ethtool --show-coalesce *"],
    sniff: |doc| {
        looks(doc, COALESCE_HEADING, |key| matches!(key, "rx-usecs" | "rx-frames" | "Adaptive RX" | "tx-usecs"))
    },
    parse: parse_coalesce,
    binary: false,
};

pub static PAUSE: Parser = Parser {
    kind: "ethtool-a",
    names: &["ethtool -a *", "ethtool --show-pause *"],
    sniff: |doc| looks(doc, PAUSE_HEADING, |key| key == "Autonegotiate"),
    parse: parse_pause,
    binary: false,
};

pub const COALESCE_HEADING: &str = "Coalesce parameters for ";
pub const PAUSE_HEADING: &str = "Pause parameters for ";
const MICROSECOND: f64 = 1e-6;

fn looks(doc: &Doc, heading: &str, own: fn(&str) -> bool) -> Looks {
    let found = doc.head().any(|line| headed(line, heading).is_some() || pair(line).is_some_and(|(key, _)| own(key)));
    if found { Looks::Yes } else { Looks::No }
}

fn switch(text: &str) -> Option<bool> {
    match text.split_whitespace().next()? {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

fn parse_coalesce(doc: &Doc, out: &mut Out) {
    let mut name = None;
    for (number, line) in doc.lines() {
        if let Some(found) = headed(line, COALESCE_HEADING) {
            name = Some(found.to_owned());
            continue;
        }
        let Some((key, value)) = pair(line) else { continue };
        if !matches!(key, "Adaptive RX" | "rx-usecs" | "rx-frames") {
            continue;
        }
        let name = name.get_or_insert_with(|| interface_or_note(doc, out));
        match (key, switch(value), setting(value)) {
            ("Adaptive RX", Some(on), _) => out.flag(&nic::ADAPTIVE_RX, name, on, number),
            ("rx-usecs", _, Some(value)) => out.num(&nic::RX_COALESCE, name, value * MICROSECOND, number),
            ("rx-frames", _, Some(value)) => out.num(&nic::RX_COALESCE_FRAMES, name, value, number),
            _ => {}
        }
    }
}

fn parse_pause(doc: &Doc, out: &mut Out) {
    let mut name = None;
    for (number, line) in doc.lines() {
        if let Some(found) = headed(line, PAUSE_HEADING) {
            name = Some(found.to_owned());
            continue;
        }
        let Some((key, value)) = pair(line) else { continue };
        let def = match key {
            "RX" => &nic::PAUSE_RX,
            "TX" => &nic::PAUSE_TX,
            _ => continue,
        };
        if let Some(on) = switch(value) {
            let name = name.get_or_insert_with(|| interface_or_note(doc, out));
            out.flag(def, name, on, number);
        }
    }
}
