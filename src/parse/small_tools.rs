//! Tools with a few lines to say: `taskset -p`, `/proc/PID/stack`, `runqlen -C`, `iotop -b`.

use std::collections::BTreeMap;

use super::tasks::{How, Task, is_number, put};
use super::time::{Clock, of_day};
use super::{Doc, Looks, Out, Parser, proc_pid};
use crate::facts::schema::keys::{cpu, process};
use crate::facts::{CpuSet, Grade, Value};

pub static TASKSET: Parser = Parser {
    kind: "taskset",
    names: &["taskset*", "*taskset_*"],
    sniff: taskset_sniff,
    parse: taskset_parse,
    binary: false,
};
pub static STACK: Parser = Parser {
    kind: "proc-pid-stack",
    names: &["*proc * stack", "*proc * task_stacks", "*pids * stack"],
    sniff: stack_sniff,
    parse: stack_parse,
    binary: false,
};
pub static RUNQLEN: Parser = Parser {
    kind: "runqlen",
    names: &["runqlen*", "*runqlen*"],
    sniff: runqlen_sniff,
    parse: runqlen_parse,
    binary: false,
};
pub static IOTOP: Parser =
    Parser { kind: "iotop", names: &["iotop*", "*iotop*"], sniff: iotop_sniff, parse: iotop_parse, binary: false };

/// `pid 20499's current affinity mask: 1`, `pid 7's new affinity list: 0-3`.
fn affinity(line: &str) -> Option<(&str, CpuSet)> {
    let rest = line.trim().strip_prefix("pid ")?;
    let (pid, rest) = rest.split_once("'s ")?;
    let (what, value) = rest.split_once(": ")?;
    let set = match what {
        "current affinity mask" | "new affinity mask" => CpuSet::parse_mask(value)?,
        "current affinity list" | "new affinity list" => CpuSet::parse_list(value)?,
        _ => return None,
    };
    is_number(pid).then_some((pid, set))
}

fn taskset_sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| affinity(line).is_some()) { Looks::Yes } else { Looks::No }
}

fn taskset_parse(doc: &Doc, out: &mut Out) {
    for (line, text) in doc.lines() {
        if let Some((pid, set)) = affinity(text) {
            out.cpus(&process::ALLOWED, pid, set, line);
        }
    }
}

/// `[<ffffffff81264a14>] call_rwsem_down_read_failed+0x14/0x30`
fn frame(line: &str) -> Option<&str> {
    let (address, rest) = line.trim().strip_prefix("[<")?.split_once(">] ")?;
    let hex = !address.is_empty() && address.bytes().all(|b| b.is_ascii_hexdigit());
    let (name, offset) = rest.split_once('+').unwrap_or((rest, "0x"));
    (hex && (offset.starts_with("0x") || name.starts_with("0x"))).then_some(name)
}

fn stack_sniff(doc: &Doc) -> Looks {
    let lines: Vec<&str> = doc.head().collect();
    let frames = lines.iter().filter(|line| frame(line).is_some()).count();
    if frames > 0 && frames * 4 >= lines.len() * 3 { Looks::Yes } else { Looks::No }
}

/// The function a task sleeps in is its first frame; of many stacks in one file, the most frequent one.
fn stack_parse(doc: &Doc, out: &mut Out) {
    let who = proc_pid::task(doc);
    let mut tops: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut first = true;
    for (line, text) in doc.lines() {
        let Some(name) = frame(text) else {
            first = true;
            continue;
        };
        if first && !name.starts_with("0x") {
            tops.entry(name).or_insert((0, line)).0 += 1;
        }
        first = name.starts_with("0xffff");
    }
    if let Some((name, (_, line))) = tops.iter().max_by_key(|(_, (count, _))| *count)
        && !who.thread
    {
        out.graded(&process::WCHAN, &who.id, Value::Text((*name).into()), Grade::Once, *line);
    }
}

fn runqlen_sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| line.split_whitespace().eq(["runqlen", ":", "count", "distribution"])) {
        Looks::Yes
    } else {
        Looks::No
    }
}

/// Mean of the histogram of each CPU's run queue.
fn runqlen_parse(doc: &Doc, out: &mut Out) {
    let mut current: Option<&str> = None;
    let mut sums: BTreeMap<&str, (f64, f64, u32)> = BTreeMap::new();
    for (line, text) in doc.lines() {
        if let Some(number) = text.trim().strip_prefix("cpu = ") {
            current = Some(number).filter(|number| is_number(number));
            continue;
        }
        let mut words = text.split_whitespace();
        let (Some(length), Some(":"), Some(count)) = (words.next(), words.next(), words.next()) else { continue };
        if let (Some(number), Ok(length), Ok(count)) = (current, length.parse::<f64>(), count.parse::<f64>()) {
            let sum = sums.entry(number).or_insert((0.0, 0.0, line));
            sum.0 += length * count;
            sum.1 += count;
        }
    }
    for (number, (sum, count, line)) in sums {
        if count > 0.0 {
            out.graded(&cpu::RUN_QUEUE, number, Value::Num(sum / count), Grade::Two, line);
        }
    }
}

fn iotop_header(line: &str) -> bool {
    line.contains("PRIO") && line.contains("DISK READ") && line.contains("DISK WRITE")
}

fn iotop_sniff(doc: &Doc) -> Looks {
    if doc.head().any(iotop_header) { Looks::Yes } else { Looks::No }
}

/// Bytes per second of `3.86 K/s`.
fn rate(number: &str, unit: &str) -> Option<f64> {
    super::table::size(&format!("{number}{}", unit.strip_suffix("/s")?), 1.0)
}

/// `123 be/4 root  0.00 B/s  3.86 K/s  0.00 %  0.10 % cmd`; with `-t` the time stands first.
fn iotop_parse(doc: &Doc, out: &mut Out) {
    let mut clock = Clock::default();
    let mut report = 0u32;
    let reports = doc.text.lines().filter(|line| iotop_header(line)).count();
    for (line, text) in doc.lines() {
        if iotop_header(text) {
            report = report.saturating_add(1);
            continue;
        }
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let mut time = None;
        if let Some((seconds, _)) = words.first().and_then(|word| of_day(word, None)) {
            time = Some(clock.seconds(seconds));
            words.remove(0);
        }
        let [id, prio, _, read, read_unit, write, write_unit, ..] = words.as_slice() else { continue };
        let (Some(task), true) = (Task::process(id), prio.contains('/')) else { continue };
        let how = match (reports, time) {
            (0 | 1, _) => How::Once(Grade::Once),
            (_, Some(time)) => How::At(time),
            (_, None) => How::At(f64::from(report)),
        };
        if let Some(value) = rate(read, read_unit) {
            put(out, &process::READ_BPS, &task.id, how, value, line);
        }
        if let Some(value) = rate(write, write_unit) {
            put(out, &process::WRITE_BPS, &task.id, how, value, line);
        }
    }
}
