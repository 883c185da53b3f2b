//! `ethtool -l` (channels) and `ethtool -g` (rings): the same two sections of maximums and current values.

use super::{headed, interface_or_note, setting};
use crate::facts::FactDef;
use crate::facts::schema::keys::nic;
use crate::parse::table::pair;
use crate::parse::{Doc, Looks, Out, Parser};

pub static CHANNELS: Parser = Parser {
    kind: "ethtool-l",
    names: &["ethtool -l *", "ethtool --show-channels *"],
    sniff: |doc| looks(doc, CHANNEL_HEADING, &["combined"]),
    parse: parse_channels,
    binary: false,
};

pub static RINGS: Parser = Parser {
    kind: "ethtool-g",
    names: &["ethtool -g *", "ethtool --show-ring *"],
    sniff: |doc| looks(doc, RING_HEADING, &["rx mini", "rx jumbo"]),
    parse: parse_rings,
    binary: false,
};

pub const CHANNEL_HEADING: &str = "Channel parameters for ";
pub const RING_HEADING: &str = "Ring parameters for ";

fn looks(doc: &Doc, heading: &str, keys: &[&str]) -> Looks {
    let mut sections = 0;
    let mut own = false;
    for line in doc.head() {
        if headed(line, heading).is_some() {
            return Looks::Yes;
        }
        sections += usize::from(section(line).is_some());
        own |= pair(line).is_some_and(|(key, _)| keys.contains(&key.to_ascii_lowercase().as_str()));
    }
    if sections > 0 && own { Looks::Yes } else { Looks::No }
}

/// True for the maximums, false for what is in use.
fn section(line: &str) -> Option<bool> {
    let line = line.trim().to_ascii_lowercase();
    if line.starts_with("pre-set maximums") {
        Some(true)
    } else if line.starts_with("current hardware settings") {
        Some(false)
    } else {
        None
    }
}

#[derive(Default)]
struct Values {
    rx: Option<(f64, u32)>,
    tx: Option<(f64, u32)>,
    combined: Option<(f64, u32)>,
}

/// Sections of one interface: its name, the maximums and the current values.
struct Block {
    name: String,
    maximum: Values,
    current: Values,
}

fn blocks(doc: &Doc, heading: &str, out: &mut Out) -> Vec<Block> {
    let new = |name: String| Block { name, maximum: Values::default(), current: Values::default() };
    let mut blocks: Vec<Block> = Vec::new();
    let mut which = None;
    for (number, line) in doc.lines() {
        if let Some(name) = headed(line, heading) {
            blocks.push(new(name.to_owned()));
            which = None;
        } else if let Some(maximum) = section(line) {
            which = Some(maximum);
            if blocks.is_empty() {
                blocks.push(new(interface_or_note(doc, out)));
            }
        } else if let (Some(maximum), Some((key, value)), Some(block)) = (which, pair(line), blocks.last_mut()) {
            let values = if maximum { &mut block.maximum } else { &mut block.current };
            let slot = match key.to_ascii_lowercase().as_str() {
                "rx" => &mut values.rx,
                "tx" => &mut values.tx,
                "combined" => &mut values.combined,
                _ => continue,
            };
            match setting(value) {
                Some(value) => *slot = Some((value, number)),
                None if value == "n/a" => {}
                None => out.note(number, format!("'{value}' is no number")),
            }
        }
    }
    blocks
}

fn put(out: &mut Out, def: &'static FactDef, name: &str, value: Option<(f64, u32)>) {
    if let Some((value, line)) = value {
        out.num(def, name, value, line);
    }
}

/// A combined channel receives and sends; separate ones come on top (`ethtool -L` documentation).
fn with_combined(own: Option<(f64, u32)>, combined: Option<(f64, u32)>) -> Option<(f64, u32)> {
    match (own, combined) {
        (Some((a, line)), Some((b, other))) => Some((a + b, if b > 0.0 { other } else { line })),
        (own, combined) => own.or(combined),
    }
}

fn parse_channels(doc: &Doc, out: &mut Out) {
    for block in blocks(doc, CHANNEL_HEADING, out) {
        let sides = [
            (&nic::CHANNELS_MAX, &nic::CHANNELS_TX_MAX, &block.maximum),
            (&nic::CHANNELS_NOW, &nic::CHANNELS_TX_NOW, &block.current),
        ];
        for (rx, tx, values) in sides {
            put(out, rx, &block.name, with_combined(values.rx, values.combined));
            put(out, tx, &block.name, with_combined(values.tx, values.combined));
        }
    }
}

fn parse_rings(doc: &Doc, out: &mut Out) {
    for block in blocks(doc, RING_HEADING, out) {
        put(out, &nic::RING_RX_MAX, &block.name, block.maximum.rx);
        put(out, &nic::RING_TX_MAX, &block.name, block.maximum.tx);
        put(out, &nic::RING_RX_NOW, &block.name, block.current.rx);
        put(out, &nic::RING_TX_NOW, &block.name, block.current.tx);
    }
}
