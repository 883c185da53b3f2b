//! `mpstat`: CPU time per CPU and interval, interrupts per CPU. Text of any locale, clock and version, and JSON.
//!
//! A row of zeros only is an offline CPU (idle 0 too), never a busy one. A report without an interval is the average
//! since boot; its header carries the same time as its rows.

use std::collections::{BTreeMap, BTreeSet};

use super::cpu_row::{OF_CPU, OF_HOST, shares};
use super::json::{self, Node};
use super::sysstat::{Rows, Stamp, banner, interval, put_banner};
use super::table::number;
use super::{Doc, Looks, Out, Parser};
use crate::facts::schema::keys::{cpu, host, irq};
use crate::facts::{CpuSet, FactDef, Grade, Value};

pub static PARSER: Parser = Parser { kind: "mpstat", names: &["mpstat*", "*mpstat*"], sniff, parse, binary: false };

fn sniff(doc: &Doc) -> Looks {
    let mut rows = Rows::default();
    let mut bare = 0;
    let mut other = false;
    for line in doc.head() {
        if line.contains("\"sysdata-version\"") || line.contains("\"timestamp\": {") {
            return Looks::No;
        }
        if line.contains("\"cpu-load\"") || line.contains("\"node-load\"") || line.contains("\"soft-interrupts\"") {
            return Looks::Yes;
        }
        let row = rows.row(1, line);
        if row.stamp == Stamp::None {
            continue;
        }
        match table(&row.cells) {
            Some(Table::Time(_)) => return Looks::Yes,
            Some(Table::Interrupts(_)) => return Looks::Yes,
            None if row.cells.iter().all(|cell| number(cell).is_none()) => other = true,
            _ if inferred(&row.cells).is_some() => bare += 1,
            _ => {}
        }
    }
    if bare >= 2 && !other { Looks::Yes } else { Looks::No }
}

/// A table, by its header.
#[derive(Debug)]
enum Table<'a> {
    /// CPU time: the names of all columns after the first.
    Time(Vec<&'a str>),
    /// `intr/s`: interrupts per CPU.
    Sum,
    /// One column per interrupt line or softirq.
    Interrupts(Vec<&'a str>),
}

fn table<'a>(cells: &[&'a str]) -> Option<Table<'a>> {
    let (first, rest) = cells.split_first()?;
    if !matches!(*first, "CPU" | "NODE") {
        return None;
    }
    let at = |name: &str| rest.iter().position(|cell| *cell == name);
    if let Some(hard) = at("%irq") {
        // sar -u ALL has the same names with %steal first.
        let sar = at("%steal").is_some_and(|steal| steal < hard);
        return (!sar).then(|| Table::Time(rest.to_vec()));
    }
    if rest == ["intr/s"] {
        return Some(Table::Sum);
    }
    let interrupt = |cell: &&str| {
        cell.strip_suffix("/s").is_some_and(|name| {
            name.bytes().all(|b| b.is_ascii_digit()) || matches!(name, "HI" | "NMI" | "TIMER" | "LOC" | "NET_RX")
        })
    };
    rest.first().is_some_and(interrupt).then(|| Table::Interrupts(rest.to_vec()))
}

/// Columns of a row whose header is lost: nine or ten percentages that make up a whole.
fn inferred(cells: &[&str]) -> Option<Vec<&'static str>> {
    const NOW: &[&str] = &["%usr", "%nice", "%sys", "%iowait", "%irq", "%soft", "%steal", "%guest", "%gnice", "%idle"];
    const BEFORE_10_1: &[&str] = &["%usr", "%nice", "%sys", "%iowait", "%irq", "%soft", "%steal", "%guest", "%idle"];
    const BEFORE_9: &[&str] = &["%user", "%nice", "%sys", "%iowait", "%irq", "%soft", "%steal", "%idle", "intr/s"];
    let (first, rest) = cells.split_first()?;
    if *first != "all" && first.parse::<u32>().is_err() {
        return None;
    }
    let values: Vec<f64> = rest.iter().map(|cell| number(cell)).collect::<Option<_>>()?;
    let whole = |part: &[f64]| (part.iter().sum::<f64>() - 100.0).abs() < 0.6;
    match values.len() {
        10 if whole(&values) => Some(NOW.to_vec()),
        9 if whole(&values) => Some(BEFORE_10_1.to_vec()),
        9 if whole(values.get(..8).unwrap_or_default()) => Some(BEFORE_9.to_vec()),
        _ => None,
    }
}

