//! What the cloud says: CloudWatch metric documents (whose data points come in no order), the machine type.

use super::json::{self, Node};
use super::{Doc, Looks, Out, Parser};
use crate::facts::FactDef;
use crate::facts::schema::keys::{disk, host};

pub static CLOUDWATCH: Parser = Parser {
    kind: "cloudwatch",
    names: &["*cloudwatch*", "*get-metric-*", "cloud *"],
    sniff: watch_sniff,
    parse: watch_parse,
    binary: false,
};
pub static MACHINE: Parser = Parser {
    kind: "instance-type",
    names: &["*instance-type*", "*instance type*", "*machine-type*", "*machine type*"],
    sniff: machine_sniff,
    parse: machine_parse,
    binary: false,
};

/// Metric, fact, factor. Metrics of volumes are facts of disks, metrics of instances of the host.
static METRICS: &[(&str, &FactDef, f64)] = &[
    ("BurstBalance", &disk::BURST_BALANCE, 0.01),
    ("VolumeIOPSExceededCheck", &disk::VOLUME_IOPS_EXCEEDED, 1.0),
    ("VolumeThroughputExceededCheck", &disk::VOLUME_THROUGHPUT_EXCEEDED, 1.0),
    ("VolumeQueueLength", &disk::VOLUME_QUEUE_LENGTH, 1.0),
    ("EBSIOBalance%", &host::EBS_IO_BALANCE, 0.01),
    ("EBSByteBalance%", &host::EBS_BYTE_BALANCE, 0.01),
    ("CPUCreditBalance", &host::CPU_CREDIT_BALANCE, 1.0),
    ("CPUSurplusCreditBalance", &host::CPU_SURPLUS_CREDITS, 1.0),
    ("CPUUtilization", &host::CLOUD_CPU, 0.01),
];

fn watch_sniff(doc: &Doc) -> Looks {
    let has = |key: &str| doc.text.contains(key);
    let statistics = has("\"Datapoints\"") && (has("\"Timestamp\"") || has("\"Label\""));
    let data = has("\"MetricDataResults\"");
    if statistics || data { Looks::Yes } else { Looks::No }
}

/// The volume (`vol-...`) that the path names; empty when it names none.
fn volume(doc: &Doc) -> String {
    let from = if doc.command.contains("vol-") { doc.command } else { doc.path };
    let Some(at) = from.find("vol-") else { return String::new() };
    from.get(at..).unwrap_or_default().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect()
}

fn metric_of(label: &str, doc: &Doc) -> Option<&'static (&'static str, &'static FactDef, f64)> {
    let exact = METRICS.iter().find(|(name, ..)| label.contains(name));
    exact.or_else(|| {
        METRICS.iter().find(|(name, ..)| doc.path.contains(name.trim_end_matches('%')) || doc.command.contains(name))
    })
}

fn watch_parse(doc: &Doc, out: &mut Out) {
    let Some(json) = json::parse(doc.text, doc.first_line) else { return };
    let root = &json.root;
    let name = volume(doc);
    if root.get("Datapoints").is_some() {
        let label = root.get("Label").and_then(Node::text).unwrap_or_default();
        let points = root.get("Datapoints").map(Node::items).unwrap_or_default().iter().filter_map(|item| {
            let at = time(item.get("Timestamp")?)?;
            let value = ["Average", "Minimum", "Maximum", "Sum"].iter().find_map(|key| item.get(key))?.num()?;
            Some((at, value, item.line))
        });
        series(metric_of(label, doc), label, &name, points.collect(), doc, out);
    }
    for result in root.get("MetricDataResults").map(Node::items).unwrap_or_default() {
        let text = |key: &str| result.get(key).and_then(Node::text).unwrap_or_default();
        let items = |key: &str| result.get(key).map(Node::items).unwrap_or_default();
        let points = items("Timestamps").iter().zip(items("Values"));
        let points = points.filter_map(|(at, value)| Some((time(at)?, value.num()?, value.line))).collect();
        let metric = metric_of(text("Label"), doc)
            .or_else(|| METRICS.iter().find(|(name, ..)| text("Id").eq_ignore_ascii_case(name)));
        series(metric, text("Label"), &name, points, doc, out);
    }
}

/// Seconds of the epoch: a number, or ISO 8601 with its zone.
fn time(node: &Node) -> Option<f64> {
    if let Some(text) = node.text() {
        let stamp: jiff::Timestamp = text.parse().ok()?;
        return stamp.as_second().to_string().parse().ok();
    }
    node.num()
}

fn series(
    metric: Option<&'static (&'static str, &'static FactDef, f64)>,
    label: &str,
    volume: &str,
    mut points: Vec<(f64, f64, u32)>,
    doc: &Doc,
    out: &mut Out,
) {
    let Some((_, def, factor)) = metric else {
        out.note(doc.first_line, format!("metric {label} is not used"));
        return;
    };
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let name = if def.kind == crate::facts::Kind::Disk { volume } else { "" };
    for (at, value, line) in points {
        out.point(def, name, at, value * factor, line);
    }
}

fn machine_sniff(doc: &Doc) -> Looks {
    let mut lines = doc.head();
    let word = lines.next().is_some_and(|line| line.len() < 120 && !line.trim().contains(char::is_whitespace));
    if word && lines.next().is_none() { Looks::Maybe } else { Looks::No }
}

fn machine_parse(doc: &Doc, out: &mut Out) {
    if let Some((line, text)) = doc.lines().find(|(_, text)| !text.trim().is_empty()) {
        // GCP answers `projects/123/machineTypes/n2-standard-4`.
        out.text(&host::MACHINE_TYPE, "", text.trim().rsplit('/').next().unwrap_or_default(), line);
    }
}
