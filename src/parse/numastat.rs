//! `numastat`: without options counts of pages per node since boot; with any option (`-n -m -p -c`) tables in
//! MB. Many nodes wrap into strips, each with its own header, and only the last strip has the total.

use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::{NODE_MEMINFO, NODE_STAT, PID};

pub static PARSER: Parser = Parser { kind: "numastat", names: &["*numastat*"], sniff, parse, binary: false };

const MB: f64 = 1_048_576.0;
/// Page in which `-n` counts are turned back into pages; shares do not depend on it.
const PAGE: f64 = 4096.0;
const COUNTERS: [&str; 6] = ["numa_hit", "numa_miss", "numa_foreign", "interleave_hit", "local_node", "other_node"];

/// What the rows below a title are about.
#[derive(Clone, PartialEq)]
enum Table {
    /// Counts in pages (plain) or MB (`-n`).
    Counters { megabytes: bool },
    /// System memory in MB.
    System,
    /// Memory of one process in MB; the rows are kinds of memory.
    Process(String),
    /// Memory of several processes in MB; the rows are `PID (name)`.
    Processes,
}

/// Nodes of a header row (`node0 node1`, `Node 0 Node 1 Total`), `None` standing for the total.
fn header(line: &str) -> Option<Vec<Option<u32>>> {
    let mut words = line.split_whitespace().peekable();
    if words.peek() == Some(&"PID") {
        words.next();
    }
    let mut columns = Vec::new();
    let mut nodes = 0;
    while let Some(word) = words.next() {
        if word == "Node" {
            columns.push(Some(words.next()?.parse().ok()?));
            nodes += 1;
        } else if let Some(id) = word.strip_prefix("node") {
            columns.push(Some(id.parse().ok()?));
            nodes += 1;
        } else if word == "Total" {
            columns.push(None);
        } else {
            return None;
        }
    }
    (nodes > 0 || columns == [None]).then_some(columns)
}

fn title(line: &str) -> Option<Table> {
    let line = line.trim();
    if line.starts_with("Per-node system memory usage") {
        return Some(Table::System);
    }
    if line.starts_with("Per-node numastat info") {
        return Some(Table::Counters { megabytes: true });
    }
    if line.starts_with("Per-node process memory usage") {
        let pid = line.split_once(" for PID ").and_then(|(_, rest)| rest.split_whitespace().next());
        return Some(pid.map_or(Table::Processes, |pid| Table::Process(pid.to_owned())));
    }
    None
}

fn sniff(doc: &Doc) -> Looks {
    let mut header_seen = false;
    for line in doc.head() {
        if title(line).is_some() {
            return Looks::Yes;
        }
        if header(line).is_some() {
            header_seen = true;
        } else if header_seen && line.split_whitespace().next().is_some_and(|word| COUNTERS.contains(&word)) {
            return Looks::Yes;
        }
    }
    Looks::No
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut table = Table::Counters { megabytes: false };
    let mut columns: Vec<Option<u32>> = Vec::new();
    for (line, text) in doc.lines() {
        if let Some(found) = title(text) {
            table = found;
            columns.clear();
        } else if let Some(found) = header(text) {
            columns = found;
        } else if !columns.is_empty() && !text.trim_start().starts_with('-') {
            row(&table, &columns, text, line, out);
        }
    }
}

fn row(table: &Table, columns: &[Option<u32>], text: &str, line: u32, out: &mut Out) {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= columns.len() || text.starts_with("Token ") {
        return;
    }
    let Some((label, cells)) = words.split_at_checked(words.len() - columns.len()) else { return };
    let cells: Option<Vec<f64>> = cells.iter().map(|cell| number(cell)).collect();
    let Some(cells) = cells else { return };
    let label = label.join(" ");
    for (node, value) in columns.iter().zip(cells).filter_map(|(node, value)| Some(((*node)?, value))) {
        let name = node.to_string();
        match table {
            Table::Counters { megabytes } => {
                let metric = label.to_ascii_lowercase();
                if COUNTERS.contains(&metric.as_str()) {
                    let pages = if *megabytes { (value * MB / PAGE).round() } else { value };
                    out.sample(&NODE_STAT, &name, &metric, pages, line);
                }
            }
            Table::System => {
                if let Some((metric, factor)) = system_metric(&label) {
                    out.sample(&NODE_MEMINFO, &name, metric, value * factor, line);
                }
            }
            Table::Process(pid) => process(pid, node, &label, value, line, out),
            Table::Processes => {
                let pid = label.split_whitespace().next().unwrap_or_default();
                if pid.bytes().all(|b| b.is_ascii_digit()) {
                    process(pid, node, "Total", value, line, out);
                }
            }
        }
    }
}

/// numastat prints HugePages_* in MB too; those rows are left to the node files, which have counts.
fn system_metric(label: &str) -> Option<(&str, f64)> {
    let word = label.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '(' | ')'));
    (word && !label.starts_with("HugePages_")).then_some((label, MB))
}

/// `numa.N` is all memory of the process on node N, `numa.N.heap` its heap ..., in bytes.
fn process(pid: &str, node: u32, label: &str, value: f64, line: u32, out: &mut Out) {
    let metric = match label {
        "Total" => format!("numa.{node}"),
        "Huge" | "Heap" | "Stack" | "Private" => format!("numa.{node}.{}", label.to_ascii_lowercase()),
        _ => return,
    };
    out.sample(&PID, pid, &metric, value * MB, line);
}
