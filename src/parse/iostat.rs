//! `iostat`: device and CPU reports of every layout (basic, extended of three generations, `-s`, `-h`, `-p`, `-g`),
//! in kB, MB or blocks, and JSON.
//!
//! The first report is the average since boot unless `-y` was given. An await without requests is unknown, not zero.
//! Partitions and groups are left out: they would count their disk twice.

use std::collections::BTreeSet;

use super::json::{self, Node};
use super::sysstat::{ABSURD, Rows, Stamp, banner, human, interval, put_banner, share};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{disk, host};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser = Parser { kind: "iostat", names: &["iostat*", "*iostat*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let mut bare = 0;
    for line in doc.head() {
        if line.trim_start().starts_with("avg-cpu:") || line.contains("\"avg-cpu\"") || line.contains("\"disk_device\"")
        {
            return Looks::Yes;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        if header(&cells).is_some() {
            return Looks::Yes;
        }
        bare += usize::from(inferred(&cells).is_some());
    }
    if bare >= 1 { Looks::Yes } else { Looks::No }
}

/// Where the device's name stands, and the names of the columns.
#[derive(Debug, Clone)]
struct Header<'a> {
    name_last: bool,
    names: Vec<&'a str>,
}

fn header<'a>(cells: &[&'a str]) -> Option<Header<'a>> {
    let name = |cell: &&str| matches!(*cell, "Device" | "Device:");
    let known = |names: &[&str]| {
        names.iter().any(|name| matches!(*name, "tps" | "r/s" | "w/s" | "d/s" | "f/s"))
            && names.iter().all(|n| n.len() < 16)
    };
    let (first, rest) = cells.split_first()?;
    if name(first) && known(rest) {
        return Some(Header { name_last: false, names: rest.to_vec() });
    }
    let (last, rest) = cells.split_last()?;
    (name(last) && known(rest)).then(|| Header { name_last: true, names: rest.to_vec() })
}

const OF_10: &[&str] = &[
    "rrqm/s", "wrqm/s", "r/s", "w/s", "rkB/s", "wkB/s", "avgrq-sz", "avgqu-sz", "await", "r_await", "w_await", "svctm",
    "%util",
];
const OF_11_6: &[&str] = &[
    "r/s", "w/s", "rkB/s", "wkB/s", "rrqm/s", "wrqm/s", "%rrqm", "%wrqm", "r_await", "w_await", "aqu-sz", "rareq-sz",
    "wareq-sz", "svctm", "%util",
];
const OF_12: &[&str] = &[
    "r/s", "rkB/s", "rrqm/s", "%rrqm", "r_await", "rareq-sz", "w/s", "wkB/s", "wrqm/s", "%wrqm", "w_await", "wareq-sz",
    "d/s", "dkB/s", "drqm/s", "%drqm", "d_await", "dareq-sz", "f/s", "f_await", "aqu-sz", "%util",
];

/// The layout of an extended row whose header is lost: a disk's name and as many decimals as one version prints.
fn inferred(cells: &[&str]) -> Option<Header<'static>> {
    let (name, rest) = cells.split_first()?;
    const DISKS: &[&str] = &["sd", "nvme", "vd", "xvd", "dm-", "md", "hd", "mmcblk", "rbd", "cciss"];
    let decimals = |cell: &&str| {
        cell.rsplit_once(['.', ','])
            .is_some_and(|(_, tail)| tail.len() == 2 && tail.bytes().all(|b| b.is_ascii_digit()))
    };
    if !DISKS.iter().any(|prefix| name.starts_with(prefix)) || !rest.iter().all(decimals) {
        return None;
    }
    let names = match rest.len() {
        13 => OF_10,
        15 => OF_11_6,
        22 => OF_12,
        _ => return None,
    };
    Some(Header { name_last: false, names: names.to_vec() })
}

/// One device row, in the tool's own units.
struct Row<'a> {
    device: &'a str,
    line: u32,
    values: Vec<(&'a str, f64)>,
}

