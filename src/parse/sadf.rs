//! `sadf`: sar's data as `;` rows (`-d`), tab lines (`-p`) and JSON (`-j`).

use super::json::{self, Data, Node};
use super::sar::{Key, Tables, key};
use super::sysstat::{Rows, Stamp};
use super::table::number;
use super::{Doc, Out};
use crate::facts::schema::keys::host;

pub fn looks(doc: &Doc) -> bool {
    doc.head().take(24).any(|line| {
        line.starts_with("# hostname;interval;timestamp")
            || line.contains("\"sysdata-version\"")
            || line.trim_start().starts_with("\"timestamp\": {\"date\"")
            || tabs(line).is_some()
    })
}

pub fn parse(doc: &Doc, out: &mut Out) {
    let first = doc.head().next().unwrap_or_default();
    if first.trim_start().starts_with(['{', '"']) {
        return from_json(doc, out);
    }
    if doc.head().any(|line| tabs(line).is_some()) {
        return from_tabs(doc, out);
    }
    from_rows(doc, out);
}

fn from_rows(doc: &Doc, out: &mut Out) {
    let mut clock = Rows::default();
    let mut header: Option<(Key, Vec<&str>)> = None;
    let mut tables = Tables::default();
    for (line_no, line) in doc.lines() {
        let mut fields: Vec<&str> = line.trim_end().split(';').collect();
        if line.starts_with('#') {
            let names = fields.get(3..).unwrap_or_default();
            header = names.split_first().map(|(first, rest)| match key(first) {
                Some(kind) => (kind, rest.to_vec()),
                None => (Key::Host, names.to_vec()),
            });
            continue;
        }
        let (Some((kind, names)), Some(time)) = (&header, fields.get(2).copied()) else { continue };
        let stamp = stamp(&mut clock, time);
        if fields.get(3).is_some_and(|field| field.starts_with("LINUX")) {
            out.note(line_no, "the host was restarted here; rates before and after are of different boots");
            continue;
        }
        if *kind == Key::Other {
            continue;
        }
        let mut cells = fields.split_off(3.min(fields.len()));
        let name = if *kind == Key::Host || cells.is_empty() { "" } else { cells.remove(0) };
        let values: Vec<(&str, f64)> =
            names.iter().zip(&cells).filter_map(|(name, cell)| Some((*name, number(cell)?))).collect();
        tables.row(*kind, name, &values, stamp, line_no, out);
    }
    tables.finish(out);
}

/// The clock part of `2019-04-18 13:20:19 UTC`, or epoch seconds.
fn stamp(clock: &mut Rows, text: &str) -> Stamp {
    let word = text.split_whitespace().find(|word| word.contains(':')).unwrap_or(text);
    clock.row(0, word).stamp
}

/// host, interval, time, key, column, value.
fn tabs(line: &str) -> Option<[&str; 4]> {
    let mut fields = line.trim_end().split('\t');
    let (_, interval, time) = (fields.next()?, fields.next()?, fields.next()?);
    interval.parse::<i64>().ok()?;
    let dated = time.contains(':') || time.len() >= 9;
    let key = fields.next()?;
    let (column, value) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    (dated && (!value.is_empty() || key.starts_with("LINUX"))).then_some([time, key, column, value])
}

/// `-p` does not name the table; the columns do.
fn kind_of(name: &str, column: &str) -> Key {
    const DISK: &[&str] = &["tps", "rd_sec/s", "wr_sec/s", "rkB/s", "wkB/s", "await", "%util", "aqu-sz", "avgqu-sz"];
    const CPU: &[&str] = &["total/s", "dropd/s", "squeezd/s", "rx_rps/s"];
    if name == "-" {
        return Key::Host;
    }
    if DISK.contains(&column) {
        return Key::Disk;
    }
    let cpu_name = name == "all" || name.strip_prefix("cpu").is_some_and(|n| n.parse::<u32>().is_ok());
    if cpu_name && (column.starts_with('%') || CPU.contains(&column)) {
        return Key::Cpu;
    }
    if column.starts_with("rx") || column.starts_with("tx") { Key::Nic } else { Key::Other }
}

