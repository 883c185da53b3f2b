//! NUMA nodes: what is free on each, and on which node the allocator found its pages (kernel numastat documentation).

use crate::derive::memory::gauge;
use crate::derive::rate::{computed, put_rate};
use crate::facts::schema::keys::family::{NODE_MEMINFO, NODE_STAT, VMSTAT, ZONE};
use crate::facts::schema::keys::{host, numa, numa_node};
use crate::facts::{Entity, FactDef, Facts, Grade, Kind, Missing, Reading, Source, SubjectId, Value};

/// A node with less than this share of all allocations says nothing by its shares.
const SERVES: f64 = 0.1;
/// Fewer hint faults than this are no sample of where tasks touch their pages.
const FEW_FAULTS: f64 = 1000.0;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    let nodes: Vec<Entity> = facts.entities(subject, Kind::Node).cloned().collect();
    for node in &nodes {
        memory(facts, node);
        watermark(facts, &numa_node::HEADROOM, node, "high");
        watermark(facts, &numa_node::LOW_RATIO, node, "low");
        allocations(facts, node);
    }
    usable(facts, &this, &nodes);
    for (value, number, def, largest) in [
        (&numa::FREE_MIN, Some(&numa::FULLEST), &numa_node::FREE_SHARE, false),
        (&numa::FREE_MAX, Some(&numa::EMPTIEST), &numa_node::FREE_SHARE, true),
        (&numa::HEADROOM_MIN, None, &numa_node::HEADROOM, false),
        (&numa::HEADROOM_MAX, None, &numa_node::HEADROOM, true),
        (&numa::LOW_MIN, None, &numa_node::LOW_RATIO, false),
    ] {
        extreme(facts, &this, &nodes, (value, number), def, largest);
    }
    cache_of_fullest(facts, &this);
    counters(facts, &this, &nodes);
    balancing(facts, &this);
}

fn memory(facts: &mut Facts, node: &Entity) {
    if let Some(sample) = facts.samples(&NODE_MEMINFO, node, "MemTotal").first().copied() {
        facts.put(&numa_node::MEM_TOTAL, node, Reading::new(Value::Num(sample.value), Grade::State, [sample.source]));
    }
    if let Some(reading) = gauge(facts, &NODE_MEMINFO, node, &["MemFree"]) {
        facts.put(&numa_node::MEM_FREE, node, reading);
    }
    let (Ok(total), Ok(free)) = (facts.get(&numa_node::MEM_TOTAL, node), facts.get(&numa_node::MEM_FREE, node)) else {
        return;
    };
    if let (Some(a), Some(b)) = (free.number(), total.number())
        && b > 0.0
    {
        let reading = computed((a / b).min(1.0), [free, total]);
        facts.put(&numa_node::FREE_SHARE, node, reading);
    }
}

/// Free pages of the node's zones as a multiple of one of their watermarks; the lowest of the snapshots.
fn watermark(facts: &mut Facts, def: &'static FactDef, node: &Entity, mark: &str) {
    let Some(metrics) = facts.metrics(&ZONE, node) else { return };
    let zones: Vec<&str> = metrics.keys().filter_map(|key| key.strip_suffix(".managed")).collect();
    let mut sums: Vec<(f64, f64, Vec<Source>)> = Vec::new();
    let mut snaps = Vec::new();
    for zone in zones {
        // The DMA zone is kept back for old devices, ZONE_DEVICE is not RAM to allocate from.
        let samples = |metric: &str| facts.samples(&ZONE, node, &format!("{zone}.{metric}"));
        if matches!(zone, "DMA" | "Device") || samples("managed").iter().all(|sample| sample.value <= 0.0) {
            continue;
        }
        for (at, (free, level)) in samples("free").iter().zip(samples(mark)).enumerate() {
            if sums.len() <= at {
                sums.push((0.0, 0.0, Vec::new()));
                snaps.push(free.snap);
            }
            if let Some(sum) = sums.get_mut(at) {
                sum.0 += free.value;
                sum.1 += level.value;
                sum.2.extend([free.source, level.source]);
            }
        }
    }
    let lowest = sums.into_iter().filter(|sum| sum.1 > 0.0).min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    if let Some((free, level, sources)) = lowest {
        let grade = if snaps.len() > 1 { Grade::Two } else { Grade::Once };
        facts.put(def, node, Reading::new(Value::Num(free / level), grade, sources));
    }
}

