//! `/proc/stat`: ticks per CPU and the host's event counters. Times are USER_HZ ticks (proc(5)); guest time is also inside user.

use std::collections::BTreeSet;

use super::stamp::stamp;
use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::{HOST_STAT, PROC_STAT};

pub static PARSER: Parser =
    Parser { kind: "proc-stat", names: &["proc stat", "*proc stat", "cat proc stat"], sniff, parse, binary: false };

/// Columns of a `cpu` line, in the kernel's order; older kernels print fewer.
const TICKS: [&str; 10] =
    ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"];
/// Lines with one number (of `intr` and `softirq` only the total, which comes first).
const EVENTS: [&str; 8] = ["ctxt", "btime", "processes", "procs_running", "procs_blocked", "intr", "softirq", "page"];

/// CPU number (`None` for the total) and ticks of a `cpu` line.
fn cpu_line(line: &str) -> Option<(Option<u32>, Vec<f64>)> {
    let mut words = line.split_ascii_whitespace();
    let id = words.next()?.strip_prefix("cpu")?;
    let id = if id.is_empty() { None } else { Some(id.parse().ok()?) };
    let ticks: Vec<f64> = words.map_while(count).collect();
    Some((id, ticks))
}

fn sniff(doc: &Doc) -> Looks {
    let (mut total, mut cpus, mut wide, mut events) = (false, 0, 0, 0);
    for line in doc.head() {
        if line.starts_with("version ") || line.starts_with("domain") {
            return Looks::No;
        }
        match cpu_line(line) {
            Some((None, ticks)) if ticks.len() >= 4 => total = true,
            Some((Some(_), ticks)) if ticks.len() >= 4 => {
                cpus += 1;
                wide += usize::from(ticks.len() == TICKS.len());
            }
            _ => {
                let word = line.split_ascii_whitespace().next().unwrap_or_default();
                events += usize::from(EVENTS.contains(&word) || word == "swap");
            }
        }
    }
    if (total && (cpus > 0 || events > 0)) || (cpus > 0 && events > 0) || wide > 0 || events >= 3 {
        Looks::Yes
    } else if total || cpus > 0 {
        Looks::Maybe
    } else {
        Looks::No
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut at = None;
    let mut seen = BTreeSet::new();
    for (number, line) in doc.lines() {
        if let Some((id, ticks)) = cpu_line(line) {
            if ticks.len() < 4 {
                out.note(number, "a cpu line with fewer than four numbers");
                continue;
            }
            if at.is_none() && !seen.insert(id) {
                out.note(number, "a second capture without a time; no rates come from it");
            }
            let name = id.map(|id| id.to_string());
            for (metric, value) in TICKS.iter().zip(ticks) {
                match &name {
                    Some(name) => out.sample_at(&PROC_STAT, name, metric, value, number, at),
                    None => out.sample_at(&HOST_STAT, "", metric, value, number, at),
                }
            }
            continue;
        }
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next() else { continue };
        if EVENTS.contains(&word) {
            let value = words.next().and_then(|word| word.parse::<f64>().ok());
            match value {
                // `intr` and `softirq` total would share the name of a tick column.
                Some(value) if word == "softirq" => out.sample_at(&HOST_STAT, "", "softirqs", value, number, at),
                Some(value) => out.sample_at(&HOST_STAT, "", word, value, number, at),
                None => out.note(number, format!("no number after '{word}'")),
            }
        } else if let Some(seconds) = stamp(line) {
            at = Some(seconds);
        }
    }
}
