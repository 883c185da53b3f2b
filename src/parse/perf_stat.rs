//! `perf stat`: text of any locale (`-a -p -r -A -I`), `-x` rows and `-j` lines. Counts by event; ratios of the rulebook.

use std::collections::BTreeMap;

use super::json;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::{PERF, PERF_PID};
use crate::facts::schema::keys::{host, process};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser =
    Parser { kind: "perf-stat", names: &["perf stat*", "*perf_stat*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let mut rows = 0;
    for line in doc.text.lines().filter(|line| !line.trim().is_empty()).take(super::doc::HEAD_LINES * 4) {
        if line.contains("Performance counter stats for") || line.contains("{\"counter-value\"") {
            return Looks::Yes;
        }
        if line.trim_start().starts_with('#') && line.contains("counts unit events") {
            return Looks::Yes;
        }
        rows += usize::from(csv(line).is_some());
    }
    if rows >= 2 { Looks::Yes } else { Looks::No }
}

/// One event's count; `None` inside: not counted or not supported.
struct Count<'a> {
    event: &'a str,
    value: Option<f64>,
    /// Share of the time in which the event was counted, percent.
    running: Option<f64>,
}

/// `2040.03,msec,cpu-clock,2040036508,100.00,2.000,CPUs utilized`
fn csv(line: &str) -> Option<Count<'_>> {
    let separator = [',', ';', '|'].into_iter().find(|c| line.matches(*c).count() >= 4)?;
    let fields: Vec<&str> = line.trim().split(separator).collect();
    // -I puts a time first, -A a CPU.
    let start = fields.iter().position(|field| field.starts_with("<not ") || (field.parse::<f64>().is_ok()))?;
    let shift = usize::from(
        fields
            .get(start + 1)
            .is_some_and(|next| next.starts_with("CPU") || next.parse::<f64>().is_ok() || next.starts_with("<not ")),
    );
    let at = start + shift;
    let event = fields.get(at + 2).copied()?;
    let running = fields.get(at + 4).and_then(|field| field.parse().ok())?;
    let name = event.starts_with(|c: char| c.is_alphabetic()) && event.len() < 80;
    let unit = fields.get(at + 1).is_some_and(|unit| unit.parse::<f64>().is_err() && unit.len() < 12);
    let ticks = fields.get(at + 3).is_some_and(|field| field.parse::<u64>().is_ok());
    (name && unit && ticks && start <= 1).then(|| Count {
        event,
        value: fields.get(at).and_then(|field| field.parse().ok()),
        running: Some(running),
    })
}

/// A count with thousands separators of any locale; a value with a unit keeps its last separator as the decimal one.
fn count(text: &str, decimal: bool) -> Option<f64> {
    let plain: String = text.chars().filter(|c| !matches!(c, '\'' | '\u{202f}' | '\u{a0}')).collect();
    if !plain.starts_with(|c: char| c.is_ascii_digit())
        || !plain.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    {
        return None;
    }
    let split = plain.rfind(['.', ',']).filter(|_| decimal);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let clean = match split {
        Some(at) => format!("{}.{}", digits(plain.get(..at)?), digits(plain.get(at..)?)),
        None => digits(&plain),
    };
    clean.parse().ok()
}

/// `  3,647,161  kvm:kvm_entry  [100.00%]`, `1.411368 task-clock (msec) # ...`, `<not supported> cycles`.
fn text(line: &str, timed: bool) -> Option<Count<'_>> {
    let body = line.split('#').next()?;
    let mut words = body.split_whitespace().peekable();
    if timed {
        count(words.next()?, true)?;
    }
    if words.peek().is_some_and(|word| {
        (word.starts_with("CPU") || word.starts_with('S'))
            && word.contains(|c: char| c.is_ascii_digit())
            && !word.contains(':')
    }) {
        words.next();
    }
    let first = words.next()?;
    if first == "<not" {
        let what = words.next()?;
        return matches!(what, "supported>" | "counted>")
            .then_some(())
            .and_then(|()| Some(Count { event: words.next()?, value: None, running: None }));
    }
    const UNITS: &[&str] = &["msec", "MiB", "Joules", "ns", "GB", "KiB", "Bytes", "sec"];
    let mut event = words.next()?;
    let mut decimal = false;
    if UNITS.contains(&event) {
        decimal = true;
        event = words.next()?;
    }
    let named = event.starts_with(|c: char| c.is_alphabetic()) && event != "seconds";
    // perf before 4.x printed the unit behind, or not at all, for the clocks.
    decimal |= matches!(event, "task-clock" | "cpu-clock");
    let tail = line.trim_end();
    let running = tail.rsplit(['(', '[']).next().and_then(|last| {
        last.strip_suffix("%)").or_else(|| last.strip_suffix("%]")).and_then(|percent| count(percent, true))
    });
    let running = running.filter(|_| !tail.contains("+-"));
    named.then_some(()).and_then(|()| Some(Count { event, value: Some(count(first, decimal)?), running }))
}

