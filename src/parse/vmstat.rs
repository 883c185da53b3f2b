//! `vmstat`: the table of all versions (`-a -t -w -n -S`, `gu`), the disk table (`-d`) and the list (`-s`).
//!
//! The first row is the average since boot unless `-y` was given; only its task and memory columns are instantaneous.

use super::sysstat::interval;
use super::table::number;
use super::time::{Clock, of_day};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::{DISKSTATS, HOST_STAT, VMSTAT};
use crate::facts::schema::keys::{host, memory};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser = Parser { kind: "vmstat", names: &["vmstat*", "*vmstat*"], sniff, parse, binary: false };

const KIB: f64 = 1024.0;

fn sniff(doc: &Doc) -> Looks {
    let mut groups = false;
    let mut bare = 0;
    let mut list = 0;
    for line in doc.head() {
        if columns(line).is_some() || disk_header(line) {
            return Looks::Yes;
        }
        if groups && by_position(line.split_whitespace().count()).is_some() && !line.contains('/') {
            return Looks::Yes;
        }
        groups = group_line(line);
        list += usize::from(list_item(line).is_some());
        bare += usize::from(bare_row(line));
    }
    if list >= 3 || bare >= 2 { Looks::Yes } else { Looks::No }
}

/// `procs ---memory--- ---swap-- ---io---- -system-- ---cpu---`, in any language.
fn group_line(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    (5..=8).contains(&words.len()) && words.iter().filter(|word| word.contains("--")).count() >= 4
}

/// The column names of a header line in English.
fn columns(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let has = |name: &str| cells.contains(&name);
    let fits = cells.first() == Some(&"r") && has("b") && (has("free") || has("si") || has("us"));
    fits.then_some(cells)
}

const NAMES: &[&str] = &[
    "r", "b", "swpd", "free", "buff", "cache", "si", "so", "bi", "bo", "in", "cs", "us", "sy", "id", "wa", "st", "gu",
];

/// The order of columns never changes: a translated header is read by its length (a time zone may follow).
fn by_position(count: usize) -> Option<Vec<&'static str>> {
    (16..=19).contains(&count).then(|| NAMES.iter().copied().take(count).collect())
}

/// A row without header: sixteen or more whole numbers, the last ones percentages that make up a whole.
fn bare_row(line: &str) -> bool {
    let values: Option<Vec<u64>> = line.split_whitespace().map(|cell| cell.parse().ok()).collect();
    values.is_some_and(|values| {
        (16..=18).contains(&values.len())
            && values.get(12..).is_some_and(|cpu| {
                let sum = cpu.iter().fold(0u64, |sum, value| sum.saturating_add(*value));
                (97..=103).contains(&sum)
            })
    })
}

fn disk_header(line: &str) -> bool {
    line.starts_with("disk-") && line.contains("-reads-") && line.contains("-writes-")
}

fn parse(doc: &Doc, out: &mut Out) {
    if doc.head().any(disk_header) {
        return disks(doc, out);
    }
    if doc.head().filter(|line| list_item(line).is_some()).count() >= 3 {
        return list(doc, out);
    }
    rows(doc, out);
}

