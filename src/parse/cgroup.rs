//! Control group files, v1 and v2, one file each or several in one text (`grep . /sys/fs/cgroup/...`, `cgget`).
//!
//! Every number is kept as a sample under the kernel's own name (`cpu.stat.nr_periods`, `io.stat.8:0.rbytes`);
//! limits and settings also become facts. Nanoseconds of v1 become the microseconds of v2.

use std::collections::BTreeMap;

use super::pressure::psi_line;
use super::table::number;
use super::{Doc, Looks, Out, Parser};

mod files;
mod path;

use files::{Collected, feed};
use path::{Where, locate};

pub static PARSER: Parser = Parser {
    kind: "cgroup",
    names: &[
        "*cgroup *.*",
        "*cpu.stat",
        "*cpu.max",
        "*.pressure",
        "cgget*",
        "*memory.*",
        "*cpuset.*",
        "*cpu.cfs*",
        "*pids.*",
    ],
    sniff,
    parse,
    binary: false,
};

/// Keys that only the file of that name has, with the file.
const SIGNS: [(&str, &str); 12] = [
    ("nr_periods", "cpu.stat"),
    ("nr_throttled", "cpu.stat"),
    ("usage_usec", "cpu.stat"),
    ("throttled_usec", "cpu.stat"),
    ("oom_kill_disable", "memory.oom_control"),
    ("under_oom", "memory.oom_control"),
    ("oom_group_kill", "memory.events"),
    ("hierarchical_memory_limit", "memory.stat"),
    ("total_pgpgin", "memory.stat"),
    ("kernel_stack", "memory.stat"),
    ("file_mapped", "memory.stat"),
    ("anon_thp", "memory.stat"),
];

/// The file that the content itself betrays.
fn by_content(doc: &Doc) -> Option<&'static str> {
    let mut keys: Vec<&str> = Vec::new();
    for line in doc.head() {
        let mut words = line.split_ascii_whitespace();
        let (Some(key), Some(value)) = (words.next(), words.next()) else { return None };
        if value.starts_with("rbytes=") || value.starts_with("rios=") {
            return Some("io.stat");
        }
        if key.contains(':') || psi_line(line).is_some() {
            return None;
        }
        if value.starts_with("N0=") && number(value.trim_start_matches("N0=")).is_some() {
            return matches!(key, "anon" | "file" | "kernel_stack" | "shmem" | "file_mapped")
                .then_some("memory.numa_stat");
        }
        if number(value).is_none() || words.next().is_some() {
            return None;
        }
        keys.push(key);
    }
    let all = |names: &[&str]| names.iter().all(|name| keys.contains(name));
    if all(&["low", "high", "max", "oom"]) || all(&["high", "max", "oom_kill"]) {
        return Some("memory.events");
    }
    if keys == ["user", "system"] {
        return Some("cpuacct.stat");
    }
    if all(&["cache", "rss", "mapped_file"]) || all(&["anon", "file", "kernel_stack"]) {
        return Some("memory.stat");
    }
    SIGNS
        .iter()
        .find(|(key, file)| keys.contains(key) && (*file != "memory.stat" || keys.len() > 4))
        .map(|(_, file)| *file)
}

/// A line of `grep . FILES`: the file and what it holds.
fn gathered(line: &str) -> Option<(Where, &str)> {
    let at = line.find("cgroup/")?;
    if at > 64 {
        return None;
    }
    // The path may hold colons; the file's name ends at the first one behind its last slash.
    let slash = line.split_once(' ').map_or(line, |(head, _)| head).rfind('/')?;
    let (_, tail) = line.split_at(slash);
    let end = slash + tail.find(':')?;
    let (path, rest) = line.split_at(end);
    Some((locate(path, None)?, rest.strip_prefix(':')?))
}

/// A line of `cgget`: `cpu.stat: nr_periods 0`.
fn cgget(line: &str) -> Option<(&str, &str)> {
    let (file, rest) = line.split_once(": ").or_else(|| line.strip_suffix(':').map(|file| (file, "")))?;
    let plain = file.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_'));
    (plain && path::is_file(file)).then_some((file, rest))
}

/// Where the doc's one file belongs.
fn of_doc(doc: &Doc) -> Option<Where> {
    let text = if doc.command.is_empty() { doc.place.rel.as_str() } else { doc.command };
    locate(text.split_whitespace().next_back().unwrap_or(text), doc.place.pod.as_deref())
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| gathered(line).is_some())
        || doc.head().filter(|line| cgget(line).is_some()).take(2).count() == 2
        || by_content(doc).is_some()
    {
        return Looks::Yes;
    }
    match of_doc(doc) {
        Some(place) if doc.head().all(|line| files::fits(&place.file, line)) => {
            if place.sure {
                Looks::Yes
            } else {
                Looks::Maybe
            }
        }
        _ => Looks::No,
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut collected = Collected::default();
    if doc.head().any(|line| gathered(line).is_some()) {
        for (number, line) in doc.lines() {
            if let Some((place, rest)) = gathered(line) {
                feed(&place, rest, number, &mut collected, out);
            }
        }
    } else if doc.head().any(|line| cgget(line).is_some()) {
        parse_cgget(doc, &mut collected, out);
    } else {
        let place = of_doc(doc).filter(|place| by_content(doc).is_none_or(|file| same_family(file, &place.file)));
        let place = place.or_else(|| {
            out.note(doc.first_line, "nothing names the control group; it is called '(unnamed)' here");
            by_content(doc).map(Where::unnamed)
        });
        if let Some(place) = place {
            for (number, line) in doc.lines() {
                feed(&place, line, number, &mut collected, out);
            }
        }
    }
    collected.finish(out);
}

/// `memory.events` and `memory.events.local`; `cpu.stat` and `cpu.stat.local`.
fn same_family(content: &str, file: &str) -> bool {
    file.starts_with(content) || file.contains(content)
}

fn parse_cgget(doc: &Doc, collected: &mut Collected, out: &mut Out) {
    let mut group = "(unnamed)".to_owned();
    let mut file: Option<String> = None;
    let mut places: BTreeMap<String, Where> = BTreeMap::new();
    for (number, line) in doc.lines() {
        let rest = if let Some((name, rest)) = cgget(line) {
            file = Some(name.to_owned());
            rest
        } else if let Some(name) = line.strip_suffix(':').filter(|_| !line.starts_with([' ', '\t'])) {
            group = path::shown(name.trim_start_matches('/'));
            file = None;
            continue;
        } else {
            line
        };
        let Some(file) = &file else { continue };
        let key = format!("{group}\n{file}");
        let place = places.entry(key).or_insert_with(|| Where { group: group.clone(), ..Where::of_file(file) });
        feed(place, rest, number, collected, out);
    }
}
