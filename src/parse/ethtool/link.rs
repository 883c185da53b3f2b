//! Plain `ethtool IFACE`: speed, duplex, link.

use super::{headed, interface_or_note};
use crate::facts::schema::keys::nic;
use crate::parse::table::{count, pair};
use crate::parse::{Doc, Looks, Out, Parser};

pub static PARSER: Parser = Parser { kind: "ethtool", names: &["ethtool *"], sniff, parse, binary: false };

pub const HEADING: &str = "Settings for ";
/// A megabit a second, in bytes a second.
const MEGABIT: f64 = 125_000.0;

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| headed(line, HEADING).is_some() && line.trim_end().ends_with(':')) {
        return Looks::Yes;
    }
    let own = |line: &str| {
        pair(line).is_some_and(|(key, value)| {
            (key == "Speed" && value.ends_with("b/s"))
                || matches!(key, "Link detected" | "Supported link modes" | "PHYAD")
        })
    };
    if doc.head().any(own) { Looks::Yes } else { Looks::No }
}

/// `10000Mb/s`, `2.5Gb/s`; `Unknown!` is nothing, and so is the 65535 or 2^32-1 of drivers without a link.
fn speed(text: &str) -> Option<f64> {
    let (digits, factor) = match (text.strip_suffix("Mb/s"), text.strip_suffix("Gb/s")) {
        (Some(digits), _) => (digits, MEGABIT),
        (_, Some(digits)) => (digits, 1000.0 * MEGABIT),
        _ => return None,
    };
    let value: f64 = digits.trim().parse().ok()?;
    (value > 0.0 && !matches!(count(digits), Some(65_535.0 | 4_294_967_295.0))).then_some(value * factor)
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut name = None;
    for (number, line) in doc.lines() {
        if let Some(found) = headed(line, HEADING) {
            name = Some(found.to_owned());
            continue;
        }
        let Some((key, value)) = pair(line) else { continue };
        if !matches!(key, "Speed" | "Duplex" | "Link detected") {
            continue;
        }
        let name = name.get_or_insert_with(|| interface_or_note(doc, out));
        match key {
            "Speed" => {
                if let Some(speed) = speed(value) {
                    out.num(&nic::SPEED, name, speed, number);
                }
            }
            "Duplex" if !value.starts_with("Unknown") => {
                out.text(&nic::DUPLEX, name, &value.to_ascii_lowercase(), number)
            }
            "Link detected" => match value.split_whitespace().next() {
                Some("yes") => out.flag(&nic::STATE, name, true, number),
                Some("no") => out.flag(&nic::STATE, name, false, number),
                _ => {}
            },
            _ => {}
        }
    }
}
