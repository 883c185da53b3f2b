//! Prometheus text exposition (and OpenMetrics): `name{labels} value [time] [# exemplar]`. HELP and TYPE may be
//! missing, label values may hold any character, histograms are cumulative and stay as they are.

use super::{Doc, Looks, Out, Parser};
use crate::bundle::layout::Place;
use crate::facts::schema::keys::family::{BROKER, PROM, QUEUE_STATS};
use crate::facts::schema::keys::{broker_queue, go_process};
use crate::facts::{FactDef, Grade, Value};

pub static PARSER: Parser =
    Parser { kind: "prometheus-text", names: &["*metrics*", "*.prom"], sniff, parse, binary: false };

/// Longest name with labels; a longer one would be cut and could be taken for another.
const MAX_KEY: usize = 250;

/// One sample line.
struct Line<'a> {
    name: &'a str,
    /// Text between the braces, empty when there are none.
    labels: &'a str,
    value: f64,
}

fn sample(line: &str) -> Option<Line<'_>> {
    let line = line.trim();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | ':')))?;
    let (name, rest) = line.split_at(end);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (labels, rest) = match rest.strip_prefix('{') {
        Some(rest) => {
            let close = closing(rest)?;
            (rest.get(..close)?, rest.get(close + 1..)?)
        }
        None => ("", rest),
    };
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let mut words = rest.split_whitespace();
    let value: f64 = words.next()?.parse().ok()?;
    match words.next() {
        None | Some("#") => {}
        Some(time) => {
            time.parse::<f64>().ok()?;
        }
    }
    Some(Line { name, labels, value })
}

/// Offset of the brace that ends the labels: one outside quotes.
fn closing(text: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '}' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

/// Value of a label, escapes undone.
fn label(labels: &str, want: &str) -> Option<String> {
    let mut rest = labels;
    loop {
        let (key, after) = rest.split_once("=\"")?;
        let mut value = String::new();
        let mut chars = after.char_indices();
        let mut end = None;
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, c)) => value.push(c),
                    None => return None,
                },
                '"' => {
                    end = Some(at);
                    break;
                }
                c => value.push(c),
            }
        }
        let end = end?;
        if key.trim_matches([',', ' ']) == want {
            return Some(value);
        }
        rest = after.get(end + 1..)?;
    }
}

fn sniff(doc: &Doc) -> Looks {
    const TYPES: [&str; 7] = ["counter", "gauge", "histogram", "summary", "untyped", "unknown", "info"];
    let mut labelled = false;
    for line in doc.head() {
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            if rest.split_whitespace().nth(1).is_some_and(|word| TYPES.contains(&word)) {
                return Looks::Yes;
            }
        } else if let Some(sample) = sample(line) {
            labelled |= sample.labels.contains("=\"");
        }
    }
    if labelled { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let broker = doc.text.starts_with("rabbitmq_") || doc.text.contains("\nrabbitmq_");
    let family = if broker { &BROKER } else { &PROM };
    let entity = if broker { String::new() } else { process_name(doc.place) };
    let mut long = 0u32;
    for (line, text) in doc.lines() {
        if text.starts_with('#') || text.trim().is_empty() {
            continue;
        }
        let Some(sample) = sample(text) else {
            out.note(line, "no sample of a metric");
            continue;
        };
        if sample.name.len() + sample.labels.len() + 2 > MAX_KEY {
            long += 1;
            continue;
        }
        if sample.labels.is_empty() {
            out.sample(family, &entity, sample.name, sample.value, line);
        } else {
            out.sample(family, &entity, &format!("{}{{{}}}", sample.name, sample.labels), sample.value, line);
        }
        if broker {
            queue(&sample, line, out);
        } else {
            match sample.name {
                "go_info" => {
                    if let Some(version) = label(sample.labels, "version") {
                        out.text(&go_process::VERSION, &entity, version.trim_start_matches("go"), line);
                    }
                }
                "go_sched_gomaxprocs_threads" => out.num(&go_process::GOMAXPROCS, &entity, sample.value, line),
                _ => {}
            }
        }
    }
    if long > 0 {
        out.note(0, format!("{long} metrics with very long labels were left out"));
    }
}

/// Name of the process whose metrics these are: its pod, else what the file's name says beyond "metrics".
pub(super) fn process_name(place: &Place) -> String {
    const GENERIC: [&str; 12] =
        ["metrics", "metric", "prometheus", "prom", "txt", "go", "debug", "vars", "curl", "raw", "cmd", "text"];
    if let Some(pod) = &place.pod {
        return pod.clone();
    }
    let file = place.rel.rsplit('/').next().unwrap_or_default();
    let words: Vec<&str> =
        file.split(['_', '.', ' ']).filter(|word| !GENERIC.contains(word) && !word.is_empty()).collect();
    words.join("-")
}

/// Depth and consumers of one queue, where the broker exports them per queue.
fn queue(sample: &Line, line: u32, out: &mut Out) {
    let Some(metric) =
        sample.name.strip_prefix("rabbitmq_detailed_queue_").or_else(|| sample.name.strip_prefix("rabbitmq_queue_"))
    else {
        return;
    };
    let Some(name) = label(sample.labels, "queue") else { return };
    let name = queue_name(&name, label(sample.labels, "vhost").as_deref());
    out.sample(&QUEUE_STATS, &name, metric, sample.value, line);
    let fact: Option<&'static FactDef> = match metric {
        "messages_ready" => Some(&broker_queue::READY),
        "messages_unacked" => Some(&broker_queue::UNACKED),
        "consumers" => Some(&broker_queue::CONSUMERS),
        _ => None,
    };
    if let Some(fact) = fact {
        out.graded(fact, &name, Value::Num(sample.value), Grade::Once, line);
    }
}

/// Name of a queue as an entity: with its vhost unless that is the default one.
pub(super) fn queue_name(name: &str, vhost: Option<&str>) -> String {
    match vhost {
        Some(vhost) if vhost != "/" && !vhost.is_empty() => format!("{name}@{vhost}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_with_odd_labels_times_and_exemplars() {
        let line = sample("x_bucket{le=\"+Inf\",p=\"a}\\\" b\"} 4.2e+08 1700000000 # {id=\"z\"} 0.5").unwrap();
        assert_eq!((line.name, line.value), ("x_bucket", 4.2e8));
        assert_eq!(label(line.labels, "p").as_deref(), Some("a}\" b"));
        assert_eq!(label(line.labels, "q"), None);
        assert!(sample("up 1").is_some());
        for no in ["up", "up x", "[...]", "x{a=\"b\" 1", "# TYPE x counter", "12 13"] {
            assert!(sample(no).is_none(), "{no}");
        }
    }
}
