//! The join from interrupt line to NIC, queue and CPU.
//!
//! Names carry it: drivers put the interface, a PCI address or the virtio device into `/proc/interrupts`, and
//! a queue number (rulebook 0.6). CPUs come from the effective affinity, else from the affinity mask, else from
//! where the interrupts of the window arrived.

use std::sync::LazyLock;

use regex::Regex;

use crate::derive::rate::{computed, last_values};
use crate::facts::schema::keys::family::INTERRUPTS;
use crate::facts::schema::keys::{irq, nic, queue};
use crate::facts::{CpuSet, Entity, Facts, Grade, Kind, Missing, Reading, SubjectId, Value};

/// Names of queue vectors: the interface (or device), then the receive queue. Vectors that only send are left out.
const NAMES: &[&str] = &[
    r"^(?:i40e|iavf|ice|idpf|igc|bnxt_en|mana)-(?P<if>[^-@]+(?:-[^-@]+)*?)-(?:TxRx|rxtx|rx)-(?P<q>\d+)$",
    r"^(?P<if>.+?)-(?:TxRx|Tx-Rx|rxtx|RxTx|rx|Rx|fp|q|ch|queue)-?(?P<q>\d+)$",
    r"^mlx[45][-_]comp-?(?P<q>\d+)@pci:(?P<pci>[0-9a-f:.]+)$",
    r"^(?P<if>virtio\d+)-(?:input|rx)\.(?P<q>\d+)$",
    r"^gve-ntfy-blk\.?(?P<q>\d+)@pci:(?P<pci>[0-9a-f:.]+)$",
    r"^mana_q(?P<q>\d+)@pci:(?P<pci>[0-9a-f:.]+)$",
    r"^(?P<if>virtio\d+)-(?:input|rx)$",
    r"^(?P<if>.+?)-q(?P<q>\d+)-rx$",
    // bnx2, tg3 and others number their vectors and say no more.
    r"^(?P<if>(?:eth|en|em|p\d+p)[a-z0-9]*)-(?P<q>\d+)$",
];

static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| NAMES.iter().filter_map(|p| Regex::new(p).ok()).collect());

/// Device part and queue of a vector's name.
pub fn vector(name: &str) -> Option<(String, u32)> {
    if name.contains("-output.")
        || name.ends_with("-config")
        || name.contains("-tx-")
        || name.contains("virtio") && name.contains("req")
    {
        return None;
    }
    COMPILED.iter().find_map(|pattern| {
        let found = pattern.captures(name)?;
        let device = found.name("if").or_else(|| found.name("pci"))?.as_str().to_owned();
        let queue = found.name("q").map_or(Some(0), |q| q.as_str().parse().ok())?;
        Some((device, queue))
    })
}

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let lines: Vec<Entity> = facts.entities(subject, Kind::Irq).cloned().collect();
    for line in &lines {
        counts(facts, line);
        let Some(name) = facts.get(&irq::NAME, line).ok().cloned() else { continue };
        let Value::Text(text) = &name.value else { continue };
        let Some((device, number)) = text.split(',').rev().find_map(|part| vector(part.trim())) else { continue };
        let Some(owner) = nic_of(facts, subject, &device) else { continue };
        facts.put(
            &irq::NIC,
            line,
            Reading::new(Value::Text(owner.name.clone()), Grade::State, name.sources.iter().copied()),
        );
        facts.put(&irq::QUEUE, line, computed(f64::from(number), [&name]));
        let entity = Entity::new(subject, Kind::Queue, format!("{}/{number}", owner.name));
        if let Ok(id) = line.name.parse::<f64>() {
            facts.put(&queue::IRQ, &entity, computed(id, [&name]));
        }
        if let Some(reading) = landing(facts, line) {
            facts.put(&queue::CPUS, &entity, reading);
        }
    }
    local_cpus(facts, subject);
    for one in facts.entities(subject, Kind::Nic).cloned().collect::<Vec<_>>() {
        let own: Vec<(Entity, Reading)> = lines
            .iter()
            .filter(|line| facts.text(&irq::NIC, line) == Some(&one.name))
            .filter_map(|line| Some((line.clone(), facts.get(&irq::NIC, line).ok()?.clone())))
            .collect();
        if !own.is_empty() {
            let names = own.iter().map(|(line, _)| line.name.clone()).collect();
            let sources: Vec<_> = own.iter().flat_map(|(_, reading)| reading.sources.iter().copied()).collect();
            facts.put(&nic::IRQS, &one, Reading::new(Value::List(names), Grade::State, sources));
        }
    }
}

