//! Receive queues: packets per queue in every driver's dialect (rulebook 0.6), their spread, and the CPUs they land on.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::derive::rate::{computed, rate};
use crate::derive::skew::{fair_neff, neff, top1};
use crate::facts::schema::keys::family::NIC_STATS;
use crate::facts::schema::keys::{host, nic, queue};
use crate::facts::{CpuSet, Entity, Facts, Grade, Kind, Reading, SubjectId, Value};

/// Names of a queue's received packets; the first group is the queue number. First the drivers whose names
/// would be read wrongly by the general forms, then the general forms in order.
const DIALECTS: &[(&[&str], &str)] = &[
    (&["mlx5_core", "mlx4_en"], r"^rx(\d+)_packets$"),
    (&["i40e", "iavf"], r"^rx-(\d+)\.(?:rx_)?packets$"),
    (&["ice"], r"^rx_(?:queue_|q-)(\d+)_(?:packets|pkts)$"),
    (&["ena"], r"^queue_(\d+)_rx_cnt$"),
    (&["bnxt_en", "bnx2x"], r"^\[(\d+)\]: rx_ucast_packets$"),
    (&["gve"], r"^rx_completed_desc\[(\d+)\]$"),
    (&["vmxnet3"], r"^rx_queue_(\d+)_(?:ucast pkts rx|packets)$"),
    (&[], r"^rx[_-]?(?:queue[_-])?(\d+)[_.](?:rx_)?(?:packets|pkts|cnt)$"),
    (&[], r"^queue_(\d+)_rx_(?:cnt|packets)$"),
    (&[], r"^\[(\d+)\]: rx_ucast_packets$"),
    (&[], r"^rxq_?(\d+)[_:. ]+(?:rx_)?(?:packets|pkts)$"),
    (&[], r"^rx_queue_(\d+)_ucast pkts rx$"),
    (&[], r"^rx_\w*(?:packets|pkts|desc)\[(\d+)\]$"),
];

static COMPILED: LazyLock<Vec<(&'static [&'static str], Regex)>> = LazyLock::new(|| {
    DIALECTS.iter().filter_map(|(drivers, pattern)| Some((*drivers, Regex::new(pattern).ok()?))).collect()
});

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let nics: Vec<Entity> = facts.entities(subject, Kind::Nic).cloned().collect();
    for one in &nics {
        let names = queue_metrics(facts, one);
        if names.len() >= 2 || (names.len() == 1 && facts.number(&nic::CHANNELS_NOW, one) == Some(1.0)) {
            spread(facts, one, &names);
        }
        land(facts, one);
    }
}

/// Metric name of each receive queue's packets.
fn queue_metrics(facts: &Facts, one: &Entity) -> BTreeMap<u32, String> {
    let driver = facts.text(&nic::DRIVER, one).unwrap_or_default().to_owned();
    let Some(metrics) = facts.metrics(&NIC_STATS, one) else { return BTreeMap::new() };
    let own = COMPILED.iter().filter(|(drivers, _)| drivers.contains(&driver.as_str()));
    let general = COMPILED.iter().filter(|(drivers, _)| drivers.is_empty());
    for (_, pattern) in own.chain(general) {
        let mut found = BTreeMap::new();
        for name in metrics.keys() {
            if let Some(number) = pattern.captures(name).and_then(|c| c.get(1)?.as_str().parse().ok()) {
                found.insert(number, (**name).to_owned());
            }
        }
        if !found.is_empty() {
            return found;
        }
    }
    BTreeMap::new()
}

fn spread(facts: &mut Facts, one: &Entity, names: &BTreeMap<u32, String>) {
    // Queues that exist in the counters but are not configured get nothing by design.
    let configured = facts.number(&nic::CHANNELS_NOW, one).unwrap_or(f64::INFINITY);
    let names: Vec<(u32, &String)> =
        names.iter().map(|(n, m)| (*n, m)).filter(|(number, _)| f64::from(*number) < configured).collect();
    let mut rates: Vec<(u32, Reading)> = Vec::new();
    for (number, metric) in &names {
        match rate(facts, &NIC_STATS, one, &[metric], 1.0) {
            Ok(reading) => rates.push((*number, reading)),
            Err(why) => {
                for def in [&nic::RX_NEFF, &nic::RX_TOP1, &nic::RX_TOP_QUEUE, &nic::RHO_FAIR] {
                    facts.put_missing(def, one, why.clone());
                }
                return;
            }
        }
    }
    let amounts: Vec<f64> = rates.iter().map(|(_, reading)| reading.number().unwrap_or(0.0)).collect();
    let total: f64 = amounts.iter().sum();
    let mut order: Vec<&(u32, Reading)> = rates.iter().collect();
    order.sort_by(|a, b| b.1.number().unwrap_or(0.0).total_cmp(&a.1.number().unwrap_or(0.0)));
    let inputs = || order.iter().take(4).map(|(_, reading)| reading);
    facts.put(&nic::RX_QUEUES, one, computed(rates.len() as f64, inputs()));
    if facts.get(&nic::RX_PPS, one).is_err() {
        facts.put(&nic::RX_PPS, one, computed(total, inputs()));
    }
    for (number, reading) in &rates {
        let entity = Entity::new(one.subject, Kind::Queue, format!("{}/{number}", one.name));
        let share = reading.number().map(|pps| if total > 0.0 { pps / total } else { 0.0 });
        facts.put(&queue::RX_PPS, &entity, reading.clone());
        if let Some(share) = share.filter(|_| total > 0.0) {
            facts.put(&queue::RX_SHARE, &entity, computed(share, [reading]));
        }
    }
    let (Some(effective), Some(top), Some((top_queue, top_reading))) =
        (neff(&amounts), top1(&amounts), order.first().map(|(number, reading)| (*number, reading)))
    else {
        return;
    };
    let effective = computed(effective, inputs());
    if let Ok(flows) = facts.get(&host::FLOWS, &Entity::host(one.subject)).cloned()
        && let (Some(f), Some(e)) = (flows.number(), effective.number())
        && f >= 2.0 * rates.len() as f64
    {
        let fair = fair_neff(rates.len() as f64, f);
        let from: Vec<Reading> = inputs().cloned().chain([flows]).collect();
        facts.put(&nic::RHO_FAIR, one, computed(e / fair, from.iter()));
    }
    facts.put(&nic::RX_NEFF, one, effective);
    facts.put(&nic::RX_TOP1, one, computed(top, inputs()));
    facts.put(&nic::RX_TOP_QUEUE, one, computed(f64::from(top_queue), [top_reading]));
}

