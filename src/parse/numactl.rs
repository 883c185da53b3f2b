//! `numactl -H`: nodes with their CPUs, size, free memory (MB) and distances.

use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{host, numa_node};
use crate::facts::{CpuSet, Grade, Value};

pub static PARSER: Parser = Parser { kind: "numactl-H", names: &["*numactl*"], sniff, parse, binary: false };

const MB: f64 = 1_048_576.0;

/// `node N WORD: rest`.
fn node_row(line: &str) -> Option<(u32, &str, &str)> {
    let rest = line.trim_start().strip_prefix("node ")?;
    let (id, rest) = rest.trim_start().split_once(' ')?;
    let (word, rest) = rest.split_once(':')?;
    Some((id.parse().ok()?, word.trim(), rest.trim()))
}

fn sniff(doc: &Doc) -> Looks {
    let row = |line: &str| node_row(line).is_some_and(|(_, word, _)| matches!(word, "cpus" | "size" | "free"));
    match doc.text.lines().take(400).filter(|line| row(line)).take(2).count() {
        0 => Looks::No,
        1 => Looks::Maybe,
        _ => Looks::Yes,
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut columns: Option<Vec<u32>> = None;
    let mut cpus: Option<(u32, u32, String)> = None;
    for (line, text) in doc.lines() {
        let trimmed = text.trim();
        if let Some((id, first, list)) = &mut cpus {
            // A terminal or an editor may have wrapped the list.
            if !trimmed.is_empty() && trimmed.bytes().all(|b| b.is_ascii_digit() || b == b' ') {
                list.push(' ');
                list.push_str(trimmed);
                continue;
            }
            row(*id, "cpus", list, *first, out);
            cpus = None;
        }
        if let Some(rest) = trimmed.strip_prefix("available:") {
            if let Some(count) = rest.split_whitespace().next().and_then(|word| word.parse::<u32>().ok()) {
                out.num(&host::NODES, "", f64::from(count), line);
            }
        } else if let Some((id, word, rest)) = node_row(text) {
            if word == "cpus" {
                cpus = Some((id, line, rest.to_owned()));
            } else {
                row(id, word, rest, line, out);
            }
        } else if let Some(header) = trimmed.strip_prefix("node ") {
            columns = header.split_whitespace().map(|word| word.parse().ok()).collect();
        } else if let Some(columns) = &columns
            && let Some((id, rest)) = trimmed.split_once(':')
            && let Ok(id) = id.trim().parse::<u32>()
        {
            distances(id, rest, columns, line, out);
        }
    }
    if let Some((id, line, list)) = cpus {
        row(id, "cpus", &list, line, out);
    }
}

fn row(id: u32, word: &str, rest: &str, line: u32, out: &mut Out) {
    let name = id.to_string();
    match word {
        "cpus" => {
            let ids: Option<Vec<u32>> = rest.split_whitespace().map(|word| word.parse().ok()).collect();
            match ids {
                Some(ids) => out.cpus(&numa_node::CPUS, &name, CpuSet::from_ids(ids), line),
                None => out.note(line, "no list of CPUs"),
            }
        }
        "size" | "free" => {
            let mut words = rest.split_whitespace();
            let value = words.next().and_then(super::table::number);
            let factor = match words.next() {
                Some("MB") | None => MB,
                Some("kB" | "KB") => 1024.0,
                Some("GB") => MB * 1024.0,
                Some(_) => return out.note(line, "unknown unit"),
            };
            let (def, grade) = match word {
                "size" => (&numa_node::MEM_TOTAL, Grade::State),
                _ => (&numa_node::MEM_FREE, Grade::Once),
            };
            match value {
                Some(value) => out.graded(def, &name, Value::Num(value * factor), grade, line),
                None => out.missing(def, &name, rest, line),
            }
        }
        _ => {}
    }
}

fn distances(id: u32, rest: &str, columns: &[u32], line: u32, out: &mut Out) {
    let values: Vec<&str> = rest.split_whitespace().collect();
    if values.len() != columns.len() {
        out.note(line, "row of distances is cut");
        return;
    }
    out.list(&numa_node::DISTANCES, &id.to_string(), values.iter().map(|value| (*value).to_owned()), line);
}
