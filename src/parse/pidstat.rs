//! `pidstat`: CPU (`-u`), memory (`-r`), I/O (`-d`), switches (`-w`), files (`-v`), threads (`-t`), and all in one row (`-h`).
//!
//! As with mpstat, a report whose header has the time of its rows is the average since boot. `-1.00` is "not readable".

use super::json::{self, Node};
use super::sysstat::{Row, Rows, Stamp, banner, human, interval, put_banner};
use super::tasks::{How, Task, put, put_cpu};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{process, thread};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser = Parser { kind: "pidstat", names: &["pidstat*", "*pidstat*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let mut rows = Rows::default();
    if doc.head().any(|line| line.contains("\"task-") && line.trim_end().ends_with('[')) {
        return Looks::Yes;
    }
    let found = doc.head().any(|line| header(&rows.row(1, line)).is_some());
    if found { Looks::Yes } else { Looks::No }
}

/// Column names after the time; the last one is the command, which may hold blanks.
fn header<'a>(row: &Row<'a>) -> Option<Vec<&'a str>> {
    let cells = row.cells.as_slice();
    let cells = match cells {
        ["#", "Time", rest @ ..] => rest,
        ["#Time", rest @ ..] => rest,
        _ if row.stamp != Stamp::None => cells,
        _ => return None,
    };
    let has = |name: &str| cells.contains(&name);
    let fits = cells.last() == Some(&"Command") && (has("PID") || has("TID") || has("TGID"));
    fits.then(|| cells.to_vec())
}

fn parse(doc: &Doc, out: &mut Out) {
    if doc.head().take(8).any(|line| line.trim_start().starts_with(['{', '"']))
        && let Some(found) = json::parse(doc.text, doc.first_line)
    {
        return from_json(&found.root, interval(&doc.words()), out);
    }
    let mut rows = Rows::default();
    let mut now: Option<(Vec<&str>, Stamp)> = None;
    let mut times: Vec<u64> = Vec::new();
    // -h has no time of its own in the header: one report alone without an interval is since boot.
    let asked = interval(&doc.words()).is_some();
    let flat = doc.head().any(|line| line.trim_start().starts_with('#'));
    if flat {
        let mut clock = Rows::default();
        for line in doc.text.lines() {
            if let Stamp::At(at) = clock.row(0, line).stamp
                && times.last() != Some(&at.to_bits())
            {
                times.push(at.to_bits());
            }
        }
        times.dedup();
    }
    let mut owner: Option<&str> = None;
    let series = has_intervals(doc);
    for (number, line) in doc.lines() {
        if let Some(found) = banner(line) {
            put_banner(&found, number, out);
            continue;
        }
        let row = rows.row(number, line);
        if row.cells.is_empty() {
            continue;
        }
        if let Some(names) = header(&row) {
            now = Some((names, row.stamp));
            owner = None;
            continue;
        }
        let Some((names, start)) = &now else { continue };
        let how = match row.stamp {
            Stamp::Summary if !series => How::Once(Grade::Two),
            Stamp::At(at) if !flat && *start == Stamp::At(at) => How::Once(Grade::SinceBoot),
            Stamp::At(_) if flat && times.len() < 2 && !asked => How::Once(Grade::SinceBoot),
            Stamp::At(at) => How::At(at),
            _ => continue,
        };
        if how == How::Once(Grade::SinceBoot) && series {
            continue;
        }
        write(names, &row, how, &mut owner, out);
    }
}

/// True when some report covers an interval.
fn has_intervals(doc: &Doc) -> bool {
    let mut rows = Rows::default();
    let mut start = Stamp::None;
    let mut first = None;
    for line in doc.text.lines() {
        let row = rows.row(0, line);
        if header(&row).is_some() {
            start = row.stamp;
        } else if let Stamp::At(at) = row.stamp {
            let known = *first.get_or_insert(at);
            if (start != Stamp::None && start != row.stamp) || known != at {
                return true;
            }
        }
    }
    false
}

/// JSON names of columns.
const JSON: &[(&str, &str)] = &[
    ("%usr", "usr"),
    ("%system", "system"),
    ("%guest", "guest"),
    ("%wait", "wait"),
    ("%CPU", "cpu"),
    ("CPU", "cpu_nr"),
    ("%MEM", "MEM"),
];