/// Packets per CPU by way of each queue's interrupt, never by interrupt counts: those are masked while NAPI polls.
fn land(facts: &mut Facts, one: &Entity) {
    let queues: Vec<Entity> = facts.scoped(one, Kind::Queue).cloned().collect();
    let mut per_cpu: BTreeMap<u32, f64> = BTreeMap::new();
    let mut all = CpuSet::default();
    let mut inputs: Vec<Reading> = Vec::new();
    let mut complete = !queues.is_empty();
    for entity in &queues {
        let Ok(cpus) = facts.get(&queue::CPUS, entity).cloned() else {
            complete = false;
            continue;
        };
        let Value::Cpus(set) = &cpus.value else { continue };
        all = CpuSet::from_ids(all.iter().chain(set.iter()));
        let pps = facts.get(&queue::RX_PPS, entity).cloned();
        // An interrupt allowed on many CPUs lands on one of them at a time; which one is not known here.
        match (set.iter().next(), set.len(), pps) {
            (Some(cpu), 1, Ok(pps)) => {
                *per_cpu.entry(cpu).or_default() += pps.number().unwrap_or(0.0);
                inputs.push(pps);
            }
            _ => complete = false,
        }
        inputs.push(cpus);
    }
    if !all.is_empty() {
        let sources: Vec<_> = inputs.iter().flat_map(|reading| reading.sources.iter().copied()).collect();
        facts.put(&nic::IRQ_CPUS, one, Reading::new(Value::Cpus(all), Grade::State, sources));
    }
    let amounts: Vec<f64> = per_cpu.values().copied().collect();
    if complete && !amounts.is_empty() {
        if let Some(value) = neff(&amounts) {
            facts.put(&nic::CPU_NEFF, one, computed(value, inputs.iter()));
        }
        if let Some(value) = top1(&amounts) {
            facts.put(&nic::CPU_TOP1, one, computed(value, inputs.iter()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Sample, Source};

    /// Names as the drivers print them (rulebook 0.6), with queue 1 the busy one.
    #[test]
    fn queues_of_every_driver() {
        let dialects: &[(&str, fn(u32) -> String)] = &[
            ("mlx5_core", |q| format!("rx{q}_packets")),
            ("ixgbe", |q| format!("rx_queue_{q}_packets")),
            ("i40e", |q| format!("rx-{q}.packets")),
            ("i40e", |q| format!("rx-{q}.rx_packets")),
            ("ice", |q| format!("rx_q-{q}_pkts")),
            ("ena", |q| format!("queue_{q}_rx_cnt")),
            ("bnxt_en", |q| format!("[{q}]: rx_ucast_packets")),
            ("virtio_net", |q| format!("rx{q}_packets")),
            ("gve", |q| format!("rx_completed_desc[{q}]")),
            ("hv_netvsc", |q| format!("rx_queue_{q}_packets")),
            ("vmxnet3", |q| format!("rx_queue_{q}_ucast pkts rx")),
            ("", |q| format!("rx_queue_{q}_ucast pkts rx")),
        ];
        for (driver, name) in dialects {
            let mut facts = Facts::new();
            let subject = SubjectId(0);
            let one = Entity::new(subject, Kind::Nic, "eth0");
            facts.put(&nic::DRIVER, &one, Reading::new(Value::Text((*driver).into()), Grade::State, []));
            facts.set_clock(subject, 0, 0.0);
            facts.set_clock(subject, 1, 10.0);
            for q in 0..4u32 {
                for snap in 0..2u8 {
                    let value = f64::from(snap) * if q == 1 { 900.0 } else { 100.0 };
                    let source = Source { artifact: u32::from(snap), line: q + 1 };
                    facts.add_sample(&NIC_STATS, &one, &name(q), Sample { value, snap: Some(snap), at: None, source });
                }
            }
            derive(&mut facts, subject);
            assert_eq!(facts.number(&nic::RX_TOP_QUEUE, &one), Some(1.0), "{driver}");
            assert!((facts.number(&nic::RX_TOP1, &one).unwrap() - 0.75).abs() < 1e-9, "{driver}");
            let busy = Entity::new(subject, Kind::Queue, "eth0/1");
            assert_eq!(facts.number(&queue::RX_PPS, &busy), Some(90.0), "{driver}");
        }
    }
}