/// The interface a device part names: itself, or the only one behind a virtio device or PCI address.
fn nic_of(facts: &Facts, subject: SubjectId, device: &str) -> Option<Entity> {
    let mut physical = Vec::new();
    for one in facts.entities(subject, Kind::Nic) {
        if &*one.name == device {
            return Some(one.clone());
        }
        let bus = facts.text(&nic::BUS, one).unwrap_or_default();
        if !bus.is_empty() && (bus == device || bus.ends_with(device)) {
            return Some(one.clone());
        }
        if facts.text(&nic::KIND, one) == Some("physical") {
            physical.push(one.clone());
        }
    }
    let through_bus = device.starts_with("virtio") || device.contains(':');
    match physical.as_slice() {
        [only] if through_bus => Some(only.clone()),
        // A grep of /proc/interrupts may be all there is: the name itself is the interface.
        [] if !through_bus => Some(Entity::new(subject, Kind::Nic, device)),
        _ => None,
    }
}

/// Where a line's interrupts go: effective affinity, else a mask of one CPU, else where they arrived in the window.
fn landing(facts: &Facts, line: &Entity) -> Option<Reading> {
    if let Ok(reading) = facts.get(&irq::EFFECTIVE, line) {
        return Some(reading.clone());
    }
    let mask = facts.get(&irq::AFFINITY, line).ok();
    if let Some(reading) = mask
        && matches!(&reading.value, Value::Cpus(set) if set.len() == 1)
    {
        return Some(reading.clone());
    }
    let top = facts.get(&irq::TOP_CPU, line).ok();
    if let Some(reading) = top
        && let Some(number) = reading.number()
    {
        return Some(Reading::new(
            Value::Cpus(CpuSet::from_ids([number as u32])),
            reading.grade,
            reading.sources.iter().copied(),
        ));
    }
    mask.cloned()
}

/// Totals, rate and the CPU that takes most of a line's interrupts.
fn counts(facts: &mut Facts, line: &Entity) {
    let Some(metrics) = facts.metrics(&INTERRUPTS, line) else { return };
    let cpus: Vec<String> = metrics.keys().map(|name| (**name).to_owned()).collect();
    let refs: Vec<&str> = cpus.iter().map(String::as_str).collect();
    if let Some((total, sources)) = last_values(facts, &INTERRUPTS, line, &refs) {
        facts.put(&irq::TOTAL, line, Reading::new(Value::Num(total), Grade::Once, sources));
    }
    match facts.change_sum(&INTERRUPTS, line, refs.iter().copied()) {
        Ok(change) => {
            if let Some(rate) = change.rate() {
                facts.put(&irq::RATE, line, Reading::new(Value::Num(rate), change.grade, change.sources()));
            }
            let top = refs
                .iter()
                .filter_map(|cpu| Some((*cpu, facts.change(&INTERRUPTS, line, cpu).ok()?)))
                .max_by(|a, b| a.1.delta.total_cmp(&b.1.delta))
                .filter(|(_, change)| change.delta > 0.0);
            if let Some((cpu, change)) = top
                && let Ok(number) = cpu.parse::<f64>()
            {
                facts.put(&irq::TOP_CPU, line, Reading::new(Value::Num(number), change.grade, change.sources()));
            }
        }
        Err(Missing::TooShort) => {
            let top = refs
                .iter()
                .filter_map(|cpu| Some((*cpu, *facts.samples(&INTERRUPTS, line, cpu).last()?)))
                .max_by(|a, b| a.1.value.total_cmp(&b.1.value))
                .filter(|(_, sample)| sample.value > 0.0);
            if let Some((cpu, sample)) = top
                && let Ok(number) = cpu.parse::<f64>()
            {
                facts.put(&irq::TOP_CPU, line, Reading::new(Value::Num(number), Grade::SinceBoot, [sample.source]));
            }
        }
        Err(_) => {}
    }
}

