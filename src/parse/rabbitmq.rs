//! RabbitMQ: `rabbitmqctl list_queues|list_consumers|list_channels|list_connections` (text with or without a header,
//! box-drawn tables, JSON), the management API's documents, and `status`. The order of `list_consumers` is the
//! order in which the queue serves them and is kept.

use super::json;
use super::rabbitmq_row::{Row, cells, json_rows};
use super::rabbitmq_tables::{self as tables, Table};
use super::table::pair;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::broker;

pub static PARSER: Parser = Parser {
    kind: "rabbitmq",
    names: &[
        "*rabbitmqctl*",
        "*rabbitmq*",
        "*list queues*",
        "*list consumers*",
        "*list channels*",
        "*list connections*",
    ],
    sniff,
    parse,
    binary: false,
};

fn is_json(doc: &Doc) -> bool {
    doc.head().next().is_some_and(|line| line.trim_start().starts_with(['[', '{']))
}

/// `Listing queues for vhost / ...`, `Queues on openstack:`: the vhost, where the line names one.
fn heading(line: &str) -> Option<Option<&str>> {
    let line = line.trim();
    for start in [
        "Listing queues",
        "Listing consumers",
        "Listing channels",
        "Listing connections",
        "Listing bindings",
        "Listing exchanges",
    ] {
        if let Some(rest) = line.strip_prefix(start) {
            return Some(rest.split_once(" for vhost ").map(|(_, name)| name.trim_end_matches('.').trim()));
        }
    }
    ["Queues on ", "Consumers on ", "Channels on ", "Connections on ", "Channels:", "Connections:"]
        .into_iter()
        .find_map(|start| line.strip_prefix(start))
        .map(|rest| rest.strip_suffix(':'))
}

fn is_status(line: &str) -> bool {
    line.starts_with("Status of node ")
        || line.starts_with("RabbitMQ version:")
        || line.starts_with("Reporting server status of node")
}

fn sniff(doc: &Doc) -> Looks {
    if is_json(doc) {
        return json_sniff(doc);
    }
    for line in doc.head() {
        if heading(line).is_some() || is_status(line) {
            return Looks::Yes;
        }
        let row = cells(line);
        if tables::header(&row).is_some() || tables::headless(&row).is_some() {
            return Looks::Yes;
        }
    }
    let short = doc.head().all(|line| (2..=6).contains(&cells(line).len()));
    if short && doc.head().next().is_some() { Looks::Maybe } else { Looks::No }
}

/// Keys that only the broker's documents have together.
fn json_sniff(doc: &Doc) -> Looks {
    const SETS: &[&[&str]] = &[
        &["\"queue_totals\"", "\"object_totals\""],
        &["\"rabbitmq_version\"", "\"erlang_version\""],
        &["\"consumer_tag\"", "\"prefetch_count\""],
        &["\"prefetch_count\"", "\"messages_unacknowledged\""],
        &["\"peer_host\"", "\"peer_port\"", "\"channels\""],
        &["\"messages_ready\"", "\"messages_unacknowledged\""],
        &["\"durable\"", "\"vhost\"", "\"auto_delete\""],
        &["\"mem_alarm\"", "\"disk_free_alarm\""],
        &["\"tracing\"", "\"cluster_state\""],
        &["\"tracing\"", "\"recv_oct\""],
        &["\"queue_procs\"", "\"connection_readers\""],
    ];
    if SETS.iter().any(|set| set.iter().all(|key| doc.text.contains(key))) { Looks::Yes } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    if is_json(doc) {
        let Some(json) = json::parse(doc.text, doc.first_line) else { return };
        if json.cut {
            out.note(doc.first_line, "the JSON is cut; what came before is used");
        }
        let rows = json_rows(&json.root);
        let mut tables = tables::Writer::default();
        for row in &rows {
            match tables::of_json(row) {
                Some(table) => tables.row(table, row, out),
                None => overview(row, out),
            }
        }
        tables.finish(out);
        return;
    }
    text(doc, out);
}