fn from_json(root: &Node, asked: Option<f64>, out: &mut Out) {
    let mut blocks: Vec<&Node> = Vec::new();
    for one in root.at(&["sysstat", "hosts"]).map_or(&[][..], Node::items) {
        blocks.extend(one.get("statistics").map_or(&[][..], Node::items));
    }
    blocks.extend(root.get("statistics").map_or(&[][..], Node::items));
    let single = blocks.len() < 2 && asked.is_none();
    let mut clock = Rows::default();
    for (index, block) in (0u32..).zip(&blocks) {
        let stamp = block.get("timestamp").and_then(Node::text).map_or(Stamp::None, |text| clock.row(0, text).stamp);
        let how = match stamp {
            _ if single => How::Once(Grade::SinceBoot),
            Stamp::At(at) => How::At(at),
            _ => How::At(f64::from(index) * asked.unwrap_or(1.0)),
        };
        for row in block.members().iter().flat_map(|(_, group)| group.items()) {
            let text = |keys: &[&str]| {
                keys.iter().find_map(|key| row.get(key).and_then(Node::text)).filter(|text| !text.is_empty())
            };
            let get = |name: &str| {
                let key = JSON.iter().find(|(column, _)| *column == name).map_or(name, |(_, key)| key);
                row.get(key).and_then(Node::num).filter(|value| *value >= 0.0)
            };
            let command = text(&["cmd", "command"]).unwrap_or_default();
            let pid = text(&["PID", "TGID"]);
            put_task(&Fields { pid, tid: text(&["TID"]), command, line: row.line, get: &get }, how, out);
        }
    }
}

/// One task of one report, whatever the shape it was printed in.
struct Fields<'f> {
    pid: Option<&'f str>,
    tid: Option<&'f str>,
    command: &'f str,
    line: u32,
    get: &'f dyn Fn(&str) -> Option<f64>,
}

fn write<'a>(names: &[&'a str], row: &Row<'a>, how: How, owner: &mut Option<&'a str>, out: &mut Out) {
    let cell = |name: &str| names.iter().position(|have| *have == name).and_then(|at| row.cells.get(at)).copied();
    let get =
        |name: &str| cell(name).and_then(|text| human(text, name.starts_with("kB"))).filter(|value| *value >= 0.0);
    let last = names.len().saturating_sub(1);
    let command = row.cells.get(last..).unwrap_or_default().join(" ");
    let command = command.trim_start_matches(['|', '_']);
    if row.cells.len() < names.len() {
        out.note(row.number, "row shorter than its header");
        return;
    }
    let pid = cell("PID").or_else(|| cell("TGID"));
    if let Some(pid) = pid.filter(|pid| *pid != "-") {
        *owner = Some(pid);
    }
    let tid = cell("TID").filter(|tid| *tid != "-");
    let pid = if tid.is_some() { *owner } else { pid };
    put_task(&Fields { pid, tid, command, line: row.number, get: &get }, how, out);
}

fn put_task(fields: &Fields, how: How, out: &mut Out) {
    let Fields { pid, tid, command, line, get } = *fields;
    let task = match tid {
        Some(tid) => Task::thread(pid, tid),
        None => pid.and_then(Task::process),
    };
    let Some(task) = task else { return };
    let id = task.id.as_str();
    // %CPU is divided by the CPUs with -I; the parts are not.
    let parts = get("%usr").zip(get("%system")).map(|(user, system)| user + system);
    let cpus = parts.map(|sum| sum + get("%guest").unwrap_or_default()).or_else(|| get("%CPU"));
    if let Some(cpus) = cpus {
        put_cpu(out, &task, command, how, cpus / 100.0, line);
    }
    let (name_def, wait_def): (&'static FactDef, &'static FactDef) =
        if task.thread { (&thread::NAME, &thread::CPU_WAIT) } else { (&process::NAME, &process::CPU_WAIT) };
    let name = if command.starts_with('/') || command.contains(' ') { super::ps::name(command) } else { command };
    out.text(name_def, id, name, line);
    if let Some(wait) = get("%wait") {
        put(out, wait_def, id, how, wait / 100.0, line);
    }
    if let Some(last_cpu) = get("CPU").filter(|_| how != How::Once(Grade::SinceBoot)) {
        let def = if task.thread { &thread::LAST_CPU } else { &process::LAST_CPU };
        out.graded(def, id, Value::Num(last_cpu), Grade::Once, line);
    }
    if task.thread {
        return;
    }
    for (def, value) in [
        (&process::MAJOR_FAULTS, get("majflt/s")),
        (&process::READ_BPS, get("kB_rd/s").map(|kb| kb * 1024.0)),
        (&process::WRITE_BPS, get("kB_wr/s").map(|kb| kb * 1024.0)),
        (&process::SWITCHES, get("cswch/s")),
        (&process::PREEMPTIONS, get("nvcswch/s")),
    ] {
        if let Some(value) = value {
            put(out, def, id, how, value, line);
        }
    }
    for (def, value) in [
        (&process::RSS, get("RSS").map(|kb| kb * 1024.0)),
        (&process::MEM_SHARE, get("%MEM").map(|percent| percent / 100.0)),
        (&process::THREADS, get("threads")),
        (&process::FDS, get("fd-nr")),
    ] {
        if let Some(value) = value {
            out.graded(def, id, Value::Num(value), Grade::Once, line);
        }
    }
}
