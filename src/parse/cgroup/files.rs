//! What the files hold: one number, `key number` rows, `device key=number` rows, CPU lists, process ids.

use std::collections::BTreeMap;

use super::path::Where;
use crate::facts::schema::keys::family::CGROUP;
use crate::facts::schema::keys::{cgroup, process};
use crate::facts::{CpuSet, FactDef, Grade, Value};
use crate::parse::Out;
use crate::parse::pressure::psi_line;
use crate::parse::table::number;

/// Limits at or above this are "no limit" in v1 (`PAGE_COUNTER_MAX` in bytes is near 2^63).
const NO_LIMIT: f64 = 1_152_921_504_606_846_976.0;
const MICROSECOND: f64 = 1e-6;
/// Default of `cpu.shares`, equal to `cpu.weight` 100 (kernel/sched/core.c).
const DEFAULT_SHARES: f64 = 1024.0;
const DEFAULT_WEIGHT: f64 = 100.0;
/// Process ids of one group that become facts.
const MAX_PROCS: u32 = 20_000;

/// What only the end of a text can tell.
#[derive(Default)]
pub struct Collected {
    processes: BTreeMap<String, (u32, u32)>,
}

impl Collected {
    pub fn finish(self, out: &mut Out) {
        for (group, (count, line)) in self.processes {
            out.graded(&cgroup::PROCS, &group, Value::Num(f64::from(count)), Grade::Once, line);
        }
    }
}

/// True when a line could stand in that file.
pub fn fits(file: &str, line: &str) -> bool {
    if file.ends_with(".pressure") {
        return psi_line(line).is_some() || matches!(line.trim(), "0" | "1");
    }
    if of_cpus(file) {
        return CpuSet::parse_list(line).is_some();
    }
    let mut words = line.split_ascii_whitespace();
    match (words.next(), words.next()) {
        (Some(first), None) => value(first).is_some() || file.starts_with("cgroup."),
        (Some(_), Some(second)) => {
            value(second).is_some()
                || second.contains('=')
                || matches!(second, "Read" | "Write" | "Sync" | "Async" | "Discard")
                || file.starts_with("cgroup.")
        }
        _ => true,
    }
}

/// A number; `max` is no limit and infinite.
fn value(word: &str) -> Option<f64> {
    if word == "max" { Some(f64::INFINITY) } else { number(word) }
}

fn of_cpus(file: &str) -> bool {
    matches!(file.split('.').next(), Some("cpuset"))
        && (file.contains("cpus") || file.contains("mems"))
        && !file.ends_with("partition")
        && !file.ends_with("exclusive")
}

/// Reads one line of a file.
pub fn feed(place: &Where, line: &str, at: u32, collected: &mut Collected, out: &mut Out) {
    let (group, file) = (place.group.as_str(), place.file.as_str());
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let Some(first) = words.first().copied() else { return };
    if let Some((level, pairs)) = psi_line(line) {
        for (key, value) in pairs {
            out.sample(&CGROUP, group, &format!("{file}.{level}.{key}"), value, at);
        }
        return;
    }
    if of_cpus(file) {
        let def = if file.contains("mems") { &cgroup::CPUSET_MEMS } else { &cgroup::CPUSET };
        match CpuSet::parse_list(line) {
            Some(set) if !set.is_empty() => out.cpus(def, group, set, at),
            Some(_) => {}
            None => out.note(at, format!("'{}' is no list", line.trim())),
        }
        return;
    }
    match file {
        "cgroup.procs" => {
            let counted = collected.processes.entry(group.to_owned()).or_insert((0, at));
            if first.parse::<u32>().is_ok() {
                counted.0 = counted.0.saturating_add(1);
                if counted.0 <= MAX_PROCS && group != "(unnamed)" {
                    out.text(&process::CGROUP, first, group, at);
                }
            }
        }
        "cpu.max" => quota(group, &words, at, out),
        // Lists of words or one number per CPU: nothing reads them.
        "cgroup.type" | "cgroup.controllers" | "cgroup.subtree_control" | "cgroup.threads" => {}
        _ if file.starts_with("cpuacct.usage_percpu") || file == "cpuacct.usage_all" => {}
        _ => numbers(group, file, &words, at, out),
    }
}

/// `200000 100000` or `max 100000`: quota and period in microseconds.
fn quota(group: &str, words: &[&str], at: u32, out: &mut Out) {
    let (Some(quota), Some(period)) = (words.first().copied().and_then(value), words.get(1).copied().and_then(number))
    else {
        out.note(at, "cpu.max holds no quota and period");
        return;
    };
    out.num(&cgroup::VERSION, group, 2.0, at);
    out.flag(&cgroup::HAS_QUOTA, group, quota.is_finite(), at);
    if period > 0.0 {
        out.num(&cgroup::PERIOD, group, period * MICROSECOND, at);
        // Infinite without a quota; such a fact is not put.
        out.num(&cgroup::QUOTA_CPUS, group, quota / period, at);
    }
}

