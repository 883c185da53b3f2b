//! `atop` text: the system lines of each screen (CPU, cpu, CPL, DSK). Processes are left to ps, top and pidstat.

use super::sysstat::human;
use super::tasks::{How, put};
use super::time::{Clock, of_day};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{cpu, disk, host};
use crate::facts::{FactDef, Grade};

pub static PARSER: Parser = Parser { kind: "atop", names: &["atop*", "*atop_*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let bars = |line: &str| line.starts_with("CPU |") || line.starts_with("CPL |") || line.starts_with("PRC |");
    if doc.head().any(|line| line.starts_with("ATOP - ")) || doc.head().filter(|line| bars(line)).count() >= 2 {
        Looks::Yes
    } else {
        Looks::No
    }
}

/// `| sys 29% | avg1 33.00 | avio 5.58 ms |`: name and value of each cell.
fn cells(line: &str) -> Vec<(&str, f64)> {
    line.split('|')
        .filter_map(|cell| {
            let mut words = cell.split_whitespace();
            let name = words.next()?;
            let value = human(words.next()?, false)?;
            let factor = match words.next() {
                Some("s") => 1000.0,
                Some("us") => 1e-3,
                _ => 1.0,
            };
            Some((name, value * factor))
        })
        .collect()
}

const MIB: f64 = 1_048_576.0;

fn parse(doc: &Doc, out: &mut Out) {
    let mut clock = Clock::default();
    let screens = doc.text.lines().filter(|line| line.starts_with("ATOP - ")).count();
    let (mut how, mut elapsed) = (How::Once(Grade::Two), None);
    for (number, line) in doc.lines() {
        if line.starts_with("ATOP - ") {
            let words: Vec<&str> = line.split_whitespace().collect();
            let time = words.iter().find_map(|word| of_day(word, None)).map(|(time, _)| clock.seconds(time));
            elapsed = words
                .iter()
                .position(|word| *word == "elapsed")
                .and_then(|at| duration(words.get(at.checked_sub(1)?)?));
            how = match time {
                Some(time) if screens > 1 => How::At(time),
                _ => How::Once(Grade::Two),
            };
        } else if line.contains("Since Boot") {
            how = How::Once(Grade::SinceBoot);
        } else if line.starts_with("CPU |") || line.starts_with("cpu |") {
            time_of_cpu(line, how, number, out);
        } else if line.starts_with("CPL |") {
            for (name, value) in cells(line) {
                match name {
                    "avg1" => out.num(&host::LOAD1, "", value, number),
                    "avg5" => out.num(&host::LOAD5, "", value, number),
                    "avg15" => out.num(&host::LOAD15, "", value, number),
                    _ => {}
                }
            }
        } else if line.starts_with("DSK |") {
            device(line, how, elapsed, number, out);
        }
    }
}

/// `10s`, `1m20s`, `2h5m3s`.
fn duration(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let mut digits = String::new();
    for c in text.chars() {
        let unit = match c {
            'd' => 86_400.0,
            'h' => 3600.0,
            'm' => 60.0,
            's' => 1.0,
            c if c.is_ascii_digit() => {
                digits.push(c);
                continue;
            }
            _ => return None,
        };
        total += digits.parse::<f64>().ok()? * unit;
        digits.clear();
    }
    (total > 0.0).then_some(total)
}

/// Percentages add up to 100 for each CPU.
fn time_of_cpu(line: &str, how: How, number: u32, out: &mut Out) {
    let found = cells(line);
    let get = |name: &str| found.iter().find(|(have, _)| *have == name).map(|(_, value)| *value);
    // The idle cell of one CPU is followed by its number: `cpu003 w  1%`.
    let name = line.split('|').find_map(|cell| {
        let digits = cell.split_whitespace().next()?.strip_prefix("cpu")?;
        digits.parse::<u32>().ok()
    });
    let wait = get("wait").or_else(|| {
        line.split('|').find_map(|cell| {
            let mut words = cell.split_whitespace();
            (words.next()?.starts_with("cpu") && words.next()? == "w").then(|| human(words.next()?, false))?
        })
    });
    let parts = [get("sys"), get("user"), get("irq"), get("idle"), wait, get("steal")];
    let total: f64 = parts.iter().flatten().sum();
    if total <= 0.0 || (line.starts_with("cpu") && name.is_none()) {
        return;
    }
    let of = |whole: &'static FactDef, one: &'static FactDef| if name.is_some() { one } else { whole };
    let id = name.map(|id| id.to_string()).unwrap_or_default();
    let busy = get("idle").map(|idle| total - idle - wait.unwrap_or_default());
    for (def, value) in [
        (of(&host::USER, &cpu::USER), get("user")),
        (of(&host::SYSTEM, &cpu::SYSTEM), get("sys")),
        (of(&host::IDLE, &cpu::IDLE), get("idle")),
        (of(&host::IOWAIT, &cpu::IOWAIT), wait),
        (of(&host::STEAL, &cpu::STEAL), get("steal")),
        (of(&host::BUSY, &cpu::BUSY), busy),
    ] {
        if let Some(value) = value {
            put(out, def, &id, how, (value / total).clamp(0.0, 1.0), number);
        }
    }
}

fn device(line: &str, how: How, elapsed: Option<f64>, number: u32, out: &mut Out) {
    let Some(name) = line.split('|').nth(1).map(str::trim).filter(|name| !name.is_empty() && !name.contains(' '))
    else {
        return;
    };
    let found = cells(line);
    let get = |name: &str| found.iter().find(|(have, _)| *have == name).map(|(_, value)| *value);
    let per_second = |count: Option<f64>| count.zip(elapsed).map(|(count, seconds)| count / seconds);
    let (reads, writes) = (per_second(get("read")), per_second(get("write")));
    for (def, value) in [
        (&disk::UTIL, get("busy").map(|percent| percent / 100.0)),
        (&disk::READ_IOPS, reads),
        (&disk::WRITE_IOPS, writes),
        (&disk::IOPS, reads.zip(writes).map(|(reads, writes)| reads + writes)),
        (&disk::READ_BPS, get("MBr/s").map(|rate| rate * MIB)),
        (&disk::WRITE_BPS, get("MBw/s").map(|rate| rate * MIB)),
        (&disk::AQU_SZ, get("avq")),
        (&disk::AWAIT, get("avio").map(|ms| ms / 1000.0)),
    ] {
        if let Some(value) = value {
            put(out, def, name, how, value, number);
        }
    }
}
