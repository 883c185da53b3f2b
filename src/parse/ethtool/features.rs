//! `ethtool -k`: offloads that change what other numbers mean (coalesced packets, hashing, checksums).

use super::{headed, interface_or_note};
use crate::facts::FactDef;
use crate::facts::schema::keys::nic;
use crate::parse::table::pair;
use crate::parse::{Doc, Looks, Out, Parser};

pub static PARSER: Parser = Parser {
    kind: "ethtool-k",
    names: &["ethtool -k *", "ethtool --show-features *", "ethtool --show-offload *"],
    sniff,
    parse,
    binary: false,
};

pub const HEADINGS: [&str; 2] = ["Features for ", "Offload parameters for "];

const FLAGS: [(&str, &FactDef); 7] = [
    ("generic-receive-offload", &nic::GRO),
    ("large-receive-offload", &nic::LRO),
    ("tcp-segmentation-offload", &nic::TSO),
    ("generic-segmentation-offload", &nic::GSO),
    ("receive-hashing", &nic::RX_HASH),
    ("ntuple-filters", &nic::NTUPLE),
    ("rx-checksumming", &nic::RX_CHECKSUM),
];

fn value(line: &str) -> Option<(&str, bool)> {
    let (key, value) = pair(line)?;
    match value.split_whitespace().next()? {
        "on" => Some((key, true)),
        "off" => Some((key, false)),
        _ => None,
    }
}

fn known(key: &str) -> Option<&'static FactDef> {
    FLAGS.iter().find(|(name, _)| *name == key).map(|(_, def)| *def)
}

fn sniff(doc: &Doc) -> Looks {
    let heading = doc.head().any(|line| HEADINGS.iter().any(|heading| headed(line, heading).is_some()));
    let keys = doc.head().filter_map(value).filter(|(key, _)| known(key).is_some()).count();
    if keys >= 2 || (heading && keys >= 1) {
        Looks::Yes
    } else if heading || keys == 1 {
        Looks::Maybe
    } else {
        Looks::No
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut name = None;
    for (number, line) in doc.lines() {
        if let Some(found) = HEADINGS.iter().find_map(|heading| headed(line, heading)) {
            name = Some(found.to_owned());
        } else if let Some((key, on)) = value(line)
            && let Some(def) = known(key)
        {
            let name = name.get_or_insert_with(|| interface_or_note(doc, out));
            out.flag(def, name, on, number);
        }
    }
}