#[derive(Default)]
struct Sum {
    value: Option<f64>,
    line: u32,
    running: Option<f64>,
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let mut pid: Option<String> = None;
    let timed =
        doc.text.lines().take(20).any(|line| line.trim_start().starts_with('#') && line.contains("counts unit events"));
    for (line, raw) in doc.lines() {
        if let Some((_, what)) = raw.split_once("Performance counter stats for process id '") {
            pid = what.split('\'').next().map(str::to_owned);
            continue;
        }
        if let Some(seconds) = elapsed(raw) {
            out.sample(&PERF, "", "elapsed", seconds, line);
            continue;
        }
        if raw.trim_start().starts_with("{\"") && raw.contains("\"event\"") {
            if let Some(found) = json::parse(raw, line) {
                let get = |key: &str| found.root.get(key);
                let Some(event) = get("event").and_then(json::Node::text) else { continue };
                let value = get("counter-value").and_then(json::Node::text).and_then(|text| text.parse().ok());
                add(&mut sums, &Count { event, value, running: get("pcnt-running").and_then(json::Node::num) }, line);
            }
            continue;
        }
        if let Some(found) = csv(raw).or_else(|| text(raw, timed)) {
            add(&mut sums, &found, line);
        }
    }
    let mut missing = Vec::new();
    for (event, sum) in &sums {
        match (sum.value, &pid) {
            (Some(value), None) => out.sample(&PERF, "", event, value, sum.line),
            (Some(value), Some(pid)) => out.sample(&PERF_PID, pid, event, value, sum.line),
            (None, _) => missing.push(event.as_str()),
        }
    }
    let parts: Vec<u32> =
        sums.values().filter(|sum| sum.running.is_some_and(|percent| percent < 99.0)).map(|sum| sum.line).collect();
    if let Some(line) = parts.first() {
        out.note(*line, format!("{} events took turns on the counters: their counts are estimates", parts.len()));
    }
    if let (Some(first), Some(line)) = (missing.first(), sums.values().map(|sum| sum.line).next()) {
        out.note(line, format!("{first} and others ({}) are not supported or were not counted here", missing.len()));
    }
    ratios(&sums, pid.as_deref(), out);
}

fn add(sums: &mut BTreeMap<String, Sum>, found: &Count, line: u32) {
    // `cycles:u` and `cycles` are the same event, of user space.
    let sum = sums.entry(found.event.to_owned()).or_insert(Sum { line, ..Sum::default() });
    if let Some(value) = found.value {
        sum.value = Some(sum.value.unwrap_or(0.0) + value);
    }
    if found.running.is_some() {
        sum.running = found.running;
    }
}

/// `10.001100401 seconds time elapsed`, in any locale; `0.000595 +- 0.000310 seconds time elapsed`.
fn elapsed(line: &str) -> Option<f64> {
    let body = line.split("seconds time elapsed").next().filter(|body| body.len() < line.len())?;
    count(body.split_whitespace().next()?, true)
}

fn ratios(sums: &BTreeMap<String, Sum>, pid: Option<&str>, out: &mut Out) {
    let get = |names: &[&str]| {
        names.iter().find_map(|name| {
            let sum = sums.get(*name).or_else(|| sums.get(&format!("{name}:u")))?;
            Some((sum.value?, sum.line))
        })
    };
    let mut ratio = |whole: &'static FactDef, one: &'static FactDef, part: &[&str], of: &[&str]| {
        if let (Some((part, line)), Some((of, _))) = (get(part), get(of))
            && of > 0.0
        {
            let (def, name) = match pid {
                Some(pid) => (one, pid),
                None => (whole, ""),
            };
            out.graded(def, name, Value::Num(part / of), Grade::Two, line);
        }
    };
    ratio(&host::IPC, &process::IPC, &["instructions"], &["cycles", "cpu-cycles"]);
    ratio(&host::LLC_MISSES, &process::LLC_MISSES, &["LLC-load-misses"], &["LLC-loads"]);
    ratio(&host::CACHE_MISSES, &process::CACHE_MISSES, &["cache-misses"], &["cache-references"]);
    ratio(&host::NODE_MISSES, &process::NODE_MISSES, &["node-load-misses"], &["node-loads"]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_locale() {
        assert_eq!(count("3,647,161", false), Some(3_647_161.0));
        assert_eq!(count("7.259", false), Some(7259.0));
        assert_eq!(count("2.030,21", true), Some(2030.21));
        assert_eq!(count("1\u{202f}234", false), Some(1234.0));
        assert_eq!(count("abc", false), None);
        let row = text("  1.411368  task-clock (msec)  #  0.7 CPUs", false).unwrap();
        assert_eq!((row.event, row.value), ("task-clock", Some(1.411368)));
        assert_eq!(text("   <not supported>      cycles", false).unwrap().value, None);
        assert!(csv("1161,,context-switches,2040032633,100.00,569.109,/sec").is_some());
        assert!(csv("a,b,c,d,e,f").is_none());
    }
}
