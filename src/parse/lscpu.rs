//! `lscpu`: the field list (flat, in groups, localized, JSON) and the tables of `-e` and `-p`.

use std::collections::BTreeMap;

use super::json::{self, Node};
use super::lscpu_labels::{Field, field};
use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::CpuSet;
use crate::facts::schema::keys::{cpu, host, numa_node};

pub static PARSER: Parser = Parser { kind: "lscpu", names: &["*lscpu*"], sniff, parse, binary: false };

/// Label and value of a line; the colon may be the full-width one.
fn labelled(line: &str) -> Option<(Field, &str)> {
    let (at, colon) = line.char_indices().find(|(_, c)| matches!(c, ':' | '：'))?;
    let value = line.get(at + colon.len_utf8()..)?;
    Some((field(line.get(..at)?)?, value.trim()))
}

fn sniff(doc: &Doc) -> Looks {
    if doc.text.contains("\"lscpu\"") {
        return Looks::Yes;
    }
    let (mut known, mut strong) = (0, 0);
    for line in doc.head() {
        if table_header(line).is_some() || json_table(line) {
            return Looks::Yes;
        }
        if let Some((field, _)) = labelled(line) {
            known += 1;
            strong += u32::from(matches!(
                field,
                Field::Online | Field::ThreadsPerCore | Field::CoresPerSocket | Field::Nodes | Field::NodeCpus(_)
            ));
        }
    }
    if strong > 0 && known > 1 { Looks::Yes } else { Looks::No }
}

fn json_table(line: &str) -> bool {
    line.trim_start().trim_start_matches('{').trim_start().starts_with("\"cpus\":")
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut seen: Vec<(Field, u32, String)> = Vec::new();
    if let Some(json) = doc.text.contains("\"field\"").then(|| json::parse(doc.text, doc.first_line)).flatten() {
        collect(json.root.get("lscpu").unwrap_or(&json.root), &mut seen);
    } else if doc.head().any(json_table) {
        json_rows(doc, out);
    } else {
        for (line, text) in doc.lines() {
            if let Some((field, value)) = labelled(text)
                && !seen.iter().any(|(have, _, _)| *have == field)
            {
                seen.push((field, line, value.to_owned()));
            }
        }
        tables(doc, out);
    }
    summary(&seen, out);
}

fn collect(list: &Node, seen: &mut Vec<(Field, u32, String)>) {
    for item in list.items() {
        let label = item.get("field").and_then(Node::text).unwrap_or_default();
        if let (Some(field), Some(data)) = (field(label), item.get("data").and_then(Node::text)) {
            seen.push((field, item.line, data.to_owned()));
        }
        if let Some(children) = item.get("children") {
            collect(children, seen);
        }
    }
}