/// One row of a time table.
struct Reading {
    id: String,
    when: When,
    line: u32,
    values: Vec<(&'static FactDef, f64)>,
    offline: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum When {
    At(f64),
    SinceBoot,
    Average,
}

#[derive(Default)]
struct State {
    readings: Vec<Reading>,
    /// NODE tables repeat the host's `all` row; used only where there is no CPU table.
    node_all: Vec<Reading>,
    /// Sums of interval rates per interrupt line and CPU.
    lines: BTreeMap<String, BTreeMap<u32, (f64, u32)>>,
    /// NET_RX per CPU: sum, intervals, line.
    net_rx: BTreeMap<String, (f64, u32, u32)>,
    intervals: BTreeSet<u64>,
    host_irqs: Vec<(When, f64, u32)>,
    nodes: BTreeMap<String, (f64, u32)>,
    configured: Option<u32>,
    says_all: bool,
}

fn parse(doc: &Doc, out: &mut Out) {
    let mut state = State::default();
    let words = doc.words();
    state.says_all = words.windows(2).any(|two| two == ["-P", "ALL"]) || words.contains(&"-A");
    let jsonish = doc.head().take(8).any(|line| line.trim_start().starts_with(['{', '"']));
    if jsonish && let Some(found) = json::parse(doc.text, doc.first_line) {
        if found.cut {
            out.note(found.root.line, "the JSON document is cut; what is there was read");
        }
        from_json(&found.root, interval(&words), &mut state, out);
    } else {
        from_text(doc, &mut state, out);
    }
    state.write(out);
}

fn from_text(doc: &Doc, state: &mut State, out: &mut Out) {
    let mut rows = Rows::default();
    let mut now: Option<(Table, bool, Stamp)> = None;
    let mut guessed = false;
    for (line_no, line) in doc.lines() {
        if let Some(found) = banner(line) {
            put_banner(&found, line_no, out);
            state.configured = found.cpus;
            now = None;
            continue;
        }
        let row = rows.row(line_no, line);
        if row.stamp == Stamp::None || row.cells.is_empty() {
            continue;
        }
        if let Some(found) = table(&row.cells) {
            now = Some((found, row.cells.first() == Some(&"NODE"), row.stamp));
            continue;
        }
        if row.cells.first().is_some_and(|first| matches!(*first, "CPU" | "NODE" | "CORE")) {
            now = None;
            continue;
        }
        if now.is_none()
            && let Some(names) = inferred(&row.cells)
        {
            now = Some((Table::Time(names), false, Stamp::None));
            if !guessed {
                out.note(line_no, "header inferred: ten columns of mpstat");
                guessed = true;
            }
        }
        let Some((kind, node, header)) = &now else { continue };
        let when = match row.stamp {
            Stamp::Summary => When::Average,
            Stamp::At(at) if *header == Stamp::At(at) => When::SinceBoot,
            Stamp::At(at) => When::At(at),
            Stamp::None => continue,
        };
        match kind {
            Table::Time(names) => state.time_row(&row.cells, names, *node, when, line_no, out),
            Table::Sum => {
                if let [id, value] = row.cells.as_slice()
                    && *id == "all"
                    && let Some(value) = number(value)
                {
                    state.host_irqs.push((when, value, line_no));
                }
            }
            Table::Interrupts(names) => {
                let (When::At(at), Some((id, rest))) = (when, row.cells.split_first()) else { continue };
                let Ok(cpu_id) = id.parse::<u32>() else { continue };
                state.intervals.insert(at.to_bits());
                for (name, cell) in names.iter().zip(rest) {
                    if let (Some(name), Some(value)) = (name.strip_suffix("/s"), number(cell)) {
                        state.interrupt(name, cpu_id, value, line_no);
                    }
                }
            }
        }
    }
}

fn from_json(root: &Node, asked: Option<f64>, state: &mut State, out: &mut Out) {
    let hosts = root.at(&["sysstat", "hosts"]).map_or(&[][..], Node::items);
    let mut blocks: Vec<&Node> = Vec::new();
    for one in hosts {
        for (key, def) in [("release", &host::KERNEL), ("nodename", &host::HOSTNAME), ("machine", &host::ARCH)] {
            if let Some(node) = one.get(key)
                && let Some(text) = node.text()
            {
                out.text(def, "", text, node.line);
            }
        }
        state.configured = one.get("number-of-cpus").and_then(Node::num).and_then(whole);
        blocks.extend(one.get("statistics").map_or(&[][..], Node::items));
    }
    blocks.extend(root.get("statistics").map_or(&[][..], Node::items));
    // One report alone is an interval only when the command asked for one.
    let single = blocks.len() < 2 && asked.is_none();
    let mut rows = Rows::default();
    for (index, block) in (0u32..).zip(&blocks) {
        let stamp = block.get("timestamp").and_then(Node::text).map_or(Stamp::None, |text| rows.row(1, text).stamp);
        let at = match stamp {
            Stamp::At(at) => at,
            _ => f64::from(index) * asked.unwrap_or(1.0),
        };
        let when = if single { When::SinceBoot } else { When::At(at) };
        for (key, node_table) in [("cpu-load", false), ("node-load", true)] {
            for row in block.get(key).map_or(&[][..], Node::items) {
                let Some(id) = row.get(if node_table { "node" } else { "cpu" }).and_then(Node::text) else { continue };
                let id = if id == "-1" { "all" } else { id };
                let get = |name: &str| row.get(name).and_then(Node::num);
                state.reading(id, &get, node_table, when, row.line);
                if let Some(node) = get("node").filter(|_| !node_table && id != "all") {
                    state.nodes.insert(id.to_owned(), (node, row.line));
                }
            }
        }
        if single {
            continue;
        }
        for row in block.get("sum-interrupts").map_or(&[][..], Node::items) {
            if let (Some("all"), Some(value)) =
                (row.get("cpu").and_then(Node::text), row.get("intr").and_then(Node::num))
            {
                state.host_irqs.push((when, value, row.line));
            }
        }
        for row in block.get("individual-interrupts").map_or(&[][..], Node::items) {
            json_interrupts(row, at, state);
        }
        for row in block.get("soft-interrupts").map_or(&[][..], Node::items) {
            json_interrupts(row, at, state);
        }
    }
}

fn json_interrupts(row: &Node, at: f64, state: &mut State) {
    let Some(cpu_id) = row.get("cpu").and_then(Node::text).and_then(|id| id.parse().ok()) else { return };
    state.intervals.insert(at.to_bits());
    for one in row.get("intr").map_or(&[][..], Node::items) {
        if let (Some(name), Some(value)) = (one.get("name").and_then(Node::text), one.get("value").and_then(Node::num))
        {
            state.interrupt(name, cpu_id, value, one.line);
        }
    }
}

fn whole(value: f64) -> Option<u32> {
    let text = format!("{value:.0}");
    text.parse().ok()
}

impl State {
    fn time_row(&mut self, cells: &[&str], names: &[&str], node: bool, when: When, line: u32, out: &mut Out) {
        let Some((id, rest)) = cells.split_first() else { return };
        if *id != "all" && id.parse::<u32>().is_err() {
            return;
        }
        // -T leaves the topology columns of `all` blank: values belong to the last columns.
        let topology = names.iter().take_while(|name| !name.starts_with('%')).count();
        let names = match names.len().checked_sub(rest.len()) {
            Some(0) => names,
            Some(short) if *id == "all" && short == topology => names.get(short..).unwrap_or_default(),
            Some(_) => {
                out.note(line, "row shorter than its header; the columns that are there were read");
                names
            }
            None => {
                out.note(line, "row longer than its header");
                return;
            }
        };
        // pcp's mpstat names the guest-nice column `%nice` again: the first one of a name counts.
        let get = |wanted: &str| {
            let at = names.iter().position(|name| name.strip_prefix('%') == Some(wanted))?;
            let value = number(rest.get(at)?)?;
            let twice = wanted == "nice" && !names.contains(&"%gnice");
            let second = names.iter().rposition(|name| *name == "%nice").filter(|other| twice && *other != at);
            Some(value + second.and_then(|other| number(rest.get(other)?)).unwrap_or_default())
        };
        self.reading(id, &get, node, when, line);
        if !node
            && let Some(at) = names.iter().position(|name| *name == "NODE")
            && let Some(value) = rest.get(at).and_then(|cell| number(cell))
        {
            self.nodes.insert((*id).to_owned(), (value, line));
        }
    }

    fn reading(&mut self, id: &str, get: &dyn Fn(&str) -> Option<f64>, node: bool, when: When, line: u32) {
        let defs = if id == "all" { &OF_HOST } else { &OF_CPU };
        let (values, offline) = shares(defs, get);
        if node && id != "all" {
            return;
        }
        let list = if node { &mut self.node_all } else { &mut self.readings };
        list.push(Reading { id: id.to_owned(), when, line, values, offline });
    }

    fn interrupt(&mut self, name: &str, cpu_id: u32, value: f64, line: u32) {
        const SOFT: &[&str] =
            &["HI", "TIMER", "NET_TX", "BLOCK", "IRQ_POLL", "BLOCK_IOPOLL", "TASKLET", "SCHED", "HRTIMER", "RCU"];
        if name == "NET_RX" {
            let have = self.net_rx.entry(cpu_id.to_string()).or_insert((0.0, 0, line));
            have.0 += value;
            have.1 += 1;
        } else if !SOFT.contains(&name) {
            let have = self.lines.entry(name.to_owned()).or_default().entry(cpu_id).or_insert((0.0, line));
            have.0 += value;
        }
    }

    fn write(self, out: &mut Out) {
        let measured = |list: &[Reading]| list.iter().any(|one| matches!(one.when, When::At(_)));
        let readings = if self.readings.iter().any(|one| one.id == "all") {
            self.readings
        } else {
            self.readings.into_iter().chain(self.node_all).collect()
        };
        let series = measured(&readings);
        let windows = readings.iter().any(|one| one.when == When::Average);
        for one in &readings {
            let name = if one.id == "all" { "" } else { one.id.as_str() };
            if one.offline {
                continue;
            }
            for (def, value) in &one.values {
                match one.when {
                    When::At(at) => out.point(def, name, at, *value, one.line),
                    When::Average if !series => out.graded(def, name, Value::Num(*value), Grade::Two, one.line),
                    When::SinceBoot if !series && !windows => {
                        out.graded(def, name, Value::Num(*value), Grade::SinceBoot, one.line);
                    }
                    _ => {}
                }
            }
        }
        counts(&readings, self.configured, self.says_all, out);
        for (id, (node, line)) in &self.nodes {
            out.num(&cpu::NODE, id, *node, *line);
        }
        for (when, value, line) in &self.host_irqs {
            if let When::At(at) = when {
                out.point(&host::INTERRUPTS, "", *at, *value, *line);
            }
        }
        let intervals = f64::from(u32::try_from(self.intervals.len()).unwrap_or(u32::MAX));
        if intervals == 0.0 {
            return;
        }
        for (id, (sum, count, line)) in &self.net_rx {
            out.graded(&cpu::NET_RX, id, Value::Num(sum / f64::from(*count)), Grade::Two, *line);
        }
        for (name, by_cpu) in &self.lines {
            let total: f64 = by_cpu.values().map(|(sum, _)| sum).sum();
            let top = by_cpu.iter().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
            if let Some((top, (_, line))) = top {
                out.graded(&irq::RATE, name, Value::Num(total / intervals), Grade::Two, *line);
                if total > 0.0 {
                    out.graded(&irq::TOP_CPU, name, Value::Num(f64::from(*top)), Grade::Two, *line);
                }
            }
        }
    }
}

/// Online and offline CPUs, where the rows of the last block prove to be all.
fn counts(readings: &[Reading], configured: Option<u32>, says_all: bool, out: &mut Out) {
    let mut last: BTreeMap<u32, (&Reading, usize)> = BTreeMap::new();
    let mut blocks = 0usize;
    let measured = readings.iter().any(|one| matches!(one.when, When::At(_)));
    for one in readings.iter().filter(|one| !measured || matches!(one.when, When::At(_))) {
        match one.id.parse::<u32>() {
            Ok(id) => {
                last.insert(id, (one, blocks));
            }
            Err(_) => blocks += 1,
        }
    }
    let Some(newest) = last.values().map(|(_, block)| *block).max() else { return };
    last.retain(|_, (_, block)| *block == newest);
    let all = configured.and_then(|n| usize::try_from(n).ok()) == Some(last.len());
    let Some(line) = last.values().next().map(|(one, _)| one.line) else { return };
    if !(all || says_all) {
        return;
    }
    let online = last.values().filter(|(one, _)| !one.offline).count();
    out.num(&host::CPUS_ONLINE, "", f64::from(u32::try_from(online).unwrap_or(u32::MAX)), line);
    let off: Vec<u32> = last.iter().filter(|(_, (one, _))| one.offline).map(|(id, _)| *id).collect();
    if all && !off.is_empty() {
        out.cpus(&host::OFFLINE_CPUS, "", CpuSet::from_ids(off), line);
    }
}