/// A report: what was printed at one time.
#[derive(Default)]
struct Report<'a> {
    at: Option<f64>,
    cpu: Vec<(&'a str, f64)>,
    cpu_line: u32,
    rows: Vec<Row<'a>>,
}

fn parse(doc: &Doc, out: &mut Out) {
    let words = doc.words();
    let step = interval(&words).unwrap_or(1.0);
    let no_first = words.iter().any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('y'));
    let document = if doc.head().take(8).any(|line| line.trim_start().starts_with(['{', '"'])) {
        json::parse(doc.text, doc.first_line)
    } else {
        None
    };
    let reports = match &document {
        Some(document) => from_json(&document.root, out),
        None => from_text(doc, out),
    };
    let single = reports.len() == 1;
    let parents: BTreeSet<&str> = reports.iter().flat_map(|report| report.rows.iter().map(|row| row.device)).collect();
    for (index, report) in (0u32..).zip(&reports) {
        let since_boot = index == 0 && !no_first;
        if since_boot && !single {
            continue;
        }
        let at = (!since_boot).then(|| report.at.unwrap_or(f64::from(index) * step));
        write_cpu(report, at, out);
        for row in &report.rows {
            if !noise(row.device, &parents) {
                write(row, at, out);
            }
        }
    }
}

/// Loop and RAM disks; partitions whose disk is listed.
fn noise(device: &str, all: &BTreeSet<&str>) -> bool {
    if device.starts_with("loop") || device.starts_with("ram") {
        return true;
    }
    let base = device.trim_end_matches(|c: char| c.is_ascii_digit());
    if base.len() == device.len() {
        return false;
    }
    let whole = base.strip_suffix('p').filter(|whole| whole.ends_with(|c: char| c.is_ascii_digit())).unwrap_or(base);
    whole != device && all.contains(whole) && !device.starts_with("dm-")
}

fn from_text<'a>(doc: &Doc<'a>, out: &mut Out) -> Vec<Report<'a>> {
    let mut reports: Vec<Report> = Vec::new();
    let mut current = Report::default();
    let mut open = false;
    let mut clock = Rows::default();
    let mut now: Option<(Header, usize)> = None;
    let mut tables: BTreeSet<&str> = BTreeSet::new();
    let mut cpu: Option<Vec<&str>> = None;
    for (number, line) in doc.lines() {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let Some(first) = cells.first().copied() else {
            continue;
        };
        if let Some(found) = banner(line) {
            put_banner(&found, number, out);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if first == "avg-cpu:" {
            if open {
                reports.push(std::mem::take(&mut current));
                tables.clear();
            }
            open = true;
            cpu = Some(cells.iter().skip(1).map(|name| name.trim_start_matches('%')).collect());
            now = None;
            continue;
        }
        if let Some(found) = header(&cells) {
            // -h prints one table per direction: a table seen before begins a new report.
            let key = found.names.first().copied().unwrap_or_default();
            if open && !tables.insert(key) {
                reports.push(std::mem::take(&mut current));
                tables.clear();
                tables.insert(key);
            }
            tables.insert(key);
            open = true;
            now = Some((found, indent));
            cpu = None;
            continue;
        }
        if let Some(names) = cpu.take() {
            current.cpu =
                names.iter().zip(&cells).filter_map(|(name, cell)| Some((*name, human(cell, false)?))).collect();
            current.cpu_line = number;
            continue;
        }
        if let Some(time) = stamp(&mut clock, &cells) {
            if open {
                reports.push(std::mem::take(&mut current));
                tables.clear();
                open = false;
            }
            current.at = Some(time);
            now = None;
            continue;
        }
        if now.is_none()
            && let Some(found) = inferred(&cells)
        {
            out.note(number, "header inferred: the extended columns of iostat by their number");
            now = Some((found, indent));
            open = true;
        }
        let Some((head, margin)) = &now else { continue };
        if !head.name_last && indent > *margin {
            continue;
        }
        let (device, cells) = match (head.name_last, cells.split_first(), cells.split_last()) {
            (false, Some((device, rest)), _) => (*device, rest),
            (true, _, Some((device, rest))) => (*device, rest),
            _ => continue,
        };
        let values: Vec<(&str, f64)> = head
            .names
            .iter()
            .zip(cells)
            .filter_map(|(name, cell)| Some((*name, human(cell, name.contains("kB") || name.ends_with("req-sz"))?)))
            .collect();
        if values.is_empty() {
            now = None;
            continue;
        }
        if values.len() < head.names.len() {
            if doc.text.trim_end().ends_with(line.trim_end()) {
                out.note(number, "the last row is cut off; left out");
                continue;
            }
            out.note(number, "row shorter than its header; the columns that are there were read");
        }
        match current.rows.iter_mut().find(|row| row.device == device) {
            Some(row) if head.name_last => row.values.extend(values),
            Some(_) => {
                // The header of this report is lost.
                reports.push(std::mem::take(&mut current));
                current.rows.push(Row { device, line: number, values });
            }
            None => current.rows.push(Row { device, line: number, values }),
        }
    }
    if open {
        reports.push(current);
    }
    reports
}

