//! Swap devices (`/proc/swaps`, `swapon -s`, `swapon --show`) and the slab caches of `/proc/slabinfo`.

use super::table::{cell, columns, number, size};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SLAB;
use crate::facts::schema::keys::memory;

pub static SWAPS: Parser = Parser {
    kind: "proc-swaps",
    names: &["*proc swaps*", "*swapon*", "*proc.swaps*"],
    sniff: swaps_sniff,
    parse: swaps_parse,
    binary: false,
};
pub static SLABINFO: Parser =
    Parser { kind: "proc-slabinfo", names: &["*slabinfo*"], sniff: slab_sniff, parse: slab_parse, binary: false };

fn is_header(line: &str) -> bool {
    let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    let first = words.first().is_some_and(|word| word == "filename" || word == "name");
    first && ["type", "size", "used"].iter().all(|word| words.iter().any(|have| have == word)) && words.len() < 12
}

fn swaps_sniff(doc: &Doc) -> Looks {
    if doc.head().take(5).any(is_header) { Looks::Yes } else { Looks::No }
}

fn swaps_parse(doc: &Doc, out: &mut Out) {
    let mut header: Option<(u32, Vec<&str>)> = None;
    let (mut total, mut used, mut devices, mut zram) = (0.0, 0.0, Vec::new(), 0usize);
    for (line, text) in doc.lines() {
        if is_header(text) {
            header = Some((line, text.split_whitespace().collect()));
            continue;
        }
        let Some((_, names)) = &header else { continue };
        let row: Vec<&str> = text.split_whitespace().collect();
        if row.len() < 4 {
            continue;
        }
        let [name, kind, bytes, in_use] = columns(names, [&["filename", "name"], &["type"], &["size"], &["used"]]);
        let value = |column| cell(&row, column).and_then(|text| size(text, 1024.0));
        let (Some(name), Some(_), Some(bytes), Some(in_use)) =
            (cell(&row, name), cell(&row, kind), value(bytes), value(in_use))
        else {
            out.note(line, "no row of a swap device");
            continue;
        };
        total += bytes;
        used += in_use;
        zram += usize::from(name.contains("zram"));
        devices.push(name.to_owned());
    }
    let Some((line, _)) = header else { return };
    let all_zram = !devices.is_empty() && zram == devices.len();
    out.num(&memory::SWAP_TOTAL, "", total, line);
    out.num(&memory::SWAP_USED, "", used, line);
    out.flag(&memory::SWAP_ZRAM, "", all_zram, line);
    out.list(&memory::SWAP_DEVICES, "", devices, line);
}

fn slab_sniff(doc: &Doc) -> Looks {
    // The caches of one control group (memory.kmem.slabinfo) are not the host's.
    if doc.path.contains("cgroup/") || doc.path.contains("kmem.slabinfo") {
        return Looks::No;
    }
    let header =
        |line: &str| line.starts_with("slabinfo - version:") || line.starts_with("# name            <active_objs>");
    if doc.head().any(|line| header(line) || slab_row(line).is_some()) { Looks::Yes } else { Looks::No }
}

/// `name active total size perslab pages : tunables ...`.
fn slab_row(line: &str) -> Option<(&str, [f64; 3])> {
    let (left, right) = line.split_once(" : tunables")?;
    if !right.contains(": slabdata") {
        return None;
    }
    let words: Vec<&str> = left.split_whitespace().collect();
    let at = words.len().checked_sub(5)?;
    let (name, numbers) = words.split_at_checked(at)?;
    let value = |index: usize| number(numbers.get(index)?);
    Some((name.first().copied()?, [value(0)?, value(1)?, value(2)?]))
}

fn slab_parse(doc: &Doc, out: &mut Out) {
    let mut largest: Option<(f64, &str, u32)> = None;
    for (line, text) in doc.lines() {
        let Some((name, [active, total, bytes])) = slab_row(text) else { continue };
        for (metric, value) in [("active_objs", active), ("num_objs", total), ("objsize", bytes)] {
            out.sample(&SLAB, "", &format!("{name}.{metric}"), value, line);
        }
        if largest.is_none_or(|(most, ..)| total * bytes > most) {
            largest = Some((total * bytes, name, line));
        }
    }
    if let Some((bytes, name, line)) = largest {
        out.text(&memory::SLAB_LARGEST, "", name, line);
        out.num(&memory::SLAB_LARGEST_BYTES, "", bytes, line);
    }
}
