//! `/sys/devices/system/cpu`: which CPUs exist and are online, frequency and topology of each. Values are bare; the path
//! says what they are. `offline` also lists CPUs that are not there at all, so it counts only beside `present`.

use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{cpu, host};
use crate::facts::{CpuSet, FactDef, Grade, Value};

pub static PARSER: Parser =
    Parser { kind: "sys-cpu", names: &["*system cpu *", "*sys devices system cpu *"], sniff, parse, binary: false };

/// Folder below `cpu/` and file: `("cpu3/cpufreq", "scaling_cur_freq")`.
fn of_path<'a>(doc: &'a Doc) -> Option<(&'a str, &'a str)> {
    let path = if doc.command.is_empty() { &doc.place.rel } else { doc.command };
    let (_, below) = path.split_once("system/cpu/")?;
    let below = below.strip_suffix(".txt").unwrap_or(below);
    Some(below.rsplit_once('/').unwrap_or(("", below)))
}

/// `/sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq:800000` of a grep.
fn gathered(line: &str) -> Option<(&str, &str, &str)> {
    let (path, value) = line.split_once(':')?;
    let (_, below) = path.split_once("system/cpu/")?;
    let (folder, file) = below.rsplit_once('/').unwrap_or(("", below));
    Some((folder, file, value.trim()))
}

fn list(file: &str) -> Option<&'static FactDef> {
    match file {
        "online" => Some(&host::ONLINE_CPUS),
        "present" => Some(&host::PRESENT_CPUS),
        "offline" => Some(&host::NOT_ONLINE_CPUS),
        "isolated" => Some(&host::ISOLATED_CPUS),
        _ => None,
    }
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| gathered(line).is_some()) {
        return Looks::Yes;
    }
    match of_path(doc) {
        Some(_) if doc.head().count() <= 2 => Looks::Maybe,
        _ => Looks::No,
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    if doc.head().any(|line| gathered(line).is_some()) {
        for (number, line) in doc.lines() {
            if let Some((folder, file, value)) = gathered(line) {
                one(folder, file, value, number, out);
            }
        }
        return;
    }
    let Some((folder, file)) = of_path(doc) else { return };
    let (number, value) = doc.lines().find(|(_, line)| !line.trim().is_empty()).unwrap_or((doc.first_line, ""));
    one(folder, file, value.trim(), number, out);
}

fn one(folder: &str, file: &str, value: &str, number: u32, out: &mut Out) {
    if folder.is_empty() {
        let Some(def) = list(file) else { return };
        match CpuSet::parse_list(value) {
            // An empty list is an answer: no CPU is isolated.
            Some(set) => {
                if file == "online" {
                    out.num(&host::CPUS_ONLINE, "", u32::try_from(set.len()).map_or(f64::INFINITY, f64::from), number);
                }
                out.cpus(def, "", set, number);
            }
            None => out.note(number, format!("'{value}' is no list of CPUs")),
        }
        return;
    }
    let Some(id) = folder.split('/').next().and_then(|first| first.strip_prefix("cpu")) else { return };
    if id.parse::<u32>().is_err() {
        return;
    }
    const KILOHERTZ: f64 = 1000.0;
    match file {
        "scaling_governor" => out.text(&cpu::GOVERNOR, id, value, number),
        "scaling_cur_freq" | "cpuinfo_cur_freq" => {
            if let Some(value) = count(value) {
                out.graded(&cpu::FREQUENCY, id, Value::Num(value * KILOHERTZ), Grade::Once, number);
            }
        }
        "cpuinfo_max_freq" => {
            if let Some(value) = count(value) {
                out.num(&cpu::MAX_FREQUENCY, id, value * KILOHERTZ, number);
            }
        }
        "scaling_max_freq" => {
            if let Some(value) = count(value) {
                out.num(&cpu::FREQUENCY_LIMIT, id, value * KILOHERTZ, number);
            }
        }
        "core_id" => {
            if let Some(value) = count(value) {
                out.num(&cpu::CORE, id, value, number);
            }
        }
        "thread_siblings_list" => {
            if let Some(set) = CpuSet::parse_list(value).filter(|set| !set.is_empty()) {
                out.cpus(&cpu::SIBLINGS, id, set, number);
            }
        }
        _ => {}
    }
}