fn summary(seen: &[(Field, u32, String)], out: &mut Out) {
    let get =
        |want: Field| seen.iter().find(|(have, _, _)| *have == want).map(|(_, line, text)| (*line, text.as_str()));
    let count = |want: Field| get(want).and_then(|(line, text)| Some((line, number(text)?)));
    for (field, def) in [(Field::Architecture, &host::ARCH), (Field::Model, &host::CPU_MODEL)] {
        if let Some((line, text)) = get(field).filter(|(_, text)| *text != "-") {
            out.text(def, "", text, line);
        }
    }
    let list = |list: Field, mask: Field| {
        get(list)
            .and_then(|(line, text)| Some((line, CpuSet::parse_list(text)?)))
            .or_else(|| get(mask).and_then(|(line, text)| Some((line, CpuSet::parse_mask(text)?))))
    };
    let offline = list(Field::Offline, Field::OfflineMask);
    match list(Field::Online, Field::OnlineMask) {
        Some((line, set)) if !set.is_empty() => {
            out.num(&host::CPUS_ONLINE, "", f64::from(u32::try_from(set.len()).unwrap_or(u32::MAX)), line);
            out.cpus(&host::ONLINE_CPUS, "", set, line);
        }
        _ if offline.is_none() => {
            if let Some((line, cpus)) = count(Field::Cpus) {
                out.num(&host::CPUS_ONLINE, "", cpus, line);
            }
        }
        _ => {}
    }
    if let Some((line, set)) = offline {
        out.cpus(&host::OFFLINE_CPUS, "", set, line);
    }
    for (field, def) in [(Field::ThreadsPerCore, &host::THREADS_PER_CORE), (Field::Nodes, &host::NODES)] {
        if let Some((line, value)) = count(field) {
            out.num(def, "", value, line);
        }
    }
    let product = |fields: &[Field]| -> Option<(u32, f64)> {
        let mut all = fields.iter().map(|field| count(*field));
        all.try_fold((0, 1.0), |(line, value), next| next.map(|(at, n)| (if line == 0 { at } else { line }, value * n)))
    };
    let books = product(&[Field::BooksPerDrawer, Field::Drawers]).or_else(|| count(Field::Books));
    let sockets = count(Field::Sockets).or_else(|| {
        let (line, per_book) = count(Field::SocketsPerBook)?;
        Some((line, per_book * books?.1))
    });
    if let Some((line, value)) = sockets {
        out.num(&host::SOCKETS, "", value, line);
    }
    let cores = count(Field::CoresPerSocket)
        .zip(sockets)
        .map(|((line, per), (_, sockets))| (line, per * sockets))
        .or_else(|| product(&[Field::CoresPerCluster, Field::Clusters]));
    if let Some((line, value)) = cores {
        out.num(&host::CORES, "", value, line);
    }
    for (field, line, text) in seen {
        if let Field::NodeCpus(node) = field {
            match CpuSet::parse_list(text) {
                Some(set) => out.cpus(&numa_node::CPUS, &node.to_string(), set, *line),
                None => out.note(*line, "no list of CPUs"),
            }
        }
    }
    virtualization(&get, out);
}

/// The vendor that lscpu names; none only where the CPU's own flags say so (x86 without `hypervisor`).
fn virtualization<'a>(get: &impl Fn(Field) -> Option<(u32, &'a str)>, out: &mut Out) {
    if let Some((line, vendor)) = get(Field::Hypervisor).or_else(|| get(Field::VirtType)) {
        out.text(&host::VIRT, "", vendor, line);
        return;
    }
    let x86 = get(Field::Architecture).is_some_and(|(_, arch)| arch == "x86_64" || arch == "i686");
    if let Some((line, flags)) = get(Field::Flags)
        && x86
        && flags.split_whitespace().count() > 40
        && !flags.split_whitespace().any(|flag| flag == "hypervisor")
    {
        out.text(&host::VIRT, "", "none", line);
    }
}

/// Columns of a `-e` header (`CPU NODE SOCKET CORE ...`) or a `-p` one (`# CPU,Core,Socket,Node`).
fn table_header(line: &str) -> Option<(char, Vec<String>)> {
    let separator = if line.starts_with("# CPU,") { ',' } else { ' ' };
    let names: Vec<String> = match separator {
        ',' => line.trim_start_matches("# ").split(',').map(str::to_ascii_lowercase).collect(),
        _ => line.split_whitespace().map(str::to_ascii_lowercase).collect(),
    };
    let upper = separator == ','
        || line.split_whitespace().all(|word| !word.chars().any(|c| c.is_ascii_lowercase() && !word.starts_with('L')));
    let wanted = ["core", "socket", "node", "online"];
    let has = names.iter().filter(|name| wanted.contains(&name.as_str())).count();
    (upper && names.first().is_some_and(|name| name == "cpu") && has >= 2 && names.len() < 40)
        .then_some((separator, names))
}

/// Where one CPU sits.
#[derive(Default)]
struct Seat {
    node: Option<f64>,
    core: Option<f64>,
    socket: Option<f64>,
    book: Option<f64>,
    online: Option<bool>,
    line: u32,
}

impl Seat {
    fn set(&mut self, column: &str, cell: &str) {
        let value = number(cell);
        match column {
            "node" => self.node = value,
            "core" => self.core = value,
            "socket" => self.socket = value,
            "book" => self.book = value,
            "online" => {
                self.online = match cell.to_lowercase().as_str() {
                    "yes" | "true" | "y" | "1" | "ja" | "oui" | "sí" | "si" | "да" | "是" => Some(true),
                    "no" | "false" | "n" | "0" | "nein" | "non" | "nej" | "нет" | "否" => Some(false),
                    _ => None,
                };
            }
            _ => {}
        }
    }
}

