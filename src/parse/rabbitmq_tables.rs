//! What the columns of the broker's tables mean: queues, consumers, channels, connections.

use std::collections::BTreeMap;

use super::Out;
use super::prometheus::queue_name;
use super::rabbitmq_row::{Row, pid, pid_node};
use crate::facts::schema::keys::family::{CHANNEL_STATS, QUEUE_STATS};
use crate::facts::schema::keys::{broker_queue, channel, connection, consumer};
use crate::facts::{FactDef, Grade, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Queues,
    Consumers,
    Channels,
    Connections,
    /// Known and of no use: bindings, exchanges.
    Other,
}

/// The table that a header row begins.
pub(super) fn header(row: &[&str]) -> Option<Table> {
    let word = |cell: &&str| !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if row.is_empty() || !row.iter().all(word) {
        return None;
    }
    let has = |name: &str| row.contains(&name);
    if has("source_name") || (has("name") && has("internal")) {
        Some(Table::Other)
    } else if has("channel_pid") && (has("consumer_tag") || has("queue_name")) {
        Some(Table::Consumers)
    } else if (has("connection") && has("number"))
        || (has("consumer_count") && has("pid"))
        || (has("prefetch_count") && has("pid"))
    {
        Some(Table::Channels)
    } else if has("peer_host") || has("peer_port") || has("client_properties") {
        Some(Table::Connections)
    } else if has("name")
        && (row == ["name"]
            || has("messages")
            || has("messages_ready")
            || has("consumers")
            || has("type")
            || has("pid"))
    {
        Some(Table::Queues)
    } else {
        None
    }
}

/// Columns of a row whose shape alone says what it is: default columns of `list_consumers` and `list_channels`.
pub(super) fn headless(row: &[&str]) -> Option<(Table, &'static [&'static str])> {
    let is_pid = |at: usize| row.get(at).is_some_and(|cell| cell.contains('@') && pid(cell).is_some());
    let is_flag = |at: usize| row.get(at).is_some_and(|cell| matches!(*cell, "true" | "false"));
    let is_num =
        |at: usize| row.get(at).is_some_and(|cell| !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit()));
    if is_pid(1) && is_flag(3) && is_num(4) {
        return Some(if is_flag(5) {
            (
                Table::Consumers,
                &["queue_name", "channel_pid", "consumer_tag", "ack_required", "prefetch_count", "active", "arguments"],
            )
        } else {
            (
                Table::Consumers,
                &["queue_name", "channel_pid", "consumer_tag", "ack_required", "prefetch_count", "arguments"],
            )
        });
    }
    (row.len() == 4 && is_pid(0) && !is_num(1) && is_num(2) && is_num(3))
        .then_some((Table::Channels, &["pid", "user", "consumer_count", "messages_unacknowledged"]))
}

/// The table that a JSON item belongs to.
pub(super) fn of_json(row: &Row) -> Option<Table> {
    if row.has("consumer_tag") && (row.has("channel_pid") || row.has("queue.name") || row.has("queue_name")) {
        Some(Table::Consumers)
    } else if row.has("consumer_count")
        && (row.has("number") || row.has("connection") || row.has("connection_details.name"))
    {
        Some(Table::Channels)
    } else if row.has("peer_port") && (row.has("channels") || row.has("recv_oct")) {
        Some(Table::Connections)
    } else if row.has("name")
        && !row.has("internal")
        && !row.has("tracing")
        && (row.has("messages_ready")
            || row.has("consumers")
            || row.has("messages")
            || (row.has("durable") && row.has("auto_delete")))
    {
        Some(Table::Queues)
    } else if row.has("internal") || row.has("tracing") {
        Some(Table::Other)
    } else {
        None
    }
}

/// Writes rows and remembers each consumer's place in its queue's order.
#[derive(Default)]
pub(super) struct Writer {
    order: BTreeMap<String, (u32, u32)>,
}

impl Writer {
    pub fn row(&mut self, table: Table, row: &Row, out: &mut Out) {
        match table {
            Table::Queues => queue(row, out),
            Table::Consumers => self.consumer(row, out),
            Table::Channels => channel_row(row, out),
            Table::Connections => connection_row(row, out),
            Table::Other => {}
        }
    }

    /// A listing of consumers is also a count of them, per queue.
    pub fn finish(self, out: &mut Out) {
        for (name, (count, line)) in self.order {
            out.num(&broker_queue::CONSUMERS, &name, f64::from(count), line);
        }
    }