struct Row {
    at: f64,
    line: u32,
    /// r, b, swpd, free, ...: value by name.
    values: Vec<(&'static str, f64)>,
}

fn rows(doc: &Doc, out: &mut Out) {
    let words = doc.words();
    let step = interval(&words).unwrap_or(1.0);
    let named = words.iter().any(|word| word.ends_with("vmstat"));
    let unit = unit(&words);
    let mut clock = Clock::default();
    let mut header: Option<Vec<&'static str>> = None;
    let mut groups = false;
    let mut found: Vec<Row> = Vec::new();
    let mut index = 0u32;
    for (line_no, line) in doc.lines() {
        if let Some(cells) = columns(line) {
            let names: Vec<&'static str> = cells.iter().map_while(|cell| known(cell)).collect();
            // Translated names end the list early; the order is the same in every language.
            header = if names.len() < 16 { by_position(cells.len()).or(Some(names)) } else { Some(names) };
            continue;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        let numeric = cells.iter().take_while(|cell| cell.bytes().all(|b| b.is_ascii_digit())).count();
        if numeric < 12 {
            if groups && header.is_none() {
                header = by_position(cells.len().min(18));
            }
            groups = group_line(line);
            if numeric > 2 && !groups {
                out.note(line_no, "a row of vmstat that is cut");
            }
            continue;
        }
        groups = false;
        let names = match &header {
            Some(names) => names.clone(),
            None => match by_position(numeric) {
                Some(names) => {
                    out.note(line_no, "header inferred: columns of vmstat by their number");
                    header = Some(names.clone());
                    names
                }
                None => continue,
            },
        };
        if numeric < names.len() {
            out.note(line_no, "row shorter than its header");
        }
        let values = names.iter().zip(&cells).filter_map(|(name, cell)| Some((*name, number(cell)?))).collect();
        let time = cells
            .get(numeric..)
            .and_then(|tail| tail.iter().enumerate().find_map(|(at, word)| of_day(word, tail.get(at + 1).copied())));
        let at = match time {
            Some((time, _)) => clock.seconds(time),
            None => f64::from(index) * step,
        };
        index = index.saturating_add(1);
        found.push(Row { at, line: line_no, values });
    }
    let skip_first = words.iter().all(|word| !(word.starts_with('-') && word.contains('y')));
    let only = found.len() == 1;
    for (index, row) in found.iter().enumerate() {
        write(row, index == 0 && skip_first, only, unit, out);
    }
    if named && let Some(row) = found.last() {
        for (name, def) in [("free", &memory::FREE), ("swpd", &memory::SWAP_USED)] {
            if let Some(value) = value(row, name) {
                out.graded(def, "", Value::Num(value * unit), Grade::Once, row.line);
            }
        }
        if let (Some(buffers), Some(cache)) = (value(row, "buff"), value(row, "cache")) {
            let cache = Value::Num((buffers + cache) * unit);
            out.graded(&memory::FILE_CACHE, "", cache, Grade::Once, row.line);
        }
    }
}

fn known(cell: &str) -> Option<&'static str> {
    NAMES.iter().copied().chain(["inact", "active"]).find(|name| *name == cell)
}

fn value(row: &Row, name: &str) -> Option<f64> {
    row.values.iter().find(|(have, _)| *have == name).map(|(_, value)| *value)
}

/// Bytes of one unit of the memory and swap columns. The output does not say; only the command does.
fn unit(words: &[&str]) -> f64 {
    let after = |at: usize| words.get(at + 1).copied();
    let letter = words.iter().enumerate().find_map(|(at, word)| {
        let rest = word.strip_prefix("-S").or_else(|| (word.starts_with('-') && word.ends_with('S')).then_some(""))?;
        if rest.is_empty() { after(at) } else { Some(rest) }
    });
    match letter {
        Some("k") => 1000.0,
        Some("m") => 1e6,
        Some("M") => KIB * KIB,
        _ => KIB,
    }
}

fn write(row: &Row, since_boot: bool, only: bool, unit: f64, out: &mut Out) {
    let mut put = |def: &'static FactDef, value: Option<f64>, instant: bool| {
        let Some(value) = value.filter(|value| *value >= 0.0) else { return };
        match (since_boot, instant) {
            (true, true) if only => out.graded(def, "", Value::Num(value), Grade::Once, row.line),
            (true, false) if only => out.graded(def, "", Value::Num(value), Grade::SinceBoot, row.line),
            (true, false) => {}
            _ => out.point(def, "", row.at, value, row.line),
        }
    };
    let get = |name: &str| value(row, name);
    let percent = |name: &str| get(name).filter(|value| *value <= 100.0).map(|value| value / 100.0);
    put(&host::RUNNABLE, get("r"), true);
    put(&host::BLOCKED, get("b"), true);
    put(&host::CONTEXT_SWITCHES, get("cs"), false);
    put(&host::INTERRUPTS, get("in"), false);
    put(&memory::SWAP_IN, get("si").map(|value| value * unit), false);
    put(&memory::SWAP_OUT, get("so").map(|value| value * unit), false);
    put(&host::BLOCK_IN, get("bi").map(|value| value * KIB), false);
    put(&host::BLOCK_OUT, get("bo").map(|value| value * KIB), false);
    put(&host::USER, percent("us").map(|us| us + percent("gu").unwrap_or_default()), false);
    put(&host::SYSTEM, percent("sy"), false);
    put(&host::IOWAIT, percent("wa"), false);
    put(&host::STEAL, percent("st"), false);
    put(&host::IDLE, percent("id"), false);
    if let (Some(idle), Some(wait)) = (percent("id"), percent("wa")) {
        put(&host::BUSY, Some((1.0 - idle - wait).max(0.0)), false);
    }
}