/// Shares between snapshots, else of the totals since boot.
fn allocations(facts: &mut Facts, node: &Entity) {
    put_rate(facts, &numa_node::ALLOCATIONS, &NODE_STAT, node, &["numa_hit", "numa_miss"], 1.0);
    put_rate(facts, &numa_node::FOREIGN, &NODE_STAT, node, &["numa_foreign"], 1.0);
    share(facts, &numa_node::MISS_SHARE, node, "numa_miss", ["numa_hit", "numa_miss"]);
    share(facts, &numa_node::OTHER_SHARE, node, "other_node", ["local_node", "other_node"]);
}

fn share(facts: &mut Facts, def: &'static FactDef, node: &Entity, part: &str, whole: [&str; 2]) {
    match (facts.change(&NODE_STAT, node, part), facts.change_sum(&NODE_STAT, node, whole)) {
        (Ok(part), Ok(whole)) if whole.delta > 0.0 => {
            let reading = Reading::new(Value::Num(part.delta / whole.delta), part.grade, part.sources());
            facts.put(def, node, reading);
        }
        (Ok(_), Ok(_)) => {
            facts.put_missing(def, node, Missing::NotApplicable("no page was allocated on it in the window".into()));
        }
        (Err(Missing::TooShort), _) => {
            let last = |metric: &str| facts.samples(&NODE_STAT, node, metric).last().copied();
            let all: f64 = whole.iter().filter_map(|metric| last(metric)).map(|sample| sample.value).sum();
            if let Some(part) = last(part)
                && all > 0.0
            {
                facts.put(def, node, Reading::new(Value::Num(part.value / all), Grade::SinceBoot, [part.source]));
            }
        }
        (Err(Missing::NotCollected), _) => {}
        (Err(why), _) | (_, Err(why)) => facts.put_missing(def, node, why),
    }
}

/// Nodes with both CPUs and memory. What is not told of a node is taken for granted: most have both.
fn usable(facts: &mut Facts, this: &Entity, nodes: &[Entity]) {
    let told = |node: &Entity| {
        let empty = match facts.get(&numa_node::CPUS, node).map(|reading| &reading.value) {
            Ok(Value::Cpus(set)) => set.is_empty(),
            _ => false,
        };
        !empty && facts.number(&numa_node::MEM_TOTAL, node) != Some(0.0)
    };
    let sources: Vec<Source> = nodes
        .iter()
        .filter_map(|node| {
            let reading = facts.get(&numa_node::CPUS, node).or_else(|_| facts.get(&numa_node::MEM_TOTAL, node)).ok()?;
            reading.sources.first().copied()
        })
        .collect();
    let count = nodes.iter().filter(|node| told(node)).count() as f64;
    let said = facts.get(&host::NODES, this).ok().cloned();
    let reading = match said {
        // A list that is shorter than the host's own count is no list of all.
        Some(said) if said.number() > Some(nodes.len() as f64) => computed(said.number().unwrap_or(1.0), [&said]),
        Some(_) => Reading::new(Value::Num(count), Grade::State, sources),
        None if nodes.len() >= 2 => Reading::new(Value::Num(count), Grade::State, sources),
        None => return,
    };
    facts.put(&numa::USABLE, this, reading);
}

type Target = (&'static FactDef, Option<&'static FactDef>);

