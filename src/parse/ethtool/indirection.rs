//! `ethtool -x`: the RSS indirection table. Rows are `first entry: queue queue ...`; the ring count need not divide the table.

use std::collections::BTreeMap;

use super::{headed, interface_or_note};
use crate::facts::schema::keys::nic;
use crate::parse::table::count;
use crate::parse::{Doc, Looks, Out, Parser};

pub static PARSER: Parser = Parser {
    kind: "ethtool-x",
    names: &["ethtool -x *", "ethtool --show-rxfh* *"],
    sniff: |doc| if doc.head().any(|line| headed(line, HEADING).is_some()) { Looks::Yes } else { Looks::No },
    parse,
    binary: false,
};

pub const HEADING: &str = "RX flow hash indirection table for ";

#[derive(Default)]
struct Table {
    name: String,
    line: u32,
    entries: BTreeMap<u64, f64>,
    total: f64,
    first_row: Option<u32>,
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut tables: Vec<Table> = Vec::new();
    // Rows belong to the table only until the hash key or another heading begins.
    let mut inside = false;
    for (number, line) in doc.lines() {
        let text = line.trim();
        if headed(text, HEADING).is_some() {
            let name = headed(text, HEADING).map_or_else(|| interface_or_note(doc, out), str::to_owned);
            let rings = text.rsplit_once(" with ").and_then(|(_, rest)| count(rest.split(' ').next()?));
            if let Some(rings) = rings {
                out.num(&nic::RX_RINGS, &name, rings, number);
            }
            inside = !tables.iter().any(|table| table.name == name);
            if inside {
                tables.push(Table { name, line: number, ..Table::default() });
            }
            continue;
        }
        let Some(table) = tables.last_mut() else { continue };
        if let Some(function) = text.strip_suffix(": on").filter(|_| !inside) {
            out.text(&nic::HASH_FUNCTION, &table.name, function, number);
        } else if text.starts_with("RSS hash") {
            inside = false;
        } else if !inside || text.is_empty() {
        } else if text == "..." {
            out.note(number, "rows of the indirection table are left out here ('...')");
        } else if let Some((first, queues)) = text.split_once(':').filter(|(first, _)| count(first).is_some()) {
            let before = table.total;
            for queue in queues.split_ascii_whitespace() {
                let Ok(queue) = queue.parse::<u64>() else {
                    out.note(number, format!("'{queue}' in the row from entry {first} is no queue"));
                    break;
                };
                *table.entries.entry(queue).or_default() += 1.0;
                table.total += 1.0;
            }
            if table.total > before {
                table.first_row.get_or_insert(number);
            }
        } else if text.to_ascii_lowercase().contains("not supported") {
            out.missing(&nic::TABLE_QUEUES, &table.name, text, number);
            out.missing(&nic::TABLE_TOP1, &table.name, text, number);
            inside = false;
        }
    }
    for table in tables {
        let line = table.first_row.unwrap_or(table.line);
        let Some(most) = table.entries.values().copied().max_by(f64::total_cmp) else { continue };
        let queues = u32::try_from(table.entries.len()).map_or(f64::INFINITY, f64::from);
        out.num(&nic::TABLE_QUEUES, &table.name, queues, line);
        out.num(&nic::TABLE_TOP1, &table.name, most / table.total, line);
    }
}
