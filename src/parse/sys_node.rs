//! Files of `/sys/devices/system/node/nodeN`: numastat, meminfo, cpulist, distance, vmstat. Their content does
//! not always say which node it is; then the path must.

use super::meminfo::row;
use super::{Doc, Looks, Out, Parser};
use crate::facts::CpuSet;
use crate::facts::schema::keys::family::{NODE_MEMINFO, NODE_STAT};
use crate::facts::schema::keys::numa_node;

pub static PARSER: Parser = Parser {
    kind: "sys-node",
    names: &[
        "*system node node*",
        "*node?* cpulist*",
        "*node*cpulist*",
        "*node*cpumap*",
        "*node*distance*",
        "*node*numastat*",
    ],
    sniff,
    parse,
    binary: false,
};

/// Number of the node whose file this is, from its path.
pub(super) fn node_of(doc: &Doc) -> Option<u32> {
    let name = if doc.command.is_empty() { doc.path } else { doc.command };
    name.rmatch_indices("node").find_map(|(at, word)| {
        let rest = name.get(at + word.len()..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.get(..digits)?.parse().ok()
    })
}

/// True for files below `/sys/devices/system/node/nodeN`.
pub(super) fn is_node_path(doc: &Doc) -> bool {
    let name = if doc.command.is_empty() { doc.path } else { doc.command };
    name.contains("node/node") && node_of(doc).is_some()
}

/// `Node 0 MemTotal:  1 kB` as node and the rest.
fn node_line(line: &str) -> Option<(u32, &str)> {
    let rest = line.trim_start().strip_prefix("Node ")?;
    let (id, rest) = rest.trim_start().split_once(' ')?;
    Some((id.parse().ok()?, rest.trim()))
}

const COUNTERS: [&str; 6] = ["numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node"];

fn sniff(doc: &Doc) -> Looks {
    let mut counters = 0;
    let mut lines = 0;
    let mut first = "";
    for line in doc.head() {
        if lines == 0 {
            first = line;
        }
        lines += 1;
        if node_line(line).is_some_and(|(_, rest)| row(rest).is_some()) {
            return Looks::Yes;
        }
        let mut words = line.split_whitespace();
        let (key, value) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        if COUNTERS.contains(&key) && value.bytes().all(|b| b.is_ascii_digit()) && words.next().is_none() {
            counters += 1;
        } else if counters == 0 && lines > 3 && node_of(doc).is_none() {
            return Looks::No;
        }
    }
    if counters >= 2 && counters == lines {
        return Looks::Yes;
    }
    let vmstat = is_node_path(doc) && first.split_whitespace().count() == 2 && first.starts_with("nr_");
    let bare = first.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b',' | b'-' | b' '));
    if vmstat || (node_of(doc).is_some() && ((lines <= 1 && bare) || counters > 0)) { Looks::Maybe } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let node = node_of(doc);
    let file = ["cpulist", "cpumap", "distance"]
        .into_iter()
        .find(|name| doc.path.contains(name) || doc.command.contains(name));
    if let Some(file) = file {
        if let Some(node) = node {
            bare(file, &node.to_string(), doc, out);
        }
        return;
    }
    let mut anonymous = false;
    for (line, text) in doc.lines() {
        if let Some((node, rest)) = node_line(text) {
            match row(rest) {
                Some((key, size, Some(value))) => {
                    let value = if size { value * 1024.0 } else { value };
                    out.sample(&NODE_MEMINFO, &node.to_string(), key, value, line);
                }
                _ => out.note(line, "no row of a node's meminfo"),
            }
            continue;
        }
        let mut words = text.split_whitespace();
        let (Some(key), Some(value), None) = (words.next(), words.next(), words.next()) else { continue };
        let Some(value) = value.parse::<u64>().ok().and_then(|_| value.parse::<f64>().ok()) else { continue };
        match node {
            Some(node) => out.sample(&NODE_STAT, &node.to_string(), key, value, line),
            None => anonymous = true,
        }
    }
    if anonymous {
        out.note(doc.first_line, "neither the file nor its name says which NUMA node this is");
    }
}

fn bare(file: &str, node: &str, doc: &Doc, out: &mut Out) {
    let (line, text) = doc.lines().find(|(_, text)| !text.trim().is_empty()).unwrap_or((doc.first_line, ""));
    match file {
        "cpulist" | "cpumap" => {
            let set = if file == "cpulist" { CpuSet::parse_list(text) } else { CpuSet::parse_mask(text) };
            match set {
                Some(set) => out.cpus(&numa_node::CPUS, node, set, line),
                None => out.note(line, "no list of CPUs"),
            }
        }
        _ => {
            let values: Vec<&str> = text.split_whitespace().collect();
            if values.is_empty() || values.iter().any(|value| value.parse::<u32>().is_err()) {
                out.note(line, "no list of distances");
            } else {
                out.list(&numa_node::DISTANCES, node, values.into_iter().map(str::to_owned), line);
            }
        }
    }
}
