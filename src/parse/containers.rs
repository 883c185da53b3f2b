//! Containers as their managers see them: `kubectl get pods|nodes -o json` and `docker stats`.

use super::json::{self, Node};
use super::table::{number, size};
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{host, pod};
use crate::facts::{Grade, Kind, Value};

pub static KUBECTL: Parser = Parser {
    kind: "kubectl-pods",
    names: &["kubectl get *", "*kubectl* get *", "*pods*.json", "*nodes*.json"],
    sniff: kubectl_sniff,
    parse: kubectl_parse,
    binary: false,
};
pub static DOCKER: Parser = Parser {
    kind: "docker-stats",
    names: &["docker stats*", "*docker_stats*"],
    sniff: docker_sniff,
    parse: docker_parse,
    binary: false,
};

fn kubectl_sniff(doc: &Doc) -> Looks {
    let start = doc.text.trim_start();
    if !start.starts_with('{') {
        return Looks::No;
    }
    let head: String = doc.text.chars().take(200_000).collect();
    let compact: String = head.split_whitespace().collect();
    let own = compact.contains("\"kind\":\"Pod\"")
        || compact.contains("\"kind\":\"Node\"")
        || (compact.contains("\"containerStatuses\":") && compact.contains("\"phase\":"))
        || (compact.contains("\"items\":[]") && compact.contains("\"kind\":\"List\""))
        || (compact.contains("\"containers\":") && compact.contains("\"qosClass\":"));
    if own { Looks::Yes } else { Looks::No }
}

fn kubectl_parse(doc: &Doc, out: &mut Out) {
    let Some(found) = json::parse(doc.text, doc.first_line) else { return };
    if found.cut {
        out.note(found.root.line, "the JSON document is cut; what is there was read");
    }
    let items = found.root.get("items").map_or(&[][..], Node::items);
    let mut pressure = Vec::new();
    let alone = std::iter::once(&found.root).filter(|root| root.get("spec").is_some());
    let mut nodes = 0;
    for item in items.iter().chain(alone) {
        let kind = item.get("kind").and_then(Node::text);
        if kind == Some("Node") || item.at(&["status", "allocatable"]).is_some() {
            nodes += 1;
            node(item, &mut pressure);
        } else if kind == Some("Pod") || item.at(&["spec", "containers"]).is_some() {
            one_pod(item, out);
        }
    }
    if nodes > 0 {
        out.list(&host::K8S_PRESSURE, "", pressure, found.root.line);
    }
}

/// Conditions of a node that are not as they should be.
fn node(item: &Node, pressure: &mut Vec<String>) {
    let name = item.at(&["metadata", "name"]).and_then(Node::text).unwrap_or("?");
    for condition in item.at(&["status", "conditions"]).map_or(&[][..], Node::items) {
        let get = |key: &str| condition.get(key).and_then(Node::text);
        let (Some(kind), Some(status)) = (get("type"), get("status")) else { continue };
        let good = if kind == "Ready" { "True" } else { "False" };
        if status != good {
            pressure.push(format!("{name}: {kind}={status}"));
        }
    }
}

/// A quantity of Kubernetes: `100m`, `0.5`, `2`, `170Mi`, `1Gi`, `1e3`, `128974848`.
fn quantity(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+'))).unwrap_or(text.len());
    let (digits, suffix) = text.split_at(end);
    let value: f64 = digits.parse().ok()?;
    let factor = match suffix {
        "" => 1.0,
        "n" => 1e-9,
        "u" => 1e-6,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "Ki" => 1024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        "Ti" => 1_099_511_627_776.0,
        _ => return text.parse().ok(),
    };
    Some(value * factor)
}

fn of(node: &Node) -> Option<f64> {
    match &node.value {
        json::Data::Num(value) => Some(*value),
        json::Data::Text(text) => quantity(text),
        _ => None,
    }
}

