//! The outputs of ethtool, and which interface they are about.

use super::{Doc, Out};

pub mod driver;
pub mod features;
pub mod indirection;
pub mod link;
pub mod settings;
pub mod stats;
pub mod tuning;

/// The interface of `Channel parameters for eth0:` or `... for eth0 with 4 RX ring(s):`.
fn headed<'a>(line: &'a str, heading: &str) -> Option<&'a str> {
    let rest = line.trim().strip_prefix(heading)?.trim_start();
    let name = rest.split_whitespace().next()?.trim_end_matches(':');
    (!name.is_empty()).then_some(name)
}

/// Words that are no interface: what people put behind it in a file's name or a pipe.
const NO_INTERFACE: &[&str] = &["rx", "tx", "grep", "after", "before", "every", "all", "txt", "stats", "|"];

/// The interface that the command or the path names (`ethtool -S eth0`, `ethtool_-S_br_lan.txt`, `sys/class/net/eth0/...`).
pub fn interface(doc: &Doc) -> Option<String> {
    if let Some((_, rest)) = doc.place.rel.split_once("sys/class/net/") {
        return rest.split('/').next().map(str::to_owned);
    }
    let from = if doc.command.is_empty() { &doc.place.key } else { doc.command };
    let from = from.split_once("ethtool").map_or(from, |(_, rest)| rest);
    let blank = from.trim_start().contains(' ') || from.starts_with(' ');
    let separator = if blank { ' ' } else { '_' };
    let mut words = from.split(separator).filter(|word| !word.is_empty()).peekable();
    while words.next_if(|word| word.starts_with('-')).is_some() {}
    let first = words.next()?;
    if NO_INTERFACE.contains(&first) || first.starts_with('-') || first.contains(['|', '/']) || first.len() > 64 {
        return None;
    }
    if !doc.place.key.contains("ethtool") && doc.command.is_empty() {
        return None;
    }
    let mut name = first.to_owned();
    // In file names the blanks of a command became `_`, and so may the `_` of `br_lan` be blanks.
    if doc.command.is_empty() {
        for word in words.take_while(|word| !NO_INTERFACE.contains(word) && !word.starts_with('-')) {
            name.push('_');
            name.push_str(word);
        }
    }
    Some(name)
}

/// The interface, or a stand-in with a note when nothing names it.
fn interface_or_note(doc: &Doc, out: &mut Out) -> String {
    interface(doc).unwrap_or_else(|| {
        out.note(doc.first_line, "nothing names the interface; it is called 'nic' here");
        "nic".to_owned()
    })
}

/// A number, or nothing for `n/a`.
fn setting(text: &str) -> Option<f64> {
    super::table::count(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::layout::place;

    #[test]
    fn interfaces_in_names_and_commands() {
        for (path, command, want) in [
            ("cmd/ethtool_-S_eth0.txt", "", Some("eth0")),
            ("t0/ethtool_-S_eth0.txt", "", Some("eth0")),
            ("sos_commands/networking/ethtool_-i_br_lan", "", Some("br_lan")),
            ("commands/ethtool_-S_rx_missed_every_1s.txt", "", None),
            ("ethtool_eth0.txt", "", Some("eth0")),
            ("paste.txt", "ethtool -S eth0 | grep drop", Some("eth0")),
            ("paste.txt", "", None),
            ("x_y.txt", "", None),
        ] {
            let place = place(path);
            let doc = Doc { path, place: &place, command, text: "", first_line: 1, bytes: b"" };
            assert_eq!(interface(&doc).as_deref(), want, "{path} {command}");
        }
    }
}
