//! `/proc/PID/{io,limits,smaps_rollup}`: keys with values.

use super::super::table::pair;
use super::super::{Doc, Looks, Out, Parser};
use super::{sample, task};
use crate::facts::schema::keys::process;

pub static IO: Parser = Parser {
    kind: "proc-pid-io",
    names: &["*proc * io", "proc io*", "*pids * io"],
    sniff: io_sniff,
    parse: io_parse,
    binary: false,
};
pub static LIMITS: Parser = Parser {
    kind: "proc-pid-limits",
    names: &["*proc * limits", "proc limits*", "*pids * limits"],
    sniff: limits_sniff,
    parse: limits_parse,
    binary: false,
};
pub static SMAPS: Parser = Parser {
    kind: "proc-pid-smaps_rollup",
    names: &["*smaps_rollup*"],
    sniff: smaps_sniff,
    parse: smaps_parse,
    binary: false,
};

fn io_sniff(doc: &Doc) -> Looks {
    const KEYS: &[&str] = &["rchar: ", "wchar: ", "syscr: ", "syscw: ", "read_bytes: ", "write_bytes: "];
    let found = doc.head().take(12).filter(|line| KEYS.iter().any(|key| line.starts_with(key))).count();
    if found >= 2 { Looks::Yes } else { Looks::No }
}

fn io_parse(doc: &Doc, out: &mut Out) {
    let who = task(doc);
    for (line, text) in doc.lines() {
        if let Some((key, value)) = pair(text)
            && let Ok(value) = value.parse::<f64>()
        {
            sample(out, &who, &format!("io.{key}"), value, line);
        }
    }
}

fn limits_sniff(doc: &Doc) -> Looks {
    let fits = |line: &str| {
        (line.starts_with("Limit ") && line.contains("Soft Limit") && line.contains("Hard Limit"))
            || line.starts_with("Max open files  ")
    };
    if doc.head().take(20).any(fits) { Looks::Yes } else { Looks::No }
}

/// Names hold single blanks; columns are two blanks or more apart. "unlimited" is no limit, and no number.
fn limits_parse(doc: &Doc, out: &mut Out) {
    let who = task(doc);
    if who.thread {
        return;
    }
    for (line, text) in doc.lines() {
        let Some(rest) = text.strip_prefix("Max ") else { continue };
        let mut columns = rest.split("  ").map(str::trim).filter(|column| !column.is_empty());
        let (Some(name), Some(soft)) = (columns.next(), columns.next()) else { continue };
        let (def, soft) = match name {
            "open files" => (&process::FD_LIMIT, soft),
            "processes" => (&process::PROC_LIMIT, soft),
            "locked memory" => (&process::LOCK_LIMIT, soft),
            _ => continue,
        };
        if let Some(value) = soft.split_whitespace().next().and_then(|word| word.parse::<f64>().ok()) {
            out.num(def, &who.id, value, line);
        }
    }
}

fn smaps_sniff(doc: &Doc) -> Looks {
    let mut head = doc.head();
    let first = head.next().unwrap_or_default();
    if first.ends_with("[rollup]") {
        return Looks::Yes;
    }
    let keys = doc.head().take(30).filter(|line| line.starts_with("Pss") || line.starts_with("Shared_")).count();
    if keys >= 3 { Looks::Yes } else { Looks::No }
}

fn smaps_parse(doc: &Doc, out: &mut Out) {
    let who = task(doc);
    for (line, text) in doc.lines() {
        let Some((key, value)) = pair(text) else { continue };
        if let Some(kib) = value.strip_suffix(" kB").and_then(|kib| kib.trim().parse::<f64>().ok()) {
            sample(out, &who, &format!("smaps.{key}"), kib * 1024.0, line);
        }
    }
}