fn one_pod(item: &Node, out: &mut Out) {
    let Some(name) = item.at(&["metadata", "name"]).and_then(Node::text) else { return };
    out.entity(Kind::Pod, name);
    for (def, path) in [
        (&pod::NAMESPACE, &["metadata", "namespace"][..]),
        (&pod::HOST, &["spec", "nodeName"][..]),
        (&pod::IP, &["status", "podIP"][..]),
        (&pod::PHASE, &["status", "phase"][..]),
        (&pod::REASON, &["status", "reason"][..]),
        (&pod::QOS, &["status", "qosClass"][..]),
    ] {
        if let Some(node) = item.at(path)
            && let Some(text) = node.text()
        {
            out.text(def, name, text, node.line);
        }
    }
    let containers = item.at(&["spec", "containers"]).map_or(&[][..], Node::items);
    for (def, group, resource) in [
        (&pod::CPU_LIMIT, "limits", "cpu"),
        (&pod::CPU_REQUEST, "requests", "cpu"),
        (&pod::MEM_LIMIT, "limits", "memory"),
        (&pod::MEM_REQUEST, "requests", "memory"),
    ] {
        // A pod has a limit only when all of its containers have one.
        let all: Vec<(f64, u32)> = containers
            .iter()
            .filter_map(|one| {
                let node = one.at(&["resources", group, resource])?;
                Some((of(node)?, node.line))
            })
            .collect();
        let complete = all.len() == containers.len() || group == "requests";
        if let Some((_, line)) = all.first().filter(|_| complete) {
            out.num(def, name, all.iter().map(|(value, _)| value).sum(), *line);
        }
    }
    states(item, name, out);
}

fn states(item: &Node, name: &str, out: &mut Out) {
    let Some(list) = item.at(&["status", "containerStatuses"]) else { return };
    let mut restarts = 0.0;
    let (mut killed, mut waiting) = (None, None);
    for one in list.items() {
        restarts += one.get("restartCount").and_then(Node::num).unwrap_or_default();
        for state in ["state", "lastState"] {
            let Some(node) = one.at(&[state, "terminated", "reason"]) else { continue };
            if node.text() == Some("OOMKilled") {
                killed.get_or_insert(node.line);
            }
        }
        if let Some(node) = one.at(&["state", "waiting", "reason"]) {
            waiting = waiting.or(node.text().map(|text| (text, node.line)));
        }
    }
    out.num(&pod::RESTARTS, name, restarts, list.line);
    out.flag(&pod::OOM_KILLED, name, killed.is_some(), killed.unwrap_or(list.line));
    if let Some((reason, line)) = waiting {
        out.text(&pod::WAITING, name, reason, line);
    }
}

fn docker_header(line: &str) -> bool {
    line.contains("CPU %") && line.contains("MEM USAGE") && line.contains("NET I/O")
}

fn docker_sniff(doc: &Doc) -> Looks {
    if doc.head().any(docker_header) { Looks::Yes } else { Looks::No }
}

/// `ID  NAME  CPU %  MEM USAGE / LIMIT  MEM %  NET I/O  BLOCK I/O  PIDS`: cells are two blanks or more apart.
fn docker_parse(doc: &Doc, out: &mut Out) {
    let cells = |line: &str| -> Vec<String> {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
    };
    let mut header: Vec<String> = Vec::new();
    for (line, raw) in doc.lines() {
        let clean: String =
            raw.replace("\u{1b}[2J", "").replace("\u{1b}[H", "").replace("\u{1b}[K", "").replace('\t', "  ");
        if docker_header(&clean) {
            header = cells(&clean);
            continue;
        }
        let row = cells(&clean);
        let at = |name: &str| header.iter().position(|have| have.starts_with(name)).and_then(|at| row.get(at));
        let Some(name) = at("NAME").or_else(|| at("CONTAINER")).filter(|_| row.len() == header.len()) else { continue };
        if let Some(cpu) = at("CPU %").and_then(|cell| number(cell)) {
            out.graded(&pod::CPU, name, Value::Num(cpu / 100.0), Grade::Once, line);
        }
        if let Some((used, limit)) = at("MEM USAGE").and_then(|cell| cell.split_once(" / ")) {
            if let Some(used) = size(used, 1.0) {
                out.graded(&pod::MEM_USED, name, Value::Num(used), Grade::Once, line);
            }
            // Without a limit docker prints all memory of the host.
            if let Some(limit) = size(limit, 1.0) {
                out.graded(&pod::MEM_BOUND, name, Value::Num(limit), Grade::State, line);
            }
        }
    }
}