/// The smallest or largest reading of the nodes, and which node has it. Two nodes at least.
fn extreme(facts: &mut Facts, this: &Entity, nodes: &[Entity], to: Target, def: &FactDef, largest: bool) {
    let mut list: Vec<(f64, &Entity, Reading)> = nodes
        .iter()
        .filter_map(|node| facts.get(def, node).ok().and_then(|r| Some((r.number()?, node, r.clone()))))
        .collect();
    if list.len() < 2 && def.path != numa_node::LOW_RATIO.path {
        return;
    }
    list.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some((value, node, reading)) = (if largest { list.last() } else { list.first() }) else { return };
    facts.put(to.0, this, computed(*value, [reading]));
    if let (Some(number), Ok(id)) = (to.1, node.name.parse::<f64>()) {
        facts.put(number, this, computed(id, [reading]));
    }
}

/// A node may be full of page cache, which is as good as free for all but bound memory.
fn cache_of_fullest(facts: &mut Facts, this: &Entity) {
    let Some(number) = facts.number(&numa::FULLEST, this) else { return };
    let node = Entity::new(this.subject, Kind::Node, number.to_string());
    let Some(total) = facts.number(&numa_node::MEM_TOTAL, &node).filter(|total| *total > 0.0) else { return };
    if let Some(pages) = gauge(facts, &NODE_MEMINFO, &node, &["Active(file)", "Inactive(file)"]) {
        let share = (pages.number().unwrap_or_default() / total).min(1.0);
        facts.put(&numa::FULLEST_CACHE, this, computed(share, [&pages]));
    }
}

/// Where pages of one node's tasks went to another. Nodes without CPUs take foreign pages by design and are left out.
fn counters(facts: &mut Facts, this: &Entity, nodes: &[Entity]) {
    if let Some(why) = counters_off(facts, this, nodes) {
        for def in [&numa::ALLOCATED, &numa::SPILL_SHARE, &numa::OTHER_SHARE] {
            facts.put_missing(def, this, Missing::NotApplicable(why.into()));
        }
        return;
    }
    let with_cpus = |node: &&Entity| match facts.get(&numa_node::CPUS, node).map(|reading| &reading.value) {
        Ok(Value::Cpus(set)) => !set.is_empty(),
        _ => true,
    };
    let nodes: Vec<&Entity> = nodes.iter().filter(with_cpus).collect();
    let of = |def: &FactDef, node: &Entity| facts.get(def, node).ok().cloned();
    let rates: Vec<(&Entity, Reading)> =
        nodes.iter().filter_map(|node| Some((*node, of(&numa_node::ALLOCATIONS, node)?))).collect();
    if nodes.len() < 2 {
        return;
    }
    let total: f64 = rates.iter().filter_map(|(_, reading)| reading.number()).sum();
    let mut put: Vec<(&'static FactDef, Reading)> = Vec::new();
    if rates.len() == nodes.len() {
        put.push((&numa::ALLOCATED, computed(total, rates.iter().map(|(_, reading)| reading))));
    }
    let serves = |node: &Entity| {
        let own = rates.iter().find(|(have, _)| *have == node).and_then(|(_, reading)| reading.number());
        own.is_none_or(|own| total <= 0.0 || own >= SERVES * total)
    };
    let largest = |def: &FactDef, small_too: bool| {
        let readings = nodes.iter().filter(|node| small_too || serves(node));
        let readings = readings.filter_map(|node| of(def, node).map(|reading| (*node, reading)));
        readings
            .filter(|(_, reading)| reading.number().is_some())
            .max_by(|a, b| a.1.number().partial_cmp(&b.1.number()).unwrap_or(std::cmp::Ordering::Equal))
    };
    let number = |node: &Entity| node.name.parse::<f64>().ok();
    for (from, value, which) in [
        (&numa_node::MISS_SHARE, &numa::SPILL_SHARE, &numa::SPILL_NODE),
        (&numa_node::OTHER_SHARE, &numa::OTHER_SHARE, &numa::OTHER_NODE),
    ] {
        if let Some((node, reading)) = largest(from, false) {
            if let Some(id) = number(node).filter(|_| reading.number() > Some(0.0)) {
                put.push((which, computed(id, [&reading])));
            }
            put.push((value, reading));
        }
    }
    if let Some((node, reading)) = largest(&numa_node::FOREIGN, true).filter(|(_, r)| r.number() > Some(0.0))
        && let Some(id) = number(node)
    {
        put.push((&numa::SPILL_FROM, computed(id, [&reading])));
    }
    let changes = nodes.iter().filter_map(|node| {
        let all = facts.change_sum(&NODE_STAT, node, ["numa_hit", "numa_miss"]).ok()?;
        Some((facts.change(&NODE_STAT, node, "interleave_hit").ok()?, all.delta))
    });
    let changes: Vec<_> = changes.collect();
    let all: f64 = changes.iter().map(|(_, all)| all).sum();
    if all > 0.0 {
        let hits: f64 = changes.iter().map(|(hit, _)| hit.delta).sum();
        let sources = changes.iter().flat_map(|(hit, _)| hit.sources());
        put.push((&numa::INTERLEAVED, Reading::new(Value::Num((hits / all).min(1.0)), Grade::Two, sources)));
    }
    put.into_iter().for_each(|(def, reading)| facts.put(def, this, reading));
}

/// With `vm.numa_stat` 0 the counters stand still while pages are allocated.
fn counters_off(facts: &Facts, this: &Entity, nodes: &[Entity]) -> Option<&'static str> {
    let moved: f64 = nodes
        .iter()
        .map(|node| facts.change_sum(&NODE_STAT, node, ["numa_hit", "numa_miss"]).ok().map(|change| change.delta))
        .collect::<Option<Vec<f64>>>()?
        .iter()
        .sum();
    let zones = ["pgalloc_dma32", "pgalloc_normal", "pgalloc_movable"];
    let pages = facts.change_sum(&VMSTAT, this, zones).ok()?.delta;
    (!nodes.is_empty() && moved == 0.0 && pages > 0.0).then_some("the kernel does not count them (vm.numa_stat is 0)")
}

