//! `free` of every version and language. Nothing in the output says the unit: the command does, or a suffix, or else
//! the numbers themselves (the kernel counts in pages, so KiB are multiples of 4 and bytes of 4096).

use super::table::{number, size};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::memory;
use crate::facts::{Grade, Value};

pub static PARSER: Parser = Parser { kind: "free", names: &["free*", "*free_*"], sniff, parse, binary: false };

/// The label of a row and its cells.
fn row(line: &str) -> Option<(&str, Vec<&str>)> {
    let (label, rest) = line.split_once([':', '：'])?;
    let cells: Vec<&str> = rest.split_whitespace().collect();
    let sizes = cells.iter().all(|cell| size(cell, 1.0).is_some());
    (label.len() < 24 && !label.trim().contains(char::is_whitespace) && sizes && cells.len() >= 3)
        .then(|| (label.trim(), cells))
}

/// The memory row, the swap row, and where the header stands before them.
struct Table<'a> {
    header: Vec<&'a str>,
    memory: Vec<&'a str>,
    swap: Vec<&'a str>,
    lines: (u32, u32),
    /// The old `-/+ buffers/cache` row: then the last column is `cached`, not `available`.
    old: bool,
}

fn table<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Option<Table<'a>> {
    let mut header: Option<Vec<&str>> = None;
    let mut memory: Option<(u32, Vec<&str>)> = None;
    let mut old = false;
    for (number, line) in lines {
        if line.starts_with("-/+") {
            old = true;
            continue;
        }
        match (row(line), &memory) {
            (Some((label, cells)), None) if cells.len() >= 5 && cells.len() <= 8 => {
                let shaped = header.as_ref().is_some_and(|names| (5..=8).contains(&names.len()));
                if shaped || label == "Mem" {
                    memory = Some((number, cells));
                }
            }
            (Some((label, swap)), Some(_)) if swap.len() == 3 && !matches!(label, "Total" | "Low" | "High") => {
                let (at, cells) = memory?;
                return Some(Table {
                    header: header.unwrap_or_default(),
                    memory: cells,
                    swap,
                    lines: (at, number),
                    old,
                });
            }
            (Some(_), _) => {}
            (None, None) => {
                let words: Vec<&str> = line.split_whitespace().collect();
                let names = words.iter().all(|word| super::table::number(word).is_none());
                header = (names && words.len() >= 5).then_some(words);
            }
            (None, Some(_)) => {}
        }
    }
    let (at, cells) = memory?;
    let header = header?;
    // Without a swap row only the English header proves it.
    (header.first() == Some(&"total") && header.contains(&"free")).then(|| Table {
        header,
        memory: cells,
        swap: Vec::new(),
        lines: (at, at),
        old,
    })
}

fn sniff(doc: &Doc) -> Looks {
    // The tool's own refusal: no data, and no other tool's.
    if doc.head().next().is_some_and(|line| line.starts_with("free: ") && line.contains("option")) {
        return Looks::Yes;
    }
    if table(doc.head().take(20).map(|line| (0, line))).is_some() { Looks::Yes } else { Looks::No }
}

const KIB: f64 = 1024.0;

/// Bytes of a bare number.
fn unit(doc: &Doc, table: &Table) -> (f64, bool) {
    for word in doc.words().iter().filter(|word| word.starts_with('-')) {
        let known = match *word {
            "--bytes" => 1.0,
            "--kibi" | "--kilo" => KIB,
            "--mebi" | "--mega" => KIB * KIB,
            "--gibi" | "--giga" => KIB * KIB * KIB,
            word if word.starts_with("--") => continue,
            word if word.contains('b') => 1.0,
            word if word.contains('k') => KIB,
            word if word.contains('m') => KIB * KIB,
            word if word.contains('g') => KIB * KIB * KIB,
            _ => continue,
        };
        return (known, true);
    }
    let bare: Vec<f64> = table.memory.iter().chain(&table.swap).filter_map(|cell| number(cell)).collect();
    let total = bare.first().copied().unwrap_or_default();
    let multiple = |of: f64| {
        let swap = table.swap.first().and_then(|cell| number(cell));
        [bare.first().copied(), bare.get(2).copied(), swap].into_iter().flatten().all(|value| value % of == 0.0)
    };
    if total >= 67_108_864.0 && multiple(4096.0) && total > 1e9 {
        (1.0, false)
    } else if total >= 32_768.0 && multiple(4.0) {
        (KIB, false)
    } else if total >= 64.0 {
        (KIB * KIB, false)
    } else {
        (KIB * KIB * KIB, false)
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    // `free -b; cat /proc/meminfo` in one file is common.
    if doc.head().any(|line| line.starts_with("MemTotal:") || line.starts_with("MemFree:")) {
        (super::meminfo::PARSER.parse)(doc, out);
    }
    let Some(table) = table(doc.lines()) else { return };
    let (bytes, told) = unit(doc, &table);
    let suffixed = table.memory.iter().any(|cell| cell.ends_with(|c: char| c.is_alphabetic()));
    if !told && !suffixed && bytes != KIB {
        let name = if bytes == 1.0 {
            "bytes"
        } else if bytes == KIB * KIB {
            "MiB"
        } else {
            "GiB"
        };
        out.note(table.lines.0, format!("the unit is not said; the numbers look like {name}"));
    }
    let at = |name: &str, position: usize| -> Option<f64> {
        let english = table.header.contains(&"total");
        let index = if english { table.header.iter().position(|word| *word == name) } else { Some(position) };
        size(table.memory.get(index?)?, bytes)
    };
    let (line, swap_line) = table.lines;
    let last = table.memory.len().saturating_sub(1);
    let available = if table.old || table.header.contains(&"cached") { None } else { at("available", last) };
    let split = table.header.contains(&"cached");
    let cache = if split { at("buffers", 4).zip(at("cached", 5)).map(|(a, b)| a + b) } else { at("buff/cache", 4) };
    for (def, value) in [
        (&memory::TOTAL, at("total", 0)),
        (&memory::FREE, at("free", 2)),
        (&memory::AVAILABLE, available),
        (&memory::FILE_CACHE, cache),
    ] {
        if let Some(value) = value {
            let grade = if def == &memory::TOTAL { Grade::State } else { Grade::Once };
            out.graded(def, "", Value::Num(value), grade, line);
        }
    }
    let swap = |index: usize| size(table.swap.get(index)?, bytes);
    for (def, value) in [(&memory::SWAP_TOTAL, swap(0)), (&memory::SWAP_USED, swap(1))] {
        if let Some(value) = value {
            let grade = if def == &memory::SWAP_TOTAL { Grade::State } else { Grade::Once };
            out.graded(def, "", Value::Num(value), grade, swap_line);
        }
    }
}
