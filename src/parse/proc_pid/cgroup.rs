//! `/proc/PID/cgroup`: `0::/path` (v2), `N:controllers:/path` (v1), or both (hybrid).

use super::super::{Doc, Looks, Out, Parser};
use super::task;
use crate::facts::schema::keys::{host, process};

pub static PARSER: Parser = Parser {
    kind: "proc-pid-cgroup",
    names: &["*proc * cgroup", "proc cgroup*", "*pids * cgroup"],
    sniff,
    parse,
    binary: false,
};

/// Controllers and path of a line.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (number, rest) = line.trim().split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let known = controllers.is_empty() || controllers.starts_with("name=") || controllers.contains(char::is_alphabetic);
    let fits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && path.starts_with('/');
    (fits && known && !controllers.contains(' ')).then_some((controllers, path))
}

fn sniff(doc: &Doc) -> Looks {
    let lines: Vec<&str> = doc.head().collect();
    let found = lines.iter().filter(|line| entry(line).is_some()).count();
    if found == 0 || found * 2 < lines.len() { Looks::No } else { Looks::Yes }
}

fn parse(doc: &Doc, out: &mut Out) {
    let who = task(doc);
    let mut best: Option<(u8, &str, u32)> = None;
    let mut inside = None;
    for (line, text) in doc.lines() {
        let Some((controllers, path)) = entry(text) else { continue };
        // A v1 cpu controller decides; else the unified path, unless that is only the root of a hybrid host.
        let weight = match controllers {
            "" if path != "/" => 2,
            "" => 1,
            list if list.split(',').any(|one| one == "cpu") => 3,
            _ => 0,
        };
        if weight > 0 && best.is_none_or(|(have, _, _)| weight > have) {
            best = Some((weight, path, line));
        }
        if RUNTIMES.iter().any(|name| path.contains(name)) {
            inside.get_or_insert(line);
        }
    }
    let Some((_, path, line)) = best else { return };
    if !who.thread {
        out.text(&process::CGROUP, &who.id, path, line);
    }
    // Process 1 of a host is in the root or in init.scope; process 1 of a container is in the container's group.
    match (who.id.as_str(), inside) {
        ("1" | "self", Some(line)) => out.text(&host::VIEW, "", "container", line),
        ("1", None) if path == "/init.scope" => out.text(&host::VIEW, "", "host", line),
        _ => {}
    }
}

/// Parts of paths that container runtimes make.
const RUNTIMES: &[&str] =
    &["/docker/", "docker-", "kubepods", "/lxc/", "lxc.payload", "cri-containerd", "crio-", "libpod-"];