fn tables(doc: &Doc, out: &mut Out) {
    let mut seats: BTreeMap<u32, Seat> = BTreeMap::new();
    let mut header: Option<(char, Vec<String>)> = None;
    let mut done = false;
    for (line, text) in doc.lines() {
        if let Some(found) = table_header(text) {
            done = !seats.is_empty();
            header = Some(found);
            continue;
        }
        let Some((separator, names)) = &header else { continue };
        if done || text.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> =
            if *separator == ',' { text.split(',').collect() } else { text.split_whitespace().collect() };
        let Some(id) = cells.first().and_then(|cell| cell.trim().parse::<u32>().ok()) else { continue };
        let mut seat = Seat { line, ..Seat::default() };
        for (name, cell) in names.iter().zip(&cells).skip(1) {
            seat.set(name, cell.trim());
        }
        seats.entry(id).or_insert(seat);
    }
    settle(&seats, out);
}

fn json_rows(doc: &Doc, out: &mut Out) {
    let Some(json) = json::parse(doc.text, doc.first_line) else { return };
    let mut seats = BTreeMap::new();
    for row in json.root.get("cpus").unwrap_or(&json.root).items() {
        let Some(id) = row.get("cpu").and_then(cell).and_then(|text| text.parse::<u32>().ok()) else { continue };
        let mut seat = Seat { line: row.line, ..Seat::default() };
        for (name, value) in row.members() {
            seat.set(name, &cell(value).unwrap_or_default());
        }
        seats.entry(id).or_insert(seat);
    }
    settle(&seats, out);
}

/// Old versions quote numbers, new ones do not.
fn cell(node: &Node) -> Option<String> {
    match node.flag() {
        Some(flag) => Some(flag.to_string()),
        None => node.text().map(str::to_owned).or_else(|| node.num().map(|value| value.to_string())),
    }
}

/// Facts of the seats: place of each CPU, its hardware threads, and CPUs per node.
fn settle(seats: &BTreeMap<u32, Seat>, out: &mut Out) {
    let bits = |value: Option<f64>| value.map(f64::to_bits);
    let mut cores: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    let mut nodes: BTreeMap<u64, (f64, u32, Vec<u32>)> = BTreeMap::new();
    for (id, seat) in seats {
        if let Some(core) = seat.core {
            cores.entry((bits(seat.book), bits(seat.socket), core.to_bits())).or_default().push(*id);
        }
        if let Some(node) = seat.node {
            nodes.entry(node.to_bits()).or_insert((node, seat.line, Vec::new())).2.push(*id);
        }
    }
    for (id, seat) in seats {
        let name = id.to_string();
        for (def, value) in [(&cpu::NODE, seat.node), (&cpu::CORE, seat.core), (&cpu::SOCKET, seat.socket)] {
            if let Some(value) = value {
                out.num(def, &name, value, seat.line);
            }
        }
        if let Some(core) = seat.core
            && let Some(all) = cores.get(&(bits(seat.book), bits(seat.socket), core.to_bits()))
        {
            out.cpus(&cpu::SIBLINGS, &name, CpuSet::from_ids(all.iter().copied()), seat.line);
        }
    }
    for (node, line, ids) in nodes.values() {
        out.cpus(&numa_node::CPUS, &node.to_string(), CpuSet::from_ids(ids.iter().copied()), *line);
    }
    if seats.values().any(|seat| seat.online.is_some()) {
        let ids = |want: bool| {
            CpuSet::from_ids(seats.iter().filter(|(_, seat)| seat.online == Some(want)).map(|(id, _)| *id))
        };
        let line = seats.values().next().map_or(0, |seat| seat.line);
        let (on, off) = (ids(true), ids(false));
        out.num(&host::CPUS_ONLINE, "", f64::from(u32::try_from(on.len()).unwrap_or(u32::MAX)), line);
        out.cpus(&host::ONLINE_CPUS, "", on, line);
        if !off.is_empty() {
            out.cpus(&host::OFFLINE_CPUS, "", off, line);
        }
    }
}