/// The line of `-t` before a report: a date and a time, or a time alone.
fn stamp(clock: &mut Rows, cells: &[&str]) -> Option<f64> {
    if cells.len() > 4 {
        return None;
    }
    let (at, _) = cells.iter().enumerate().find(|(_, cell)| cell.contains([':', '時', '时']))?;
    let tail = cells.get(at..)?.join(" ");
    let tail = tail.rsplit_once('T').map_or(tail.as_str(), |(_, time)| time);
    let tail = tail.split_once(['+', 'Z']).map_or(tail, |(time, _)| time);
    match clock.row(0, tail).stamp {
        Stamp::At(time) => Some(time),
        _ => None,
    }
}

fn from_json<'a>(root: &'a Node, out: &mut Out) -> Vec<Report<'a>> {
    let mut blocks: Vec<&Node> = Vec::new();
    for one in root.at(&["sysstat", "hosts"]).map_or(&[][..], Node::items) {
        for (key, def) in [("release", &host::KERNEL), ("nodename", &host::HOSTNAME), ("machine", &host::ARCH)] {
            if let Some(node) = one.get(key)
                && let Some(text) = node.text()
            {
                out.text(def, "", text, node.line);
            }
        }
        blocks.extend(one.get("statistics").map_or(&[][..], Node::items));
    }
    blocks.extend(root.get("statistics").map_or(&[][..], Node::items));
    let mut clock = Rows::default();
    let mut reports = Vec::new();
    for block in blocks {
        let mut report = Report::default();
        if let Some(text) = block.get("timestamp").and_then(Node::text) {
            report.at = stamp(&mut clock, &text.split_whitespace().collect::<Vec<_>>());
        }
        if let Some(cpu) = block.get("avg-cpu") {
            report.cpu_line = cpu.line;
            report.cpu = cpu.members().iter().filter_map(|(name, node)| Some((name.as_str(), node.num()?))).collect();
        }
        for row in block.get("disk").map_or(&[][..], Node::items) {
            let Some(device) = row.get("disk_device").and_then(Node::text) else { continue };
            let values = row
                .members()
                .iter()
                .filter_map(|(name, node)| match &node.value {
                    json::Data::Num(value) => Some((if name == "util" { "%util" } else { name.as_str() }, *value)),
                    _ => None,
                })
                .collect();
            report.rows.push(Row { device, line: row.line, values });
        }
        reports.push(report);
    }
    reports
}

fn put(def: &'static FactDef, name: &str, at: Option<f64>, value: f64, line: u32, out: &mut Out) {
    match at {
        Some(at) => out.point(def, name, at, value, line),
        None => out.graded(def, name, Value::Num(value), Grade::SinceBoot, line),
    }
}