fn text(doc: &Doc, out: &mut Out) {
    let mut vhost: Option<String> = None;
    let mut header: Option<(Table, Vec<String>)> = named_columns(doc);
    let mut tables = tables::Writer::default();
    let mut lost = None;
    for (line, text) in doc.lines() {
        if let Some(found) = heading(text) {
            vhost = found.map(str::to_owned);
            header = header.filter(|_| vhost.is_some());
            continue;
        }
        status(line, text, out);
        let row = cells(text);
        if row.is_empty() || text.starts_with("Timeout:") {
            continue;
        }
        if let Some(table) = tables::header(&row) {
            header = Some((table, row.iter().map(|cell| (*cell).to_owned()).collect()));
            continue;
        }
        let bare = tables::headless(&row);
        let (table, names): (Table, Vec<&str>) = match (&header, bare) {
            (Some((table, names)), _) if names.len() >= row.len() && row.len() + 2 >= names.len() => {
                (*table, names.iter().map(String::as_str).collect())
            }
            (None, Some((table, names))) => (table, names.to_vec()),
            (None, None) if doc.named("*list queues*") && row.len() >= 2 => {
                lost = lost.or(Some(line));
                (Table::Queues, vec!["name", "messages"])
            }
            _ => continue,
        };
        let mut pairs: Vec<(String, String)> = names
            .iter()
            .zip(&row)
            .filter(|(_, cell)| !cell.is_empty())
            .map(|(name, cell)| ((*name).to_owned(), (*cell).to_owned()))
            .collect();
        if let Some(vhost) = &vhost {
            pairs.push(("vhost".to_owned(), vhost.clone()));
        }
        tables.row(table, &Row::new(pairs, line), out);
    }
    tables.finish(out);
    if let Some(line) = lost {
        out.note(line, "no header: first two columns taken as name and messages (the default of list_queues)");
    }
}

/// Columns that the command asked for, when the output has no header (RabbitMQ 3.6 and older, or `-q`).
fn named_columns(doc: &Doc) -> Option<(Table, Vec<String>)> {
    let (table, rest) = [
        ("list_queues", Table::Queues),
        ("list_consumers", Table::Consumers),
        ("list_channels", Table::Channels),
        ("list_connections", Table::Connections),
    ]
    .into_iter()
    .find_map(|(word, table)| Some((table, doc.command.split_once(word)?.1)))?;
    let mut names = Vec::new();
    let mut words = rest.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-p" | "-n" | "-t" | "--vhost" | "--node" | "--timeout" => {
                words.next();
            }
            "|" | ">" | "2>&1" => break,
            _ if word.starts_with('-') => {}
            _ => names.push(word.to_owned()),
        }
    }
    (names.len() > 1).then_some((table, names))
}

/// Rows of `rabbitmqctl status`.
fn status(line: u32, text: &str, out: &mut Out) {
    let Some((key, value)) = pair(text) else { return };
    let first = value.split_whitespace().next().unwrap_or_default();
    match key {
        "RabbitMQ version" => out.text(&broker::VERSION, "", value, line),
        "Node name" => out.text(&broker::NODE, "", value, line),
        "Total file descriptors used" | "File Descriptors" => {
            let mut numbers = value.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<f64>().ok());
            if let (Some(used), Some(limit)) = (numbers.next(), numbers.next()) {
                out.num(&broker::FD_USED, "", used, line);
                out.num(&broker::FD_LIMIT, "", limit, line);
            }
        }
        "Total" if value.contains("limit:") => {
            let limit =
                value.rsplit("limit:").next().and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
            if let (Ok(used), Some(limit)) = (first.trim_end_matches(',').parse::<f64>(), limit) {
                out.num(&broker::FD_USED, "", used, line);
                out.num(&broker::FD_LIMIT, "", limit, line);
            }
        }
        _ => {}
    }
}

/// Overview and node documents.
fn overview(row: &Row, out: &mut Out) {
    let line = row.line;
    if let Some(version) = row.get("rabbitmq_version") {
        out.text(&broker::VERSION, "", version, line);
    }
    let flags = [("mem_alarm", &broker::MEM_ALARM), ("disk_free_alarm", &broker::DISK_ALARM)];
    for (key, def) in flags {
        match row.get(key) {
            Some("true") => out.flag(def, "", true, line),
            Some("false") => out.flag(def, "", false, line),
            _ => {}
        }
    }
    for (key, def) in [("fd_total", &broker::FD_LIMIT), ("fd_used", &broker::FD_USED)] {
        if let Some(value) = row.num(key) {
            out.num(def, "", value, line);
        }
    }
    for (key, value) in row.numbers() {
        let wanted = ["churn_rates.", "queue_totals.", "object_totals.", "message_stats."]
            .iter()
            .any(|start| key.starts_with(start));
        if wanted && !key.ends_with(".rate") {
            out.sample(&crate::facts::schema::keys::family::BROKER, "", key, value, line);
        }
    }
}
