//! `/sys/class/net/IFACE/...`: steering masks of queues, NUMA node, counters. One file each, or gathered by grep
//! (`/sys/class/net/eth0/queues/rx-0/rps_cpus:0`, or from inside the folder: `rx-0/rps_cpus:0`).

use super::table::{count, number};
use super::{Doc, Looks, Out, Parser};
use crate::facts::CpuSet;
use crate::facts::schema::keys::family::NETDEV;
use crate::facts::schema::keys::{irq, nic, queue};

pub static PARSER: Parser = Parser {
    kind: "sys-net",
    names: &["*sys class net *", "sys queues *", "*sys queues *"],
    sniff,
    parse,
    binary: false,
};

const MEGABIT: f64 = 125_000.0;

/// Interface and path below it.
fn below(path: &str) -> Option<(&str, &str)> {
    let rest = match path.split_once("class/net/") {
        Some((_, rest)) => rest,
        None => path.split_once("/net/").filter(|(before, _)| before.contains("devices"))?.1,
    };
    rest.split_once('/')
}

fn queue_file(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    matches!(file, "rps_cpus" | "xps_cpus" | "rps_flow_cnt" | "xps_rxqs")
        && (folder.starts_with("rx-") || folder.starts_with("tx-"))
}

/// A line of a grep: path and value.
fn gathered(line: &str) -> Option<(&str, &str)> {
    let (path, value) = line.split_once(':').or_else(|| line.split_once(' '))?;
    (queue_file(path) || (path.contains("class/net/") && below(path).is_some())).then_some((path, value.trim()))
}

/// The interface of `sys_queues_eth0.txt`.
fn of_name<'a>(doc: &'a Doc) -> Option<&'a str> {
    let rest = doc.place.key.split_once("queues").map(|(_, rest)| rest)?;
    let name = rest.trim_matches(['_', ' ']);
    (!name.is_empty() && !name.contains(' ')).then_some(name)
}

fn of_path<'a>(doc: &'a Doc) -> Option<(&'a str, &'a str)> {
    below(if doc.command.is_empty() { &doc.place.rel } else { doc.command })
}

fn sniff(doc: &Doc) -> Looks {
    if doc.head().any(|line| gathered(line).is_some()) {
        return Looks::Yes;
    }
    let small = doc.head().take(3).count() <= 2;
    if small && of_path(doc).is_some() { Looks::Maybe } else { Looks::No }
}

fn parse(doc: &Doc, out: &mut Out) {
    if doc.head().any(|line| gathered(line).is_some()) {
        for (number, line) in doc.lines() {
            let Some((path, value)) = gathered(line) else { continue };
            match below(path).or_else(|| of_name(doc).map(|name| (name, path))) {
                Some((name, path)) => one(name, path, value, number, out),
                None => out.note(number, "nothing names the interface"),
            }
        }
        return;
    }
    let Some((name, path)) = of_path(doc) else { return };
    let (number, value) = doc.lines().find(|(_, line)| !line.trim().is_empty()).unwrap_or((doc.first_line, ""));
    one(name, path.strip_suffix(".txt").unwrap_or(path), value.trim(), number, out);
}

fn one(name: &str, path: &str, value: &str, line: u32, out: &mut Out) {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let last = folder.rsplit('/').next().unwrap_or(folder);
    if queue_file(path) {
        let mask = |out: &mut Out, def| match last.split_once('-').and_then(|(_, id)| id.parse::<u32>().ok()) {
            Some(id) => match CpuSet::parse_mask(value) {
                // A mask of 0 is an answer: no steering.
                Some(set) => out.cpus(def, &format!("{name}/{id}"), set, line),
                None => out.note(line, format!("'{value}' is no mask")),
            },
            None => out.note(line, format!("'{last}' is no queue")),
        };
        match file {
            "rps_cpus" => mask(out, &queue::RPS_CPUS),
            "xps_cpus" => mask(out, &queue::XPS_CPUS),
            _ => {}
        }
        return;
    }
    match (last, file) {
        ("device", "numa_node") => {
            // -1: the firmware names no node.
            if let Some(node) = number(value).filter(|node| *node >= 0.0) {
                out.num(&nic::NODE, name, node, line);
            }
        }
        ("device", "local_cpulist") => {
            if let Some(set) = CpuSet::parse_list(value).filter(|set| !set.is_empty()) {
                out.cpus(&nic::LOCAL_CPUS, name, set, line);
            }
        }
        ("msi_irqs", id) if count(id).is_some() => out.text(&irq::NIC, id, name, line),
        ("statistics", _) => {
            if let (Some(metric), Some(value)) = (statistic(file), count(value)) {
                out.sample(&NETDEV, name, &metric, value, line);
            }
        }
        ("", "speed") => {
            if let Some(speed) = number(value).filter(|speed| *speed > 0.0 && *speed < 4e9) {
                out.num(&nic::SPEED, name, speed * MEGABIT, line);
            }
        }
        ("", "mtu") => {
            if let Some(mtu) = count(value) {
                out.num(&nic::MTU, name, mtu, line);
            }
        }
        ("", "carrier") if matches!(value, "0" | "1") => out.flag(&nic::STATE, name, value == "1", line),
        ("", "address") => out.text(&nic::MAC, name, value, line),
        ("", "duplex") if value != "unknown" => out.text(&nic::DUPLEX, name, value, line),
        ("", "threaded") if matches!(value, "0" | "1") => out.flag(&nic::THREADED_NAPI, name, value == "1", line),
        _ => {}
    }
}

/// Names of /proc/net/dev for the counters that it has too. Its drop and fifo columns are sums of several, so those stay apart.
fn statistic(file: &str) -> Option<String> {
    match file {
        "rx_bytes" | "rx_packets" | "tx_bytes" | "tx_packets" => Some(file.to_owned()),
        "rx_errors" => Some("rx_errs".to_owned()),
        "tx_errors" => Some("tx_errs".to_owned()),
        "rx_missed_errors" => Some("rx_missed".to_owned()),
        "rx_over_errors" => Some("rx_over".to_owned()),
        "rx_crc_errors" => Some("rx_crc".to_owned()),
        "collisions" => Some("tx_colls".to_owned()),
        _ => None,
    }
}
