//! `/proc/softirqs`: soft interrupts raised per CPU and kind. Columns are possible CPUs, of which many may never have been online.

use super::interrupts::cpu_header;
use super::stamp::stamp;
use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SOFTIRQS;

pub static PARSER: Parser =
    Parser { kind: "proc-softirqs", names: &["*proc softirqs", "softirqs"], sniff, parse, binary: false };

/// Kinds, all kernels (`softirq_to_name`, kernel/softirq.c).
pub const KINDS: [&str; 11] =
    ["HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "BLOCK_IOPOLL", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];

fn row(line: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    let (label, rest) = line.split_once(':')?;
    let label = label.trim();
    KINDS.contains(&label).then(|| (label, rest.split_ascii_whitespace()))
}

fn sniff(doc: &Doc) -> Looks {
    let data = |line: &str| row(line).is_some_and(|(_, mut cells)| cells.next().and_then(count).is_some());
    if doc.head().any(data) { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut cpus: Vec<String> = Vec::new();
    let mut inferred = false;
    let mut at = None;
    for (number, line) in doc.lines() {
        if let Some(header) = cpu_header(line) {
            cpus = header;
            continue;
        }
        let Some((kind, cells)) = row(line) else {
            at = stamp(line).or(at);
            continue;
        };
        let values: Vec<f64> = cells.map_while(count).collect();
        if cpus.is_empty() {
            cpus = (0..values.len()).map(|id| id.to_string()).collect();
            inferred = true;
            out.note(number, "no header; columns taken as CPU 0, 1, 2 ...");
        }
        if values.len() > cpus.len() || (values.len() < cpus.len() && !inferred) {
            out.note(number, format!("{} values under {} columns", values.len(), cpus.len()));
        }
        for (cpu, value) in cpus.iter().zip(values) {
            out.sample_at(&SOFTIRQS, cpu, kind, value, number, at);
        }
    }
}
