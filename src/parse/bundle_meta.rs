//! What collectors write about their own run: a multi-pod bundle's `meta.json` (pods, addresses, quotas, times of
//! the snapshots) and our collector's `manifest.json`.

use super::json::{self, Node};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{broker, host, pod};

pub static META: Parser =
    Parser { kind: "bundle-meta", names: &["*meta"], sniff: meta_sniff, parse: meta_parse, binary: false };
pub static MANIFEST: Parser = Parser {
    kind: "bundle-manifest",
    names: &["*manifest"],
    sniff: manifest_sniff,
    parse: manifest_parse,
    binary: false,
};

fn meta_sniff(doc: &Doc) -> Looks {
    let all = ["\"pods\"", "\"times_unix\""].iter().all(|key| doc.text.contains(key));
    if all && doc.text.trim_start().starts_with('{') { Looks::Yes } else { Looks::No }
}

fn meta_parse(doc: &Doc, out: &mut Out) {
    let Some(json) = json::parse(doc.text, doc.first_line) else { return };
    let root = &json.root;
    for item in root.get("pods").map(Node::items).unwrap_or_default() {
        let Some(name) = item.get("name").and_then(Node::text) else { continue };
        out.entity(crate::facts::Kind::Pod, name);
        if let Some(node) = item.get("ip")
            && let Some(ip) = node.text()
        {
            out.text(&pod::IP, name, ip, node.line);
        }
        let num = |key: &str| item.get(key).and_then(|node| Some((node.num()?, node.line)));
        if let Some((value, line)) = num("gomaxprocs_env") {
            out.num(&pod::GOMAXPROCS, name, value, line);
        }
        if let (Some((quota, line)), Some((period, _))) = (num("cpu_quota_us"), num("cpu_period_us"))
            && quota > 0.0
            && period > 0.0
        {
            out.num(&pod::CPU_LIMIT, name, quota / period, line);
        }
    }
    for (key, def) in [("queue", &broker::QUEUE), ("workload", &broker::WORKLOAD)] {
        if let Some(node) = root.get(key)
            && let Some(text) = node.text()
        {
            out.text(def, "", text, node.line);
        }
    }
    for (key, node) in root.get("times_unix").map(Node::members).unwrap_or_default() {
        if let Some(seconds) = node.num() {
            snapshot_time(key, seconds, out);
        }
    }
}

/// `p-worker-0.metrics.t0` and `node.t1` say when snapshots were taken.
fn snapshot_time(key: &str, seconds: f64, out: &mut Out) {
    let Some((name, snap)) = key.rsplit_once(".t").and_then(|(name, snap)| Some((name, snap.parse::<u8>().ok()?)))
    else {
        return;
    };
    match name.strip_suffix(".metrics") {
        Some(pod) => out.clock_of(pod, snap, seconds),
        None if name == "node" => out.clock_of("", snap, seconds),
        None => {}
    }
}

fn manifest_sniff(doc: &Doc) -> Looks {
    if doc.text.contains("\"coroner.manifest/") { Looks::Yes } else { Looks::No }
}

fn manifest_parse(doc: &Doc, out: &mut Out) {
    let Some(json) = json::parse(doc.text, doc.first_line) else { return };
    let root = &json.root;
    for (key, def) in
        [("host", &host::HOSTNAME), ("kernel", &host::KERNEL), ("view", &host::VIEW), ("boot_id", &host::BOOT_ID)]
    {
        if let Some(node) = root.get(key)
            && let Some(text) = node.text()
        {
            out.text(def, "", text, node.line);
        }
    }
    for step in root.get("steps").map(Node::items).unwrap_or_default() {
        let text = |key: &str| step.get(key).and_then(Node::text).unwrap_or_default();
        if !text("absent").is_empty() {
            out.note(step.line, format!("{}: {}", text("id"), text("absent")));
        }
        let start = step.get("start").and_then(Node::num);
        if let (Some((pod, snap)), Some(start)) = (pod_snapshot(text("file")), start) {
            out.clock_of(pod, snap, start);
        }
    }
}

/// Pod and snapshot of `pods/NAME/metrics.t0.txt`.
fn pod_snapshot(file: &str) -> Option<(&str, u8)> {
    let (pod, rest) = file.strip_prefix("pods/")?.split_once('/')?;
    let snap = rest.strip_prefix("metrics.t")?.split('.').next()?.parse().ok()?;
    Some((pod, snap))
}
