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

/// The rows of one capture.
#[derive(Default)]
struct Block<'a> {
    cpus: Vec<String>,
    rows: Vec<(&'a str, Vec<f64>, u32)>,
    at: Option<f64>,
}

/// Rows by which a CPU that ever ran is known: it had timer ticks or RCU callbacks.
const ALWAYS: [&str; 2] = ["TIMER", "RCU"];

impl Block<'_> {
    /// Writes the rows. A CPU whose column is all zeros was never online, when the rows that tell are there.
    fn flush(&mut self, out: &mut Out) {
        let whole = ALWAYS.iter().all(|kind| self.rows.iter().any(|(have, _, _)| have == kind));
        for (at, cpu) in self.cpus.iter().enumerate() {
            let column = || self.rows.iter().filter_map(|(kind, values, line)| Some((*kind, *values.get(at)?, *line)));
            if whole && column().all(|(_, value, _)| value == 0.0) {
                continue;
            }
            for (kind, value, line) in column() {
                out.sample_at(&SOFTIRQS, cpu, kind, value, line, self.at);
            }
        }
        self.rows.clear();
    }
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut block = Block::default();
    let mut inferred = false;
    for (number, line) in doc.lines() {
        if let Some(header) = cpu_header(line) {
            block.flush(out);
            block.cpus = header;
            continue;
        }
        let Some((kind, cells)) = row(line) else {
            if let Some(seconds) = stamp(line) {
                block.flush(out);
                block.at = Some(seconds);
            }
            continue;
        };
        let values: Vec<f64> = cells.map_while(count).collect();
        if block.cpus.is_empty() {
            block.cpus = (0..values.len()).map(|id| id.to_string()).collect();
            inferred = true;
            out.note(number, "no header; columns taken as CPU 0, 1, 2 ...");
        }
        if values.len() > block.cpus.len() || (values.len() < block.cpus.len() && !inferred) {
            out.note(number, format!("{} values under {} columns", values.len(), block.cpus.len()));
        }
        block.rows.push((kind, values, number));
    }
    block.flush(out);
}
