//! `/proc/PID/{sched,schedstat}`, the same of all threads in one file, and `/proc/sched_debug`.

use super::super::table::pair;
use super::super::{Doc, Looks, Out, Parser};
use super::{sample, task};
use crate::facts::schema::keys::{cpu, host, process, thread};
use crate::facts::{Grade, Value};
use crate::parse::tasks::{Task, is_number};

pub static SCHED: Parser = Parser {
    kind: "proc-pid-sched",
    names: &["*proc * sched", "*pids * sched"],
    sniff: sched_sniff,
    parse: sched_parse,
    binary: false,
};
pub static SCHEDSTAT: Parser = Parser {
    kind: "proc-pid-schedstat",
    names: &["*proc * schedstat", "*pids * schedstat", "*task_schedstat*", "proc schedstat"],
    sniff: schedstat_sniff,
    parse: schedstat_parse,
    binary: false,
};
pub static DEBUG: Parser = Parser {
    kind: "proc-sched_debug",
    names: &["*sched_debug*", "*sched debug"],
    sniff: debug_sniff,
    parse: debug_parse,
    binary: false,
};

/// `redis-server (151, #threads: 5)`
fn title(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.trim().rsplit_once(" (")?;
    let (pid, _) = rest.split_once(", #threads: ")?;
    is_number(pid).then_some((name, pid))
}

fn sched_sniff(doc: &Doc) -> Looks {
    if doc.head().take(3).any(|line| title(line).is_some()) { Looks::Yes } else { Looks::No }
}

fn sched_parse(doc: &Doc, out: &mut Out) {
    let place = task(doc);
    let mut who = None;
    for (line, text) in doc.lines() {
        if let Some((name, pid)) = title(text) {
            let one = if place.thread { place.clone() } else { Task { id: pid.to_owned(), thread: false } };
            out.text(if one.thread { &thread::NAME } else { &process::NAME }, &one.id, name, line);
            who = Some(one);
        } else if let (Some(who), Some((key, value))) = (&who, pair(text))
            && let Ok(value) = value.parse::<f64>()
        {
            sample(out, who, &format!("sched.{key}"), value, line);
        }
    }
}

/// Three numbers, or four with the thread first.
fn numbers(line: &str) -> Option<Vec<f64>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let plain = words.iter().all(|word| word.bytes().all(|b| b.is_ascii_digit()));
    (plain && matches!(words.len(), 3 | 4)).then(|| words.iter().filter_map(|word| word.parse().ok()).collect())
}

fn schedstat_sniff(doc: &Doc) -> Looks {
    let mut any = false;
    for line in doc.head() {
        match numbers(line) {
            Some(_) => any = true,
            None => return Looks::No,
        }
    }
    if any { Looks::Maybe } else { Looks::No }
}

const NAMES: [&str; 3] = ["schedstat.run_ns", "schedstat.wait_ns", "schedstat.slices"];

fn schedstat_parse(doc: &Doc, out: &mut Out) {
    let place = task(doc);
    // A list of all threads of one process begins with its main thread.
    let mut leader: Option<&str> = None;
    for (line, text) in doc.lines() {
        let Some(values) = numbers(text) else { continue };
        let who = if values.len() == 4 {
            let Some(tid) = text.split_whitespace().next() else { continue };
            let pid = if place.id == "?" { *leader.get_or_insert(tid) } else { place.id.as_str() };
            Task { id: format!("{pid}/{tid}"), thread: true }
        } else {
            place.clone()
        };
        let skip = values.len().saturating_sub(3);
        for (name, value) in NAMES.iter().zip(values.iter().skip(skip)) {
            sample(out, &who, name, *value, line);
        }
    }
}

fn debug_sniff(doc: &Doc) -> Looks {
    let fits =
        |line: &str| line.starts_with("Sched Debug Version:") || (line.starts_with("cpu#") && line.ends_with("MHz"));
    if doc.head().any(fits) { Looks::Yes } else { Looks::No }
}

fn debug_parse(doc: &Doc, out: &mut Out) {
    let mut current: Option<&str> = None;
    for (line, text) in doc.lines() {
        if let Some(rest) = text.strip_prefix("Sched Debug Version: ") {
            if let Some(release) = rest.split_once(", ").and_then(|(_, rest)| rest.split_whitespace().next()) {
                out.text(&host::KERNEL, "", release, line);
            }
        } else if let Some(rest) = text.strip_prefix("cpu#") {
            current = rest.split(',').next().map(str::trim).filter(|number| is_number(number));
        } else if text.starts_with("cfs_rq[") || text.starts_with("rt_rq[") || text.starts_with("dl_rq[") {
            // Queues of groups have an nr_running of their own.
            current = None;
        } else if let (Some(number), Some((".nr_running", value))) = (current, pair(text))
            && let Ok(value) = value.parse::<f64>()
        {
            out.graded(&cpu::RUN_QUEUE, number, Value::Num(value), Grade::Once, line);
        }
    }
}