fn write_cpu(report: &Report, at: Option<f64>, out: &mut Out) {
    let get = |name: &str| report.cpu.iter().find(|(have, _)| *have == name).and_then(|(_, v)| share(*v, 101.0));
    let busy = get("idle").map(|idle| (1.0 - idle - get("iowait").unwrap_or_default()).max(0.0));
    let user = get("user").map(|user| user + get("nice").unwrap_or_default());
    for (def, value) in [
        (&host::USER, user),
        (&host::SYSTEM, get("system")),
        (&host::IOWAIT, get("iowait")),
        (&host::STEAL, get("steal")),
        (&host::IDLE, get("idle")),
        (&host::BUSY, busy),
    ] {
        if let Some(value) = value {
            put(def, "", at, value.min(1.0), report.cpu_line, out);
        }
    }
}

const MILLI: f64 = 1e-3;
/// A device that serves requests in parallel is rounded to a little over 100 %; far more is a counter reset.
const MAX_UTIL: f64 = 150.0;

fn write(row: &Row, at: Option<f64>, out: &mut Out) {
    let mut odd = false;
    let mut get = |names: &[&str]| -> Option<f64> {
        let (_, value) = row.values.iter().find(|(have, _)| names.contains(have))?;
        if *value < 0.0 || *value > ABSURD {
            odd = true;
            return None;
        }
        Some(*value)
    };
    let reads = get(&["r/s"]);
    let writes = get(&["w/s"]);
    let discards = get(&["d/s"]);
    let flushes = get(&["f/s"]);
    let parts = [reads, writes, discards, flushes];
    let all = parts.iter().flatten().fold(None, |sum: Option<f64>, value| Some(sum.unwrap_or(0.0) + value));
    // `-x -s` keeps tps; a table of one direction only (as people cut it) says nothing about the whole.
    let iops = get(&["tps"]).or_else(|| if reads.is_some() && writes.is_some() { all } else { None });
    let mut bytes = |letter: char| {
        [("kB", 1024.0), ("MB", 1_048_576.0), ("sec", 512.0)].iter().find_map(|(unit, factor)| {
            let long = if letter == 'r' { "read" } else { "wrtn" };
            let name = format!("{letter}{unit}/s");
            let other = format!("{unit}_{long}/s");
            let blocks = format!("Blk_{long}/s");
            match get(&[&name, &other]) {
                Some(value) => Some(value * factor),
                None if *unit == "sec" => get(&[&blocks]).map(|value| value * factor),
                None => None,
            }
        })
    };
    let (read_bytes, write_bytes) = (bytes('r'), bytes('w'));
    let some = |rate: Option<f64>, time: Option<f64>| time.filter(|_| rate.is_none_or(|rate| rate > 0.0));
    let read_await = some(reads, get(&["r_await"]));
    let write_await = some(writes, get(&["w_await"]));
    let discard_await = some(discards, get(&["d_await"]));
    let whole = some(iops.or(all), get(&["await"])).or_else(|| {
        let pairs = [(reads, read_await), (writes, write_await), (discards, discard_await)];
        let (mut time, mut count) = (0.0, 0.0);
        for (rate, wait) in pairs {
            if let (Some(rate), Some(wait)) = (rate, wait) {
                time += rate * wait;
                count += rate;
            }
        }
        (count > 0.0 && writes.is_some()).then(|| time / count)
    });
    let queue = get(&["aqu-sz", "avgqu-sz"]);
    let busy = get(&["%util"]);
    let util = busy.and_then(|percent| share(percent, MAX_UTIL));
    let bad = odd || (busy.is_some() && util.is_none());
    for (def, value) in [
        (&disk::IOPS, iops),
        (&disk::READ_IOPS, reads),
        (&disk::WRITE_IOPS, writes),
        (&disk::READ_BPS, read_bytes),
        (&disk::WRITE_BPS, write_bytes),
        (&disk::READ_AWAIT, read_await.map(|ms| ms * MILLI)),
        (&disk::WRITE_AWAIT, write_await.map(|ms| ms * MILLI)),
        (&disk::AWAIT, whole.map(|ms| ms * MILLI)),
        (&disk::AQU_SZ, queue),
        (&disk::UTIL, util),
    ] {
        if let Some(value) = value {
            put(def, row.device, at, value, row.line, out);
        }
    }
    if bad {
        out.note(row.line, format!("{}: a value that cannot be (counter reset); left out", row.device));
    }
}
