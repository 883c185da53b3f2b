//! Settings and gauges of `/proc/sys/net`, one bare number a file: connection tracking, backlog limits, softirq budget.

use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::FactDef;
use crate::facts::schema::keys::host;
use crate::facts::{Grade, Value};

pub static PARSER: Parser =
    Parser { kind: "proc-sys-net", names: &["*proc sys net *", "*sys net *"], sniff, parse, binary: false };

/// The fact of a key, with its dots as in sysctl; used by every reader of such keys.
pub fn fact(key: &str) -> Option<&'static FactDef> {
    match key {
        "net.netfilter.nf_conntrack_max" | "net.nf_conntrack_max" => Some(&host::CONNTRACK_MAX),
        "net.netfilter.nf_conntrack_count" => Some(&host::CONNTRACK_COUNT),
        "net.core.somaxconn" => Some(&host::SOMAXCONN),
        "net.ipv4.tcp_max_syn_backlog" => Some(&host::SYN_BACKLOG),
        "net.ipv4.tcp_syncookies" => Some(&host::SYNCOOKIES),
        "net.core.netdev_budget" => Some(&host::NETDEV_BUDGET),
        "net.core.netdev_max_backlog" => Some(&host::NETDEV_BACKLOG),
        _ => None,
    }
}

fn key(doc: &Doc) -> Option<String> {
    let path = if doc.command.is_empty() { &doc.place.rel } else { doc.command };
    let (_, below) = path.split_once("proc/sys/")?;
    Some(below.strip_suffix(".txt").unwrap_or(below).replace('/', "."))
}

fn sniff(doc: &Doc) -> Looks {
    let mut lines = doc.head();
    let bare = lines.next().is_some_and(|line| number(line).is_some()) && lines.next().is_none();
    if bare && key(doc).is_some_and(|key| key.starts_with("net.")) { Looks::Maybe } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let Some(def) = key(doc).as_deref().and_then(fact) else { return };
    if let Some((line, value)) = doc.lines().find_map(|(line, text)| Some((line, number(text)?))) {
        let gauge = std::ptr::eq(def, &host::CONNTRACK_COUNT);
        out.graded(def, "", Value::Num(value), if gauge { Grade::Once } else { Grade::State }, line);
    }
}