    /// Consumers are named `queue/place`; those of the management API, which sorts by channel, `queue/api-place`.
    fn consumer(&mut self, row: &Row, out: &mut Out) {
        let Some(name) = row.any(&["queue_name", "queue.name"]) else { return };
        let queue = queue_name(name, row.any(&["vhost", "queue.vhost"]));
        let place = self.order.entry(queue.clone()).or_insert((0, row.line));
        let api = row.has("channel_details.name");
        let entity = if api { format!("{queue}/api-{}", place.0) } else { format!("{queue}/{}", place.0) };
        if !api {
            out.num(&consumer::ORDINAL, &entity, f64::from(place.0), row.line);
        }
        place.0 = place.0.saturating_add(1);
        let texts: [(&'static FactDef, Option<String>); 4] = [
            (
                &consumer::CHANNEL,
                row.any(&["channel_pid"]).and_then(pid).or_else(|| row.get("channel_details.name").map(str::to_owned)),
            ),
            (&consumer::TAG, row.get("consumer_tag").map(str::to_owned)),
            (&consumer::CONNECTION, row.get("channel_details.connection_name").map(str::to_owned)),
            (&consumer::PEER, row.get("channel_details.peer_host").map(str::to_owned)),
        ];
        for (def, text) in texts {
            if let Some(text) = text {
                out.text(def, &entity, &text, row.line);
            }
        }
        if let Some(prefetch) = row.num("prefetch_count") {
            out.num(&consumer::PREFETCH, &entity, prefetch, row.line);
        }
        for (key, def) in
            [("ack_required", &consumer::ACK), ("active", &consumer::ACTIVE), ("exclusive", &consumer::EXCLUSIVE)]
        {
            if let Some(flag) = row.flag(key) {
                out.flag(def, &entity, flag, row.line);
            }
        }
    }
}

/// Numbers that move: one reading of them is no state.
fn once(out: &mut Out, def: &'static FactDef, name: &str, value: Option<f64>, line: u32) {
    if let Some(value) = value {
        out.graded(def, name, Value::Num(value), Grade::Once, line);
    }
}

fn queue(row: &Row, out: &mut Out) {
    let Some(name) = row.get("name").filter(|name| !name.is_empty()) else { return };
    let name = queue_name(name, row.get("vhost"));
    let line = row.line;
    out.entity(crate::facts::Kind::BrokerQueue, &name);
    if let Some(count) = row.num("consumers") {
        out.num(&broker_queue::CONSUMERS, &name, count, line);
    }
    once(out, &broker_queue::READY, &name, row.num("messages_ready"), line);
    once(out, &broker_queue::UNACKED, &name, row.num("messages_unacknowledged"), line);
    once(out, &broker_queue::MESSAGES, &name, row.num("messages"), line);
    once(
        out,
        &broker_queue::CAPACITY,
        &name,
        row.num("consumer_capacity").or_else(|| row.num("consumer_utilisation")),
        line,
    );
    for (key, def) in
        [("type", &broker_queue::TYPE), ("state", &broker_queue::STATE), ("policy", &broker_queue::POLICY)]
    {
        if let Some(text) = row.get(key) {
            out.text(def, &name, text, line);
        }
    }
    let leader = row.any(&["leader", "node"]).or_else(|| row.get("pid").and_then(pid_node));
    if let Some(leader) = leader {
        out.text(&broker_queue::LEADER, &name, leader, line);
    }
    if let Some(flag) = row.flag("exclusive") {
        out.flag(&broker_queue::EXCLUSIVE, &name, flag, line);
    }
    let single = row.flag("arguments.x-single-active-consumer").or_else(|| {
        row.get("arguments").and_then(|text| text.contains("x-single-active-consumer\",true").then_some(true))
    });
    if let Some(flag) = single {
        out.flag(&broker_queue::SINGLE_ACTIVE, &name, flag, line);
    }
    for (key, value) in row.numbers() {
        let metric = key.strip_prefix("message_stats.").unwrap_or(key);
        let counter = key.starts_with("message_stats.") && !key.ends_with(".rate");
        if counter || matches!(key, "messages" | "messages_ready" | "messages_unacknowledged" | "consumers" | "memory")
        {
            out.sample(&QUEUE_STATS, &name, metric, value, line);
        }
    }
}

fn channel_row(row: &Row, out: &mut Out) {
    let number = row.get("pid").and_then(pid);
    let Some(name) = row.get("name").map(str::to_owned).or_else(|| number.clone()) else { return };
    let line = row.line;
    let texts: [(&'static FactDef, Option<String>); 5] = [
        (&channel::PID, number),
        (&channel::CONNECTION_PID, row.get("connection").and_then(pid)),
        (
            &channel::CONNECTION,
            row.get("connection_details.name")
                .map(str::to_owned)
                .or_else(|| Some(name.rsplit_once(" (")?.0.to_owned())),
        ),
        (&channel::PEER, row.get("connection_details.peer_host").map(str::to_owned)),
        (&channel::USER, row.get("user").map(str::to_owned)),
    ];
    for (def, text) in texts {
        if let Some(text) = text {
            out.text(def, &name, &text, line);
        }
    }
    for (key, def) in [
        ("consumer_count", &channel::CONSUMERS),
        ("prefetch_count", &channel::PREFETCH),
        ("global_prefetch_count", &channel::GLOBAL_PREFETCH),
    ] {
        if let Some(value) = row.num(key) {
            out.num(def, &name, value, line);
        }
    }
    once(out, &channel::UNACKED, &name, row.num("messages_unacknowledged"), line);
    for (key, value) in row.numbers() {
        let metric = key.strip_prefix("message_stats.").unwrap_or(key);
        if (key.starts_with("message_stats.") && !key.ends_with(".rate")) || key == "messages_unacknowledged" {
            out.sample(&CHANNEL_STATS, &name, metric, value, line);
        }
    }
}

fn connection_row(row: &Row, out: &mut Out) {
    let number = row.get("pid").and_then(pid);
    let Some(name) = row.get("name").map(str::to_owned).or_else(|| number.clone()) else { return };
    let line = row.line;
    let client =
        row.any(&["client_properties.connection_name", "user_provided_name"]).map(str::to_owned).or_else(|| {
            let (_, rest) = row.get("client_properties")?.split_once("{\"connection_name\",\"")?;
            Some(rest.split_once('"')?.0.to_owned())
        });
    let peer = row.any(&["peer_host", "peer_address"]).map(str::to_owned).or_else(|| {
        let (from, _) = name.split_once(" -> ")?;
        Some(from.rsplit_once(':')?.0.to_owned())
    });
    let texts: [(&'static FactDef, Option<String>); 4] = [
        (&connection::PID, number),
        (&connection::PEER, peer),
        (&connection::CLIENT, client),
        (&connection::STATE, row.get("state").map(str::to_owned)),
    ];
    for (def, text) in texts {
        if let Some(text) = text {
            out.text(def, &name, &text, line);
        }
    }
    if let Some(value) = row.num("channels") {
        out.num(&connection::CHANNELS, &name, value, line);
    }
}
