//! Which CPUs an interrupt may go to and does go to: `/proc/irq/N/{smp,effective}_affinity[_list]`,
//! one file each or gathered by `grep . /proc/irq/*/...`.

use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{host, irq};
use crate::facts::{CpuSet, FactDef};

pub static PARSER: Parser = Parser {
    kind: "irq-affinity",
    names: &[
        "*irq * smp_affinity",
        "*irq * smp_affinity_list",
        "*irq * effective_affinity",
        "*irq * effective_affinity_list",
        "*irq default_smp_affinity",
        "*irq * node",
    ],
    sniff,
    parse,
    binary: false,
};

/// What a file name says: the fact, and whether the value is a list (else a mask).
fn meaning(file: &str) -> Option<(&'static FactDef, bool)> {
    match file {
        "smp_affinity" => Some((&irq::AFFINITY, false)),
        "smp_affinity_list" => Some((&irq::AFFINITY, true)),
        "effective_affinity" => Some((&irq::EFFECTIVE, false)),
        "effective_affinity_list" => Some((&irq::EFFECTIVE, true)),
        _ => None,
    }
}

/// IRQ, file and value of a gathered line: `/proc/irq/25/smp_affinity_list:0-3`.
fn gathered(line: &str) -> Option<(&str, &str, &str)> {
    let (path, value) = line.split_once([':', ' ', '\t'])?;
    let mut parts = path.rsplit('/');
    let file = parts.next()?;
    let number = parts.next()?;
    meaning(file)?;
    let digits = !number.is_empty() && number.len() <= 7 && number.bytes().all(|b| b.is_ascii_digit());
    digits.then_some((number, file, value.trim()))
}

fn set(value: &str, list: bool) -> Option<CpuSet> {
    if list { CpuSet::parse_list(value) } else { CpuSet::parse_mask(value) }.filter(|set| !set.is_empty())
}

/// IRQ and file of the path or the command.
fn of_path<'a>(doc: &'a Doc) -> Option<(&'a str, &'a str)> {
    let path = if doc.command.is_empty() { &doc.place.rel } else { doc.command };
    let mut parts = path.trim().rsplit('/');
    let file = parts.next()?;
    let number = parts.next()?;
    Some((number, file))
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| gathered(line).is_some()) {
        return Looks::Yes;
    }
    let mut lines = doc.head();
    let value = lines.next().unwrap_or_default().trim();
    let one = lines.next().is_none();
    let bare = CpuSet::parse_list(value).is_some() || CpuSet::parse_mask(value).is_some();
    if one && bare && !value.is_empty() { Looks::Maybe } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut found = false;
    for (number, line) in doc.lines() {
        let Some((name, file, value)) = gathered(line) else { continue };
        found = true;
        let Some((def, list)) = meaning(file) else { continue };
        match set(value, list) {
            Some(set) => out.cpus(def, name, set, number),
            // An interrupt that was never started has an empty effective mask.
            None if value.trim_matches(['0', ',']).is_empty() => {}
            None => out.note(number, format!("'{value}' is no set of CPUs")),
        }
    }
    if found {
        return;
    }
    let Some((number, line)) = doc.lines().find(|(_, line)| !line.trim().is_empty()) else { return };
    let value = line.trim();
    let Some((name, file)) = of_path(doc) else {
        out.note(number, "nothing names the interrupt");
        return;
    };
    let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
    match (meaning(file), digits) {
        (Some((def, list)), true) => match set(value, list) {
            Some(set) => out.cpus(def, name, set, number),
            None if value.trim_matches(['0', ',']).is_empty() => {}
            None => out.note(number, format!("'{value}' is no set of CPUs")),
        },
        _ if file == "default_smp_affinity" => {
            if let Some(set) = set(value, false) {
                out.cpus(&host::DEFAULT_IRQ_AFFINITY, "", set, number);
            }
        }
        _ if file == "node" && digits => {
            if let Some(node) = super::table::count(value) {
                out.num(&irq::NODE, name, node, number);
            }
        }
        _ => out.note(number, "nothing names the interrupt"),
    }
}
