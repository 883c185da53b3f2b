//! `/proc/vmstat`: pages and events by the kernel's own names. Names come and go with versions
//! (`allocstall` or `allocstall_normal`, `pgscan_direct` or `pgscan_direct_normal`), so they are kept as they are.

use super::stamp::stamp;
use super::stamped::stamped;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::VMSTAT;

pub static PARSER: Parser =
    Parser { kind: "proc-vmstat", names: &["*proc vmstat*", "*proc.vmstat*"], sniff, parse, binary: false };

/// Names, or beginnings of names ending in `_`, that only this file (and a node's vmstat) has.
const OWN: &[&str] = &[
    "nr_free_pages",
    "nr_dirty",
    "nr_mapped",
    "nr_file_pages",
    "nr_inactive_anon",
    "nr_active_file",
    "nr_writeback",
    "pgpgin",
    "pgpgout",
    "pswpin",
    "pswpout",
    "pgfault",
    "pgmajfault",
    "pageoutrun",
    "allocstall_",
    "pgscan_",
    "pgsteal_",
    "kswapd_",
    "workingset_",
    "compact_",
    "thp_",
    "oom_kill",
    "drop_pagecache",
    "numa_pte_updates",
    "pgalloc_",
    "pginodesteal",
    "balloon_",
    "allocstall",
];
/// Names of cgroup `memory.stat`, which shares many of the above.
const CGROUP: &[&str] = &["anon", "file", "cache", "rss", "slab", "total_rss", "hierarchical_memory_limit"];

fn sniff(doc: &Doc) -> Looks {
    let mut own = 0;
    for line in doc.head() {
        let (_, line) = stamped(line);
        let Some((key, value)) = line.split_once(' ') else { continue };
        if !value.trim().bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        if CGROUP.contains(&key) {
            return Looks::No;
        }
        own += u32::from(known(key));
    }
    // A node's own vmstat is a part of this file; only its path tells them apart.
    if own < 2 || super::sys_node::is_node_path(doc) { Looks::No } else { Looks::Yes }
}

pub(super) fn known(key: &str) -> bool {
    OWN.iter().any(|own| key == *own || (own.ends_with('_') && key.starts_with(own)))
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut at = None;
    for (line, text) in doc.lines() {
        let (own, rest) = stamped(text);
        let mut words = rest.split_whitespace();
        let (Some(key), Some(value), None) = (words.next(), words.next(), words.next()) else {
            at = stamp(text).or(at);
            continue;
        };
        if !key.starts_with(|c: char| c.is_ascii_lowercase()) {
            at = stamp(text).or(at);
            continue;
        }
        match value.parse::<u64>().ok().and_then(|_| value.parse::<f64>().ok()) {
            Some(value) => out.sample_at(&VMSTAT, "", key, value, line, own.or(at)),
            None => out.note(line, format!("{key} is no counter")),
        }
    }
}
