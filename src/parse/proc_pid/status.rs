//! `/proc/PID/status`: one process or thread, or several one after the other.

use super::super::table::pair;
use super::super::{Doc, Looks, Out, Parser};
use super::{sample, task};
use crate::facts::schema::keys::{process, thread};
use crate::facts::{CpuSet, Grade, Value};
use crate::parse::tasks::{Task, is_number};

pub static PARSER: Parser = Parser {
    kind: "proc-pid-status",
    names: &["*proc * status*", "proc status*", "*pids * status*"],
    sniff,
    parse,
    binary: false,
};

fn sniff(doc: &Doc) -> Looks {
    let (mut name, mut state, mut pid) = (false, false, false);
    for line in doc.head().take(30) {
        name |= line.starts_with("Name:\t");
        state |= line.starts_with("State:\t");
        pid |=
            line.starts_with("Tgid:\t") || line.starts_with("Pid:\t") || line.starts_with("voluntary_ctxt_switches:");
    }
    if (name || pid) && state { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut rows: Vec<(u32, &str, &str)> = Vec::new();
    for (number, line) in doc.lines() {
        let Some((key, value)) = pair(line) else { continue };
        if key == "Name" && !rows.is_empty() {
            one(doc, &rows, out);
            rows.clear();
        }
        rows.push((number, key, value));
    }
    one(doc, &rows, out);
}

fn one(doc: &Doc, rows: &[(u32, &str, &str)], out: &mut Out) {
    let get = |key: &str| rows.iter().find(|(_, have, _)| *have == key).map(|(_, _, value)| *value);
    let (pid, group) = (get("Pid").filter(|pid| is_number(pid)), get("Tgid").filter(|pid| is_number(pid)));
    let place = task(doc);
    let who = match (group, pid) {
        (Some(group), Some(pid)) if group != pid || place.thread => Task { id: format!("{group}/{pid}"), thread: true },
        (Some(pid), _) | (None, Some(pid)) => Task { id: pid.to_owned(), thread: false },
        (None, None) => place,
    };
    let id = who.id.as_str();
    for (line, key, value) in rows.iter().copied() {
        let number = value.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
        match key {
            "Name" => out.text(if who.thread { &thread::NAME } else { &process::NAME }, id, value, line),
            "State" => {
                let def = if who.thread { &thread::STATE } else { &process::STATE };
                let letter = value.split_whitespace().next().unwrap_or_default();
                out.graded(def, id, Value::Text(letter.into()), Grade::Once, line);
            }
            "Cpus_allowed_list" => {
                if let Some(set) = CpuSet::parse_list(value).filter(|set| !set.is_empty()) {
                    out.cpus(if who.thread { &thread::ALLOWED } else { &process::ALLOWED }, id, set, line);
                }
            }
            "Mems_allowed_list" if !who.thread => {
                if let Some(set) = CpuSet::parse_list(value).filter(|set| !set.is_empty()) {
                    out.cpus(&process::MEMS_ALLOWED, id, set, line);
                }
            }
            "PPid" if !who.thread => {
                if let Some(parent) = number {
                    out.num(&process::PARENT, id, parent, line);
                }
            }
            "Threads" if !who.thread => {
                if let Some(count) = number {
                    out.graded(&process::THREADS, id, Value::Num(count), Grade::Once, line);
                }
            }
            _ => {}
        }
        let Some(number) = number else { continue };
        if value.ends_with(" kB") {
            let bytes = number * 1024.0;
            sample(out, &who, &format!("status.{key}"), bytes, line);
            let def = match key {
                "VmRSS" => &process::RSS,
                "VmSwap" => &process::SWAP,
                _ => continue,
            };
            if !who.thread {
                out.graded(def, id, Value::Num(bytes), Grade::Once, line);
            }
        } else if matches!(key, "voluntary_ctxt_switches" | "nonvoluntary_ctxt_switches" | "Threads" | "FDSize") {
            sample(out, &who, &format!("status.{key}"), number, line);
        }
    }
}