/// CPUs of the NIC's node; with one node (or none named) all of the host's.
fn local_cpus(facts: &mut Facts, subject: SubjectId) {
    use crate::facts::schema::keys::numa_node;
    let nodes: Vec<(Entity, Reading)> = facts
        .entities(subject, Kind::Node)
        .filter_map(|node| Some((node.clone(), facts.get(&numa_node::CPUS, node).ok()?.clone())))
        .collect();
    for one in facts.entities(subject, Kind::Nic).cloned().collect::<Vec<_>>() {
        if facts.get(&nic::LOCAL_CPUS, &one).is_ok() {
            continue;
        }
        let own = facts.number(&nic::NODE, &one);
        let chosen: Vec<&Reading> = nodes
            .iter()
            .filter(|(node, _)| own.is_none() || node.name.parse().ok() == own)
            .map(|(_, reading)| reading)
            .collect();
        let ids: Vec<u32> = chosen
            .iter()
            .filter_map(|reading| match &reading.value {
                Value::Cpus(set) => Some(set.iter().collect::<Vec<_>>()),
                _ => None,
            })
            .flatten()
            .collect();
        let sources: Vec<_> = chosen.iter().flat_map(|reading| reading.sources.iter().copied()).collect();
        if !ids.is_empty() {
            facts.put(&nic::LOCAL_CPUS, &one, Reading::new(Value::Cpus(CpuSet::from_ids(ids)), Grade::State, sources));
            continue;
        }
        let cpus: Vec<u32> = facts.entities(subject, Kind::Cpu).filter_map(|cpu| cpu.name.parse().ok()).collect();
        if cpus.len() >= 2 {
            facts.put(&nic::LOCAL_CPUS, &one, Reading::new(Value::Cpus(CpuSet::from_ids(cpus)), Grade::State, []));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_every_driver() {
        for (name, device, queue) in [
            ("eth4-TxRx-0", "eth4", 0),
            ("i40e-eno1-TxRx-12", "eno1", 12),
            ("ice-ens1f0-TxRx-3", "ens1f0", 3),
            ("eth0-Tx-Rx-2", "eth0", 2),
            ("eth0-rx-1", "eth0", 1),
            ("ens192-rxtx-4", "ens192", 4),
            ("mlx5_comp7@pci:0000:3b:00.0", "0000:3b:00.0", 7),
            ("mlx4-comp-0@pci:0000:04:00.0", "0000:04:00.0", 0),
            ("virtio0-input.3", "virtio0", 3),
            ("virtio3-rx", "virtio3", 0),
            ("gve-ntfy-blk5@pci:0000:00:04.0", "0000:00:04.0", 5),
            ("mana_q2@pci:7870:00:00.0", "7870:00:00.0", 2),
            ("eth0-q3-rx", "eth0", 3),
            ("em1-2", "em1", 2),
            ("idpf-eth1-TxRx-4", "eth1", 4),
        ] {
            assert_eq!(vector(name), Some((device.to_owned(), queue)), "{name}");
        }
        for no in [
            "virtio0-output.0",
            "virtio0-config",
            "eth0-tx-0",
            "eth0-q3-tx",
            "nvme0q3",
            "timer",
            "virtio1-req.0",
            "ahci[0000:00:1f.2]",
        ] {
            assert_eq!(vector(no), None, "{no}");
        }
    }
}