fn numbers(group: &str, file: &str, words: &[&str], at: u32, out: &mut Out) {
    match words {
        [one] => match value(one) {
            Some(value) => single(group, file, value, at, out),
            None if one.contains('=') => pairs(group, file, words, at, out),
            None => {}
        },
        [_, second, ..] if second.contains('=') => pairs(group, file, words, at, out),
        [key, number] => match value(number) {
            Some(value) => keyed(group, file, key, value, at, out),
            None => out.note(at, format!("'{number}' is no number")),
        },
        [device, operation, number] => match value(number) {
            Some(value) => out.sample(&CGROUP, group, &format!("{file}.{device}.{operation}"), value, at),
            None => out.note(at, format!("'{number}' is no number")),
        },
        _ => {}
    }
}

/// `8:0 rbytes=512 wbytes=0` and `total=12 N0=5 N1=7`.
fn pairs(group: &str, file: &str, words: &[&str], at: u32, out: &mut Out) {
    let Some((first, rest)) = words.split_first() else { return };
    let (name, rest) = match first.split_once('=') {
        Some((name, total)) => {
            if let Some(total) = number(total) {
                out.sample(&CGROUP, group, &format!("{file}.{name}"), total, at);
            }
            (name, rest)
        }
        None => (*first, rest),
    };
    for pair in rest {
        let Some((key, text)) = pair.split_once('=') else { continue };
        if let Some(value) = value(text).filter(|value| value.is_finite()) {
            out.sample(&CGROUP, group, &format!("{file}.{name}.{key}"), value, at);
        }
    }
}

fn keyed(group: &str, file: &str, key: &str, value: f64, at: u32, out: &mut Out) {
    let nanoseconds = match key {
        "throttled_time" => Some("throttled_usec"),
        "burst_time" => Some("burst_usec"),
        _ => None,
    };
    match nanoseconds.filter(|_| file.starts_with("cpu.stat")) {
        Some(name) => out.sample(&CGROUP, group, &format!("{file}.{name}"), value / 1000.0, at),
        None => out.sample(&CGROUP, group, &format!("{file}.{key}"), value, at),
    }
    if file == "cpu.stat" && matches!(key, "throttled_time" | "throttled_usec") {
        out.num(&cgroup::VERSION, group, if key == "throttled_time" { 1.0 } else { 2.0 }, at);
    }
}

fn single(group: &str, file: &str, value: f64, at: u32, out: &mut Out) {
    // The v2 name of a v1 file with the same meaning.
    let name = match file {
        "memory.usage_in_bytes" => "memory.current",
        "memory.max_usage_in_bytes" => "memory.peak",
        "cpuacct.usage" => "cpuacct.usage_usec",
        _ => file,
    };
    let scaled = if name == "cpuacct.usage_usec" { value / 1000.0 } else { value };
    out.sample(&CGROUP, group, name, scaled, at);
    let limit = |out: &mut Out, def: &'static FactDef| {
        if value < NO_LIMIT {
            out.num(def, group, value, at);
        }
    };
    let gauge = |out: &mut Out, def: &'static FactDef| {
        out.graded(def, group, Value::Num(value), Grade::Once, at);
    };
    match file {
        "cpu.cfs_quota_us" => {
            out.num(&cgroup::VERSION, group, 1.0, at);
            out.flag(&cgroup::HAS_QUOTA, group, value > 0.0, at);
        }
        "cpu.cfs_period_us" => out.num(&cgroup::PERIOD, group, value * MICROSECOND, at),
        "cpu.max.burst" | "cpu.cfs_burst_us" => out.num(&cgroup::BURST, group, value * MICROSECOND, at),
        "cpu.weight" => out.num(&cgroup::WEIGHT, group, value, at),
        "cpu.shares" => out.num(&cgroup::WEIGHT, group, value / DEFAULT_SHARES * DEFAULT_WEIGHT, at),
        "memory.max" | "memory.limit_in_bytes" => limit(out, &cgroup::MEM_LIMIT),
        "memory.high" => limit(out, &cgroup::MEM_HIGH),
        "memory.swap.max" => limit(out, &cgroup::SWAP_LIMIT),
        "memory.current" | "memory.usage_in_bytes" => gauge(out, &cgroup::MEM_USED),
        "memory.swap.current" => gauge(out, &cgroup::SWAP_USED),
        "pids.max" => limit(out, &cgroup::PIDS_LIMIT),
        "pids.current" => gauge(out, &cgroup::PIDS),
        _ => {}
    }
}
