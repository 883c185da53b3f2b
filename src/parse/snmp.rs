//! Protocol counters: `/proc/net/snmp` and `/proc/net/netstat` (a line of names, a line of values, joined by name),
//! `/proc/net/snmp6` and `nstat` (one name and value a line).

use super::json;
use super::net_dev::of_other_namespace;
use super::stamp::stamp;
use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SNMP;

pub static PROC_SNMP: Parser = Parser {
    kind: "proc-net-snmp",
    names: &["*proc net snmp"],
    sniff: |doc| pairs_of(doc, &["Ip:", "Tcp:", "Udp:", "Icmp:"]),
    parse: parse_pairs,
    binary: false,
};

pub static PROC_NETSTAT: Parser = Parser {
    kind: "proc-net-netstat",
    names: &["*proc net netstat"],
    sniff: |doc| pairs_of(doc, &["TcpExt:", "IpExt:", "MPTcpExt:"]),
    parse: parse_pairs,
    binary: false,
};

pub static PROC_SNMP6: Parser = Parser {
    kind: "proc-net-snmp6",
    names: &["*proc net snmp6"],
    sniff: |doc| list_of(doc, |words| words.len() == 2, "Ip6"),
    parse: parse_list,
    binary: false,
};

pub static NSTAT: Parser =
    Parser { kind: "nstat", names: &["nstat", "nstat *"], sniff: sniff_nstat, parse: parse_nstat, binary: false };

/// Groups whose names start others' come first.
const GROUPS: [&str; 13] = [
    "IcmpMsg", "Icmp6", "Icmp", "IpExt", "Ip6", "Ip", "TcpExt", "Tcp", "UdpLite6", "UdpLite", "Udp6", "Udp", "MPTcpExt",
];

/// `TcpExtListenDrops` is `TcpExt.ListenDrops`.
fn dotted(name: &str) -> Option<String> {
    let group = GROUPS.iter().find(|group| name.starts_with(**group))?;
    let rest = name.strip_prefix(group)?;
    rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()).then(|| format!("{group}.{rest}"))
}

/// The first pair of lines decides which of the two files it is.
fn pairs_of(doc: &Doc, groups: &[&str]) -> Looks {
    let mut lines = doc.head().peekable();
    while let Some(line) = lines.next() {
        let group = line.split_ascii_whitespace().next().unwrap_or_default();
        let known = GROUPS.iter().any(|name| group.strip_suffix(':') == Some(name));
        if known && lines.peek().is_some_and(|next| next.starts_with(group)) {
            return if groups.contains(&group) { Looks::Yes } else { Looks::No };
        }
    }
    Looks::No
}

fn parse_pairs(doc: &Doc, out: &mut Out) {
    if of_other_namespace(doc, out) {
        return;
    }
    let mut names: Option<(&str, Vec<&str>, u32)> = None;
    let mut at = None;
    for (line_number, line) in doc.lines() {
        let Some((group, rest)) = line.split_once(':').filter(|(group, _)| !group.contains(' ')) else {
            at = stamp(line).or(at);
            continue;
        };
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        let numeric = words.first().is_some_and(|word| number(word).is_some());
        if !numeric {
            at = stamp(line).or(at);
            names = Some((group, words, line_number));
            continue;
        }
        match names.take() {
            Some((head, columns, _)) if head == group => {
                if columns.len() != words.len() {
                    out.note(line_number, format!("{} names and {} values", columns.len(), words.len()));
                }
                for (name, word) in columns.iter().zip(&words) {
                    match number(word) {
                        Some(value) => out.sample_at(&SNMP, "", &format!("{group}.{name}"), value, line_number, at),
                        None => out.note(line_number, format!("'{word}' is no number")),
                    }
                }
            }
            _ => out.note(line_number, format!("values of '{group}' without a line of names")),
        }
    }
}

fn list_of(doc: &Doc, shape: fn(&[&str]) -> bool, first: &str) -> Looks {
    // /proc/net/dev_snmp6/IFACE has the same rows for one interface; they are not the host's.
    if doc.path.contains("dev_snmp6") || doc.head().next().is_some_and(|line| line.starts_with("ifIndex")) {
        return Looks::No;
    }
    let (mut rows, mut own, mut other) = (0, 0, 0);
    for line in doc.head().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let named = words.first().and_then(|name| dotted(name));
        match (named, words.get(1).and_then(|word| number(word))) {
            (Some(name), Some(_)) if shape(&words) => {
                rows += 1;
                own += usize::from(name.starts_with(first));
            }
            _ => other += 1,
        }
    }
    if rows > other && (first.is_empty() || own > 0) { Looks::Yes } else { Looks::No }
}

fn parse_list(doc: &Doc, out: &mut Out) {
    if of_other_namespace(doc, out) {
        return;
    }
    for (line_number, line) in doc.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(name), Some(value)) = (words.next().and_then(dotted), words.next().and_then(number)) else {
            continue;
        };
        out.sample(&SNMP, "", &name, value, line_number);
    }
}

fn sniff_nstat(doc: &Doc) -> Looks {
    if doc.head().any(|line| line.trim() == "#kernel") {
        return Looks::Yes;
    }
    if doc.text.trim_start().starts_with("{\"kernel\"") {
        return Looks::Yes;
    }
    list_of(doc, |words| words.len() == 3, "")
}

fn parse_nstat(doc: &Doc, out: &mut Out) {
    // Without -a the values are increments since some earlier run of nstat by the same user.
    let options = doc.words();
    let known = options.iter().any(|word| word.starts_with('-'));
    let absolute = options.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('a'))
        || options.iter().any(|word| word.starts_with("--ig"));
    if known && !absolute && options.contains(&"nstat") {
        out.note(doc.first_line, "nstat without -a prints increments since its last run; not used");
        return;
    }
    let text = doc.text.trim_start();
    if !text.starts_with('{') {
        parse_list(doc, out);
        return;
    }
    let Some(json) = json::parse(doc.text, doc.first_line) else { return };
    if let Some(kernel) = json.root.get("kernel") {
        for (name, node) in kernel.members() {
            if let (Some(name), Some(value)) = (dotted(name), node.num()) {
                out.sample(&SNMP, "", &name, value, node.line);
            }
        }
    }
}