fn from_tabs(doc: &Doc, out: &mut Out) {
    let mut clock = Rows::default();
    let mut tables = Tables::default();
    let mut open: Option<(Key, &str, Stamp, u32)> = None;
    let mut values: Vec<(&str, f64)> = Vec::new();
    for (line_no, line) in doc.lines() {
        let Some([time, name, column, value]) = tabs(line) else { continue };
        if name.starts_with("LINUX") {
            out.note(line_no, "the host was restarted here; rates before and after are of different boots");
            continue;
        }
        let stamp = stamp(&mut clock, time);
        let kind = kind_of(name, column);
        let same = open.is_some_and(|(have, of, at, _)| have == kind && of == name && at == stamp)
            && !values.iter().any(|(have, _)| *have == column);
        if !same {
            if let Some((kind, name, stamp, first)) = open.take() {
                tables.row(kind, name.strip_prefix("cpu").unwrap_or(name), &values, stamp, first, out);
            }
            values.clear();
            open = Some((kind, name, stamp, line_no));
        }
        if let Some(value) = number(value) {
            values.push((column, value));
        }
    }
    if let Some((kind, name, stamp, first)) = open {
        tables.row(kind, name.strip_prefix("cpu").unwrap_or(name), &values, stamp, first, out);
    }
    tables.finish(out);
}

fn from_json(doc: &Doc, out: &mut Out) {
    let Some(found) = json::parse(doc.text, doc.first_line) else { return };
    if found.cut {
        out.note(found.root.line, "the JSON document is cut; what is there was read");
    }
    let mut tables = Tables::default();
    let mut blocks: Vec<&Node> = Vec::new();
    for one in found.root.at(&["sysstat", "hosts"]).map_or(&[][..], Node::items) {
        for (key, def) in [("release", &host::KERNEL), ("nodename", &host::HOSTNAME), ("machine", &host::ARCH)] {
            if let Some(node) = one.get(key)
                && let Some(text) = node.text()
            {
                out.text(def, "", text, node.line);
            }
        }
        tables.arch(one.get("machine").and_then(Node::text));
        blocks.extend(one.get("statistics").map_or(&[][..], Node::items));
        if let Some(boot) = one.get("restarts").and_then(|list| list.items().first()) {
            out.note(boot.line, "the host was restarted in this file; rates before and after are of different boots");
        }
    }
    blocks.extend(found.root.get("statistics").map_or(&[][..], Node::items));
    let mut clock = Rows::default();
    for block in blocks {
        let Some(time) = block.at(&["timestamp", "time"]).and_then(Node::text) else { continue };
        let stamp = stamp(&mut clock, time);
        for (group, node) in block.members() {
            walk(group, node, stamp, &mut tables, out);
        }
    }
    tables.finish(out);
}

/// Groups nest (`network.net-dev[]`); a member that names a CPU, disk or interface makes its object that one's row.
fn walk(group: &str, node: &Node, stamp: Stamp, tables: &mut Tables, out: &mut Out) {
    for item in node.items() {
        walk(group, item, stamp, tables, out);
    }
    if node.members().is_empty() || matches!(group, "timestamp" | "interrupts") {
        return;
    }
    let mut kind = Key::Host;
    let mut name = "";
    let mut values: Vec<(&str, f64)> = Vec::new();
    for (key, member) in node.members() {
        match (&member.value, key.as_str()) {
            (Data::Text(text), "cpu") => (kind, name) = (Key::Cpu, text),
            (Data::Text(text), "disk-device") => (kind, name) = (Key::Disk, text),
            (Data::Text(text), "iface") => (kind, name) = (Key::Nic, text),
            (Data::Text(_), _) => kind = if kind == Key::Host { Key::Other } else { kind },
            (Data::Num(value), _) => values.push((psi(group, key), *value)),
            _ => walk(key, member, stamp, tables, out),
        }
    }
    if !values.is_empty() && kind != Key::Other {
        tables.row(kind, name, &values, stamp, node.line, out);
    }
}

/// Pressure has the same names in each group; text has a letter for the resource.
fn psi<'a>(group: &str, key: &'a str) -> &'a str {
    match (group, key) {
        ("psi-cpu", "some_avg") => "%scpu",
        ("psi-io", "some_avg") => "%sio",
        ("psi-io", "full_avg") => "%fio",
        ("psi-mem", "some_avg") => "%smem",
        ("psi-mem", "full_avg") => "%fmem",
        _ => key,
    }
}
