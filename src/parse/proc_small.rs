//! One-line files of the host: `/proc/uptime`, `/proc/loadavg`, `/proc/cmdline`, and the timestamp of a snapshot.

use super::stamp::{epoch, stamp};
use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::{LOADAVG, UPTIME};
use crate::facts::schema::keys::host;
use crate::facts::{CpuSet, Grade, Value};

pub static UPTIME_FILE: Parser = Parser {
    kind: "proc-uptime",
    names: &["proc uptime", "*proc uptime"],
    sniff: |doc| uptime(doc).map_or(Looks::No, |_| Looks::Maybe),
    parse: parse_uptime,
    binary: false,
};

pub static TIMESTAMP: Parser = Parser {
    kind: "timestamp",
    names: &["timestamp", "date", "*timestamp", "date +%s*", "*date +%s*"],
    sniff: |doc| moment(doc).map_or(Looks::No, |_| Looks::Maybe),
    parse: |doc, out| {
        if let Some((_, seconds)) = moment(doc) {
            out.clock(seconds);
        }
    },
    binary: false,
};

pub static LOADAVG_FILE: Parser = Parser {
    kind: "proc-loadavg",
    names: &["proc loadavg", "*loadavg"],
    sniff: |doc| load(doc).map_or(Looks::No, |_| Looks::Yes),
    parse: parse_load,
    binary: false,
};

pub static CMDLINE: Parser = Parser {
    kind: "proc-cmdline",
    names: &["proc cmdline", "*proc cmdline"],
    sniff: sniff_cmdline,
    parse: parse_cmdline,
    binary: false,
};

/// The only line that holds anything.
fn lone<'a>(doc: &Doc<'a>) -> Option<(u32, &'a str)> {
    let mut lines = doc.lines().filter(|(_, line)| !line.trim().is_empty());
    let first = lines.next()?;
    lines.next().is_none().then_some((first.0, first.1.trim()))
}

/// Seconds since boot and idle seconds of all CPUs, both with two decimals.
fn uptime(doc: &Doc) -> Option<(u32, f64, f64)> {
    let (line, text) = lone(doc)?;
    let mut words = text.split_ascii_whitespace();
    let decimal = |word: &str| if word.contains('.') { number(word) } else { None };
    let up = words.next().and_then(decimal)?;
    let idle = words.next().and_then(decimal)?;
    (words.next().is_none() && up >= 0.0 && idle >= 0.0).then_some((line, up, idle))
}

fn parse_uptime(doc: &Doc, out: &mut Out) {
    if let Some((line, up, idle)) = uptime(doc) {
        out.sample(&UPTIME, "", "uptime", up, line);
        out.sample(&UPTIME, "", "idle", idle, line);
    }
}

fn moment(doc: &Doc) -> Option<(u32, f64)> {
    let (line, text) = lone(doc)?;
    Some((line, epoch(text).or_else(|| stamp(text))?))
}

/// `0.21 0.37 0.39 1/719 19737`.
fn load(doc: &Doc) -> Option<(u32, [f64; 5])> {
    let (line, text) = lone(doc)?;
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let [one, five, fifteen, tasks, last] = words.as_slice() else { return None };
    let (running, total) = tasks.split_once('/')?;
    last.parse::<u32>().ok()?;
    let average = |word: &str| if word.contains('.') { number(word).filter(|value| *value >= 0.0) } else { None };
    let count = |word: &str| word.parse::<u32>().ok().map(f64::from);
    Some((line, [average(one)?, average(five)?, average(fifteen)?, count(running)?, count(total)?]))
}

fn parse_load(doc: &Doc, out: &mut Out) {
    let Some((line, values)) = load(doc) else { return };
    for (metric, value) in ["load1", "load5", "load15", "running", "tasks"].into_iter().zip(values) {
        out.sample(&LOADAVG, "", metric, value, line);
    }
    for (def, value) in [&host::LOAD1, &host::LOAD5, &host::LOAD15].into_iter().zip(values) {
        out.graded(def, "", Value::Num(value), Grade::Two, line);
    }
}

fn sniff_cmdline(doc: &Doc) -> Looks {
    let Some((_, text)) = lone(doc) else { return Looks::No };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let sure = words.first().is_some_and(|word| word.starts_with("BOOT_IMAGE="))
        || (words.len() >= 2
            && words.iter().any(|word| word.starts_with("root="))
            && words.iter().any(|word| matches!(*word, "ro" | "rw" | "quiet") || word.starts_with("console=")));
    if sure { Looks::Yes } else { Looks::Maybe }
}

fn parse_cmdline(doc: &Doc, out: &mut Out) {
    let Some((line, text)) = lone(doc) else { return };
    out.text(&host::CMDLINE, "", text, line);
    let isolated = text.split_ascii_whitespace().filter_map(|word| word.strip_prefix("isolcpus=")).next_back();
    let Some(value) = isolated else { return };
    // Flags come first: isolcpus=managed_irq,domain,2-5.
    let list: Vec<&str> = value.split(',').filter(|part| part.starts_with(|c: char| c.is_ascii_digit())).collect();
    match CpuSet::parse_list(&list.join(",")) {
        Some(set) if !set.is_empty() => out.cpus(&host::ISOLATED_CPUS, "", set, line),
        _ => out.note(line, format!("isolcpus={value} names no CPUs")),
    }
}
