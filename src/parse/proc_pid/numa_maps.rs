//! `/proc/PID/numa_maps`: pages of every mapping by node. Counts are pages of the mapping's own size (2 MiB for hugetlb).

use std::collections::BTreeMap;

use super::super::{Doc, Looks, Out, Parser};
use super::{sample, task};
use crate::facts::schema::keys::process;

pub static PARSER: Parser = Parser { kind: "proc-pid-numa_maps", names: &["*numa_maps*"], sniff, parse, binary: false };

const POLICIES: &[&str] = &["default", "bind", "interleave", "prefer", "local", "weighted"];

/// Policy and the rest of a row.
fn row(line: &str) -> Option<(&str, std::str::SplitWhitespace<'_>)> {
    let mut words = line.split_whitespace();
    let address = words.next()?;
    let policy = words.next()?;
    let hex = address.len() >= 5 && address.bytes().all(|b| b.is_ascii_hexdigit());
    let known = POLICIES
        .iter()
        .any(|name| policy == *name || policy.strip_prefix(name).is_some_and(|r| r.starts_with([':', '=', ' ', '('])));
    (hex && known).then_some((policy, words))
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().take(10).any(|line| row(line).is_some()) { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let who = task(doc);
    let mut nodes: BTreeMap<u32, (f64, u32)> = BTreeMap::new();
    let mut policies: BTreeMap<&str, (f64, u32)> = BTreeMap::new();
    for (number, line) in doc.lines() {
        let Some((policy, words)) = row(line) else { continue };
        let mut size = 4096.0;
        let mut pages: Vec<(u32, f64)> = Vec::new();
        for word in words {
            let Some((key, value)) = word.split_once('=') else { continue };
            if key == "kernelpagesize_kB" {
                size = value.parse::<f64>().map_or(size, |kib| kib * 1024.0);
            } else if let Some(node) = key.strip_prefix('N').and_then(|node| node.parse().ok())
                && let Ok(count) = value.parse::<f64>()
            {
                pages.push((node, count));
            }
        }
        for (node, count) in pages {
            nodes.entry(node).or_insert((0.0, number)).0 += count * size;
            policies.entry(policy).or_insert((0.0, number)).0 += count * size;
        }
    }
    for (node, (bytes, line)) in &nodes {
        sample(out, &who, &format!("numa.{node}"), *bytes, *line);
    }
    let main = policies.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
    if let Some((policy, (_, line))) = main
        && !who.thread
    {
        out.text(&process::MEM_POLICY, &who.id, policy, *line);
    }
}
