//! `ethtool -i`: driver, firmware and bus address.

use super::interface_or_note;
use crate::facts::schema::keys::nic;
use crate::parse::table::pair;
use crate::parse::{Doc, Looks, Out, Parser};

pub static PARSER: Parser =
    Parser { kind: "ethtool-i", names: &["ethtool -i *", "ethtool --driver *"], sniff, parse, binary: false };

const KEYS: [&str; 9] = [
    "driver",
    "version",
    "firmware-version",
    "expansion-rom-version",
    "bus-info",
    "supports-statistics",
    "supports-test",
    "supports-eeprom-access",
    "supports-register-dump",
];

fn sniff(doc: &Doc) -> Looks {
    let have: Vec<&str> = doc.head().filter_map(pair).map(|(key, _)| key).filter(|key| KEYS.contains(key)).collect();
    let sure = have.iter().filter(|key| key.contains('-')).count() >= 1;
    match (sure, have.len()) {
        (true, 2..) => Looks::Yes,
        (true, _) => Looks::Maybe,
        _ if have.contains(&"driver") => Looks::Maybe,
        _ => Looks::No,
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let name = interface_or_note(doc, out);
    for (number, line) in doc.lines() {
        let Some((key, value)) = pair(line) else { continue };
        let def = match key {
            "driver" => &nic::DRIVER,
            "version" => &nic::DRIVER_VERSION,
            "firmware-version" => &nic::FIRMWARE,
            "bus-info" => &nic::BUS,
            _ => continue,
        };
        if !matches!(value, "" | "N/A" | "n/a") {
            out.text(def, &name, value, number);
        }
    }
}