/// Columns of `vmstat -d` after the name, as `/proc/diskstats` calls them; `sec` is I/O time.
const DISK_COLUMNS: &[(&str, f64)] = &[
    ("reads", 1.0),
    ("reads_merged", 1.0),
    ("read_sectors", 1.0),
    ("read_ms", 1.0),
    ("writes", 1.0),
    ("writes_merged", 1.0),
    ("write_sectors", 1.0),
    ("write_ms", 1.0),
    ("in_flight", 1.0),
    ("io_ms", 1000.0),
];

fn disks(doc: &Doc, out: &mut Out) {
    let step = interval(&doc.words()).unwrap_or(1.0);
    let mut seen: std::collections::BTreeMap<&str, u32> = std::collections::BTreeMap::new();
    let repeated = doc.text.lines().filter(|line| line.starts_with("disk-")).count() > 1
        || doc.words().iter().filter(|word| word.parse::<f64>().is_ok()).count() > 0;
    for (line_no, line) in doc.lines() {
        let mut cells = line.split_whitespace();
        let Some(name) = cells.next() else { continue };
        if cells.filter(|cell| cell.parse::<u64>().is_ok()).count() < DISK_COLUMNS.len() {
            continue;
        }
        let count = seen.entry(name).or_insert(0);
        let at = repeated.then(|| f64::from(*count) * step);
        *count += 1;
        for ((metric, factor), cell) in DISK_COLUMNS.iter().zip(line.split_whitespace().skip(1)) {
            if let Some(value) = number(cell) {
                out.sample_at(&DISKSTATS, name, metric, value * factor, line_no, at);
            }
        }
    }
}

/// `24684092 K total memory`, `12 pages swapped in`.
fn list_item(line: &str) -> Option<(f64, &str)> {
    let (digits, text) = line.trim_start().split_once(' ')?;
    let value = digits.parse::<f64>().ok()?;
    let known = text.starts_with("K ")
        || text.ends_with("cpu ticks")
        || text.ends_with("CPU context switches")
        || text.starts_with("pages ")
        || text.starts_with("K paged ")
        || matches!(text, "interrupts" | "boot time" | "forks" | "softirq" | "IRQ");
    known.then_some((value, text.trim()))
}

fn list(doc: &Doc, out: &mut Out) {
    for (line_no, line) in doc.lines() {
        let Some((value, text)) = list_item(line) else { continue };
        let kib = value * KIB;
        match text {
            "K total memory" => out.num(&memory::TOTAL, "", kib, line_no),
            "K free memory" => out.num(&memory::FREE, "", kib, line_no),
            "K total swap" => out.num(&memory::SWAP_TOTAL, "", kib, line_no),
            "K used swap" => out.num(&memory::SWAP_USED, "", kib, line_no),
            "pages swapped in" => out.sample(&VMSTAT, "", "pswpin", value, line_no),
            "pages swapped out" => out.sample(&VMSTAT, "", "pswpout", value, line_no),
            "pages paged in" | "K paged in" => out.sample(&VMSTAT, "", "pgpgin", value, line_no),
            "pages paged out" | "K paged out" => out.sample(&VMSTAT, "", "pgpgout", value, line_no),
            "CPU context switches" => out.sample(&HOST_STAT, "", "ctxt", value, line_no),
            "boot time" => out.sample(&HOST_STAT, "", "btime", value, line_no),
            "forks" => out.sample(&HOST_STAT, "", "processes", value, line_no),
            _ => {
                let name = match text.trim_end_matches(" cpu ticks") {
                    "non-nice user" => "user",
                    "nice user" => "nice",
                    "system" => "system",
                    "idle" => "idle",
                    "IO-wait" => "iowait",
                    "IRQ" => "irq",
                    "softirq" => "softirq",
                    "stolen" => "steal",
                    _ => continue,
                };
                out.sample(&HOST_STAT, "", name, value, line_no);
            }
        }
    }
}