fn balancing(facts: &mut Facts, this: &Entity) {
    put_rate(facts, &numa::MIGRATED, &VMSTAT, this, &["numa_pages_migrated"], 1.0);
    let pair = (facts.change(&VMSTAT, this, "numa_hint_faults_local"), facts.change(&VMSTAT, this, "numa_hint_faults"));
    let (Ok(local), Ok(all)) = pair else { return };
    if all.delta < FEW_FAULTS {
        return facts.put_missing(&numa::HINT_LOCAL, this, Missing::TooShort);
    }
    let sources = local.sources().into_iter().chain(all.sources());
    let reading = Reading::new(Value::Num((local.delta / all.delta).min(1.0)), all.grade, sources);
    facts.put(&numa::HINT_LOCAL, this, reading);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::store::Sample;

    const ID: SubjectId = SubjectId(0);

    fn two(facts: &mut Facts, node: &str, metric: &str, from: f64, to: f64) {
        let node = Entity::new(ID, Kind::Node, node);
        for (snap, value) in [(0, from), (1, to)] {
            let source = Source { artifact: 0, line: u32::from(snap) };
            facts.add_sample(&NODE_STAT, &node, metric, Sample { value, snap: Some(snap), at: None, source });
        }
    }

    /// Node 0 is full: what its tasks want comes from node 1 (rulebook fixture R3b: 150 k pages/s).
    #[test]
    fn spilled_pages_name_both_nodes() {
        let mut facts = Facts::new();
        facts.set_clock(ID, 0, 0.0);
        facts.set_clock(ID, 1, 10.0);
        for (node, hit, miss, foreign) in [("0", 1.0e5, 0.0, 1.5e6), ("1", 4.0e5, 1.5e6, 0.0)] {
            two(&mut facts, node, "numa_hit", 7.0e9, 7.0e9 + hit);
            two(&mut facts, node, "numa_miss", 3.0e9, 3.0e9 + miss);
            two(&mut facts, node, "numa_foreign", 1.0e9, 1.0e9 + foreign);
            two(&mut facts, node, "local_node", 0.0, hit);
            two(&mut facts, node, "other_node", 0.0, miss);
            two(&mut facts, node, "interleave_hit", 5.0, 5.0);
        }
        derive(&mut facts, ID);
        let this = Entity::host(ID);
        let number = |def| facts.number(def, &this);
        assert_eq!(number(&numa::ALLOCATED), Some(200_000.0));
        assert_eq!(number(&numa::SPILL_SHARE), Some(1.5e6 / 1.9e6));
        assert_eq!((number(&numa::SPILL_NODE), number(&numa::SPILL_FROM)), (Some(1.0), Some(0.0)));
        assert_eq!(number(&numa::INTERLEAVED), Some(0.0));
        assert_eq!(number(&numa::USABLE), Some(2.0));
    }

    #[test]
    fn lifetime_totals_are_marked_and_dead_counters_are_unknown() {
        let mut facts = Facts::new();
        let this = Entity::host(ID);
        for (node, hit, miss) in [("0", 9.0e8, 1.0e8), ("1", 1.0e9, 0.0)] {
            let node = Entity::new(ID, Kind::Node, node);
            for (metric, value) in [("numa_hit", hit), ("numa_miss", miss)] {
                let source = Source { artifact: 0, line: 1 };
                facts.add_sample(&NODE_STAT, &node, metric, Sample { value, snap: None, at: None, source });
            }
        }
        derive(&mut facts, ID);
        let reading = facts.get(&numa::SPILL_SHARE, &this).unwrap();
        assert_eq!((reading.number(), reading.grade), (Some(0.1), Grade::SinceBoot));

        let mut facts = Facts::new();
        facts.set_clock(ID, 0, 0.0);
        facts.set_clock(ID, 1, 10.0);
        for node in ["0", "1"] {
            two(&mut facts, node, "numa_hit", 5.0, 5.0);
            two(&mut facts, node, "numa_miss", 5.0, 5.0);
        }
        for (snap, value) in [(0, 0.0), (1, 1000.0)] {
            let source = Source { artifact: 0, line: 1 };
            let sample = Sample { value, snap: Some(snap), at: None, source };
            facts.add_sample(&VMSTAT, &this, "pgalloc_normal", sample);
        }
        derive(&mut facts, ID);
        assert!(matches!(facts.get(&numa::SPILL_SHARE, &this), Err(Missing::NotApplicable(_))));
    }

    #[test]
    fn free_pages_against_watermarks() {
        let mut facts = Facts::new();
        for (node, free) in [("0", [900.0, 500.0]), ("1", [9000.0, 9500.0])] {
            let node = Entity::new(ID, Kind::Node, node);
            for snap in [0u8, 1] {
                let values = [("free", free[usize::from(snap)]), ("low", 800.0), ("high", 1000.0), ("managed", 1e5)];
                for (metric, value) in values {
                    let sample = Sample { value, snap: Some(snap), at: None, source: Source { artifact: 0, line: 1 } };
                    facts.add_sample(&ZONE, &node, &format!("Normal.{metric}"), sample);
                    // The DMA zone does not count.
                    facts.add_sample(&ZONE, &node, &format!("DMA.{metric}"), Sample { value: 1e6, ..sample });
                }
            }
        }
        derive(&mut facts, ID);
        let this = Entity::host(ID);
        assert_eq!(facts.number(&numa::HEADROOM_MIN, &this), Some(0.5));
        assert_eq!(facts.number(&numa::HEADROOM_MAX, &this), Some(9.0));
        assert_eq!(facts.number(&numa::LOW_MIN, &this), Some(500.0 / 800.0));
    }
}
