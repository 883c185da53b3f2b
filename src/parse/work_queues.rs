//! Other queues of work: `kafka-consumer-groups --describe` and `celery inspect`.

use std::collections::BTreeMap;

use super::table::{cell, columns, number};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{broker_queue, consumer};
use crate::facts::{FactDef, Grade, Value};

pub static KAFKA: Parser = Parser {
    kind: "kafka-consumer-groups",
    names: &["*kafka*consumer*group*"],
    sniff: kafka_sniff,
    parse: kafka_parse,
    binary: false,
};
pub static CELERY: Parser =
    Parser { kind: "celery-inspect", names: &["*celery*"], sniff: celery_sniff, parse: celery_parse, binary: false };

fn is_header(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    ["TOPIC", "PARTITION", "LAG"].iter().all(|word| words.contains(word))
}

fn kafka_sniff(doc: &Doc) -> Looks {
    if doc.head().any(is_header) { Looks::Yes } else { Looks::No }
}

/// Numbers that move: one reading is no state.
fn once(out: &mut Out, def: &'static FactDef, name: &str, value: f64, line: u32) {
    out.graded(def, name, Value::Num(value), Grade::Once, line);
}

/// Queues are `topic:partition`, their consumers `topic:partition/consumer-id`.
fn kafka_parse(doc: &Doc, out: &mut Out) {
    let mut header: Vec<&str> = Vec::new();
    for (line, text) in doc.lines() {
        if is_header(text) {
            header = text.split_whitespace().collect();
            continue;
        }
        let row: Vec<&str> = text.split_whitespace().collect();
        if header.is_empty() || row.len() < header.len() {
            continue;
        }
        let [topic, partition, lag, id, host] =
            columns(&header, [&["TOPIC"], &["PARTITION"], &["LAG"], &["CONSUMER-ID"], &["HOST"]]);
        let (Some(topic), Some(partition)) = (cell(&row, topic), cell(&row, partition)) else { continue };
        let queue = format!("{topic}:{partition}");
        let lag = cell(&row, lag).and_then(number);
        let id = cell(&row, id).filter(|id| *id != "-");
        if let Some(lag) = lag {
            once(out, &broker_queue::LAG, &queue, lag, line);
        }
        out.num(&broker_queue::CONSUMERS, &queue, if id.is_some() { 1.0 } else { 0.0 }, line);
        let Some(id) = id else { continue };
        let name = format!("{queue}/{id}");
        if let Some(lag) = lag {
            once(out, &consumer::LAG, &name, lag, line);
        }
        if let Some(host) = cell(&row, host) {
            out.text(&consumer::PEER, &name, host.trim_start_matches('/'), line);
        }
    }
}

/// `-> celery@worker-1: OK`: the worker and what it answered.
fn worker(line: &str) -> Option<(&str, &str)> {
    let (name, answer) = line.trim_start().strip_prefix("->")?.trim().rsplit_once(':')?;
    name.contains('@').then_some((name.trim(), answer.trim()))
}

fn celery_sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| worker(line).is_some()) { Looks::Yes } else { Looks::No }
}

/// Workers are consumers `celery/NAME`, with the number of tasks that they hold.
fn celery_parse(doc: &Doc, out: &mut Out) {
    let mut tasks: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut current: Option<&str> = None;
    for (line, text) in doc.lines() {
        if let Some((name, answer)) = worker(text) {
            current = (answer == "OK").then_some(name);
            if current.is_some() {
                tasks.entry(name).or_insert((0, line));
            }
        } else if text.trim_start().starts_with("* ")
            && let Some((count, _)) = current.and_then(|name| tasks.get_mut(name))
        {
            *count = count.saturating_add(1);
        }
    }
    for (name, (count, line)) in tasks {
        once(out, &consumer::TASKS, &format!("celery/{name}"), f64::from(count), line);
    }
}
