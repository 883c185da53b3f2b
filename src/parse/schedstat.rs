//! `/proc/schedstat`: time run and time waited per CPU (Documentation/scheduler/sched-stats.rst). The fields of the
//! `cpu` lines are the same in versions 14 to 17; those of the `domain` lines differ and nothing reads them.

use super::table::count;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::family::SCHEDSTAT;

pub static PARSER: Parser =
    Parser { kind: "proc-schedstat", names: &["proc schedstat", "*proc schedstat"], sniff, parse, binary: false };

/// Position and name of the fields in a `cpu` line.
const FIELDS: [(usize, &str); 3] = [(6, "run_ns"), (7, "wait_ns"), (8, "slices")];
const VERSIONS: [f64; 4] = [14.0, 15.0, 16.0, 17.0];

fn version(line: &str) -> Option<f64> {
    line.strip_prefix("version ").and_then(count)
}

fn sniff(doc: &Doc) -> Looks {
    let version = doc.head().take(8).any(|line| version(line).is_some());
    let stamp =
        doc.head().take(8).any(|line| line.strip_prefix("timestamp ").is_some_and(|rest| count(rest).is_some()));
    let domains = doc.head().any(|line| line.starts_with("domain0 "));
    if domains || (version && stamp) { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    for (number, line) in doc.lines() {
        if let Some(version) = version(line) {
            if !VERSIONS.contains(&version) {
                out.note(number, format!("schedstat version {version} is unknown; not used"));
                return;
            }
            continue;
        }
        let mut words = line.split_ascii_whitespace();
        let Some(id) = words.next().and_then(|word| word.strip_prefix("cpu")).filter(|id| id.parse::<u32>().is_ok())
        else {
            continue;
        };
        let values: Vec<Option<f64>> = words.map(count).collect();
        for (at, metric) in FIELDS {
            match values.get(at) {
                Some(Some(value)) => out.sample(&SCHEDSTAT, id, metric, *value, number),
                _ => out.note(number, format!("field {} is missing", at + 1)),
            }
        }
    }
}
