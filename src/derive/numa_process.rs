//! Where a process runs against where its memory is: placement mismatch, concentration, expected remote accesses.
//!
//! With cpu[n] its share of CPU time and mem[n] its share of pages on node n: mismatch is the sum of
//! max(0, cpu - mem), concentration the largest mem, expected remote accesses 1 - sum(cpu x mem). Nodes nearer to
//! each other than [`NEAR`] count as one (sub-NUMA clusters of one socket).

use std::collections::BTreeMap;

use crate::derive::rate::computed;
use crate::derive::skew::neff;
use crate::facts::schema::keys::family::{PID, TID};
use crate::facts::schema::keys::{host, memory, numa, numa_node, process};
use crate::facts::{CpuSet, Entity, FactDef, Facts, Family, Grade, Kind, Reading, Source, SubjectId, Value};

/// Distances below this are within one socket; 10 is the node itself.
const NEAR: f64 = 15.0;
/// A process below this share of the CPU time in use and of RAM does not decide how the host runs.
const LARGE: f64 = 0.2;
/// A process larger than this part of a node does not fit in it with room to grow.
const FITS: f64 = 0.85;
/// USER_HZ.
const TICKS: f64 = 100.0;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let nodes = Nodes::of(facts, subject);
    let mut worst: Option<(f64, Entity, Placement, Reading)> = None;
    for one in facts.sampled(&PID, subject) {
        let Some(placement) = place(facts, &one, &nodes) else { continue };
        let weight = weight(facts, &one, &placement);
        put_process(facts, &one, &placement, weight.as_ref());
        let Some(weight) = weight.filter(|weight| weight.number() >= Some(LARGE)) else { continue };
        let rank = placement.mismatch.unwrap_or(-1.0);
        if worst.as_ref().is_none_or(|(most, ..)| rank > *most) {
            worst = Some((rank, one, placement, weight));
        }
    }
    if let Some((_, one, placement, weight)) = worst {
        put_host(facts, &one, &placement, &weight, &nodes);
    }
}

/// Node of each CPU, and the first node of each group of near ones.
struct Nodes {
    of_cpu: BTreeMap<u32, u32>,
    group: BTreeMap<u32, u32>,
    size: BTreeMap<u32, f64>,
}

impl Nodes {
    fn of(facts: &Facts, subject: SubjectId) -> Nodes {
        let mut nodes = Nodes { of_cpu: BTreeMap::new(), group: BTreeMap::new(), size: BTreeMap::new() };
        let list: Vec<(u32, &Entity)> =
            facts.entities(subject, Kind::Node).filter_map(|node| Some((node.name.parse().ok()?, node))).collect();
        for (id, node) in &list {
            if let Ok(Value::Cpus(set)) = facts.get(&numa_node::CPUS, node).map(|reading| &reading.value) {
                nodes.of_cpu.extend(set.iter().map(|cpu| (cpu, *id)));
            }
            if let Some(bytes) = facts.number(&numa_node::MEM_TOTAL, node) {
                nodes.size.insert(*id, bytes);
            }
            let near = match facts.get(&numa_node::DISTANCES, node).map(|reading| &reading.value) {
                Ok(Value::List(row)) if row.len() == list.len() => {
                    let close = row.iter().map(|text| text.parse::<f64>().is_ok_and(|distance| distance < NEAR));
                    list.iter().zip(close).find(|(_, close)| *close).map(|((other, _), _)| *other)
                }
                _ => None,
            };
            nodes.group.insert(*id, near.unwrap_or(*id).min(*id));
        }
        nodes
    }

    fn group(&self, node: u32) -> u32 {
        self.group.get(&node).copied().unwrap_or(node)
    }
}

/// Shares by group of nodes.
struct Placement {
    bytes: f64,
    mem: BTreeMap<u32, f64>,
    mem_reading: Reading,
    cpu: BTreeMap<u32, f64>,
    cpu_reading: Option<Reading>,
    mismatch: Option<f64>,
}

fn place(facts: &Facts, one: &Entity, nodes: &Nodes) -> Option<Placement> {
    let (bytes, mem_sources) = resident(facts, one)?;
    let total: f64 = bytes.values().sum();
    if total <= 0.0 {
        return None;
    }
    let mut mem: BTreeMap<u32, f64> = BTreeMap::new();
    for (node, part) in &bytes {
        *mem.entry(nodes.group(*node)).or_default() += part / total;
    }
    let (cpu, cpu_reading) = match runs_on(facts, one, nodes) {
        Some((cpu, grade, sources)) => (cpu, Some(Reading::new(Value::Num(1.0), grade, sources))),
        None => (BTreeMap::new(), None),
    };
    let part = |list: &BTreeMap<u32, f64>, node: &u32| list.get(node).copied().unwrap_or(0.0);
    let mismatch = (!cpu.is_empty()).then(|| cpu.iter().map(|(node, share)| (share - part(&mem, node)).max(0.0)).sum());
    let mem_reading = Reading::new(Value::Num(total), Grade::State, mem_sources);
    Some(Placement { bytes: total, mem, mem_reading, cpu, cpu_reading, mismatch })
}

/// Resident bytes by node, all from the latest file that tells them.
fn resident(facts: &Facts, one: &Entity) -> Option<(BTreeMap<u32, f64>, Vec<Source>)> {
    let metrics = facts.metrics(&PID, one)?;
    let rows = || {
        metrics.iter().filter_map(|(name, samples)| {
            let node = name.strip_prefix("numa.")?.parse::<u32>().ok()?;
            Some(samples.iter().map(move |sample| (node, sample)))
        })
    };
    let latest = rows().flatten().map(|(_, sample)| (sample.snap, sample.source.artifact)).max()?;
    let (mut bytes, mut sources) = (BTreeMap::new(), Vec::new());
    for (node, sample) in rows().flatten().filter(|(_, s)| (s.snap, s.source.artifact) == latest) {
        bytes.insert(node, sample.value);
        sources.push(sample.source);
    }
    Some((bytes, sources))
}

/// Share of its CPU time by group of nodes: where it may run, else where its threads were seen, by the time they used.
fn runs_on(facts: &Facts, one: &Entity, nodes: &Nodes) -> Option<(BTreeMap<u32, f64>, Grade, Vec<Source>)> {
    if let Ok(reading) = facts.get(&process::ALLOWED, one)
        && let Value::Cpus(set) = &reading.value
        && let Some(group) = only_group(set, nodes)
    {
        return Some((BTreeMap::from([(group, 1.0)]), Grade::State, reading.sources.to_vec()));
    }
    let threads: Vec<Entity> = facts
        .sampled(&TID, one.subject)
        .into_iter()
        .filter(|thread| thread.within(one) || thread.name == one.name)
        .collect();
    let tasks: Vec<(&'static Family, Entity)> = if threads.is_empty() {
        // One row for all threads tells where one of them ran.
        let alone = facts.number(&process::THREADS, one) == Some(1.0);
        alone.then(|| (&PID, one.clone())).into_iter().collect()
    } else {
        threads.into_iter().map(|thread| (&TID, thread)).collect()
    };
    let (mut shares, mut sources, mut grade) = (BTreeMap::new(), Vec::new(), Grade::Two);
    for (family, task) in &tasks {
        let seen = facts.samples(family, task, "stat.processor");
        let groups: Vec<u32> = seen
            .iter()
            .filter_map(|sample| nodes.of_cpu.get(&(sample.value as u32)).map(|node| nodes.group(*node)))
            .collect();
        if groups.is_empty() {
            continue;
        }
        let used = match facts.change_sum(family, task, ["stat.utime", "stat.stime"]) {
            Ok(change) => change.delta,
            Err(_) => {
                grade = Grade::Once;
                1.0
            }
        };
        for group in &groups {
            *shares.entry(*group).or_insert(0.0) += used / groups.len() as f64;
        }
        sources.extend(seen.iter().map(|sample| sample.source));
    }
    let total: f64 = shares.values().sum();
    if total <= 0.0 {
        return None;
    }
    shares.values_mut().for_each(|share| *share /= total);
    Some((shares, grade, sources))
}

/// The one group of nodes that holds all CPUs of a set.
fn only_group(set: &CpuSet, nodes: &Nodes) -> Option<u32> {
    let mut groups = set.iter().map(|cpu| nodes.of_cpu.get(&cpu).map(|node| nodes.group(*node)));
    let first = groups.next()??;
    let more_than_one = nodes.group.values().any(|group| *group != first);
    (more_than_one && groups.all(|group| group == Some(first))).then_some(first)
}

/// The larger of its share of the CPU time in use and of RAM.
fn weight(facts: &Facts, one: &Entity, placement: &Placement) -> Option<Reading> {
    let this = Entity::host(one.subject);
    let ram = facts.get(&memory::TOTAL, &this).ok().and_then(|total| {
        let bytes = total.number().filter(|bytes| *bytes > 0.0)?;
        Some(computed(placement.bytes / bytes, [&placement.mem_reading, total]))
    });
    let ticks = facts.change_sum(&PID, one, ["stat.utime", "stat.stime"]).ok();
    let own = match (ticks.and_then(|change| Some((change.rate()? / TICKS, change))), facts.get(&process::CPU, one)) {
        (Some((cpus, change)), _) => Some(Reading::new(Value::Num(cpus), change.grade, change.sources())),
        (None, Ok(reading)) => Some(reading.clone()),
        _ => None,
    };
    let busy = facts.get(&host::BUSY, &this).ok().zip(facts.number(&host::CPUS_ONLINE, &this));
    let cpu = own.zip(busy).and_then(|(own, (busy, cpus))| {
        let used = busy.number()? * cpus;
        (used > 0.0).then(|| computed((own.number().unwrap_or(0.0) / used).min(1.0), [&own, busy]))
    });
    // What was measured decides before what was seen once.
    let key = |reading: &Reading| {
        let share = reading.number().unwrap_or(0.0);
        (share >= LARGE, reading.grade.solid(), share)
    };
    [ram, cpu].into_iter().flatten().max_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
}

fn top(shares: &BTreeMap<u32, f64>) -> Option<(u32, f64)> {
    shares.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(node, share)| (*node, *share))
}

fn both(value: f64, placement: &Placement) -> Option<Reading> {
    Some(computed(value, [&placement.mem_reading, placement.cpu_reading.as_ref()?]))
}

fn remote(placement: &Placement) -> f64 {
    let local = placement.cpu.iter().map(|(node, cpu)| cpu * placement.mem.get(node).copied().unwrap_or(0.0));
    (1.0 - local.sum::<f64>()).clamp(0.0, 1.0)
}

fn put_process(facts: &mut Facts, one: &Entity, placement: &Placement, weight: Option<&Reading>) {
    facts.put(&process::NUMA_MEMORY, one, placement.mem_reading.clone());
    if let Some((_, share)) = top(&placement.mem) {
        facts.put(&process::NUMA_CONCENTRATION, one, computed(share, [&placement.mem_reading]));
    }
    if let Some(reading) = placement.mismatch.and_then(|value| both(value, placement)) {
        facts.put(&process::NUMA_MISMATCH, one, reading);
    }
    if let Some(reading) = both(remote(placement), placement) {
        facts.put(&process::NUMA_REMOTE, one, reading);
    }
    if let Some(weight) = weight {
        facts.put(&process::NUMA_WEIGHT, one, weight.clone());
    }
}

/// What the host's readings say of this process also rests on its being large.
fn put_host(facts: &mut Facts, one: &Entity, placement: &Placement, weight: &Reading, nodes: &Nodes) {
    let this = &Entity::host(one.subject);
    let memory = &placement.mem_reading;
    let mut put: Vec<(&'static FactDef, Reading)> = vec![(&numa::PROCESS_MEMORY, memory.clone())];
    if let Ok(pid) = one.name.parse::<f64>() {
        put.push((&numa::PROCESS, computed(pid, [memory])));
    }
    for (from, to) in [(&process::NAME, &numa::PROCESS_NAME), (&process::MEM_POLICY, &numa::POLICY)] {
        if let Ok(reading) = facts.get(from, one) {
            put.push((to, reading.clone()));
        }
    }
    if let Some((node, share)) = top(&placement.mem) {
        put.push((&numa::CONCENTRATION, computed(share, [memory])));
        put.push((&numa::MEM_NODE, computed(f64::from(node), [memory])));
    }
    if let (Some(value), Some(seen)) = (placement.mismatch, &placement.cpu_reading) {
        put.push((&numa::MISMATCH, computed(value, [memory, seen, weight])));
    }
    if let Some(reading) = both(remote(placement), placement) {
        put.push((&numa::REMOTE, reading));
    }
    if let (Some((node, _)), Some(seen)) = (top(&placement.cpu), &placement.cpu_reading) {
        put.push((&numa::CPU_NODE, computed(f64::from(node), [seen])));
        let shares: Vec<f64> = placement.cpu.values().copied().collect();
        if let Some(count) = neff(&shares) {
            put.push((&numa::CPU_NEFF, computed(count, [seen])));
        }
        if let Some(size) = nodes.size.get(&node) {
            let flag = Value::Flag(placement.bytes < FITS * size);
            put.push((&numa::FITS, Reading::new(flag, Grade::State, memory.sources.iter().copied())));
        }
    }
    put.into_iter().for_each(|(def, reading)| facts.put(def, this, reading));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::store::Sample;

    const ID: SubjectId = SubjectId(0);

    /// Two nodes of four CPUs; a process with two threads.
    fn host_with(distance: &str, memory: [f64; 2], threads: [(f64, f64); 2]) -> Facts {
        let mut facts = Facts::new();
        facts.set_clock(ID, 0, 0.0);
        facts.set_clock(ID, 1, 10.0);
        let state = |value| Reading::new(value, Grade::State, []);
        for (node, cpus, row) in [("0", "0-3", ["10", distance]), ("1", "4-7", [distance, "10"])] {
            let node = Entity::new(ID, Kind::Node, node);
            facts.put(&numa_node::CPUS, &node, state(Value::Cpus(CpuSet::parse_list(cpus).unwrap())));
            facts.put(&numa_node::DISTANCES, &node, state(Value::List(row.map(Into::into).to_vec().into())));
            facts.put(&numa_node::MEM_TOTAL, &node, state(Value::Num(1000.0)));
        }
        facts.put(&memory::TOTAL, &Entity::host(ID), state(Value::Num(2000.0)));
        let source = Source { artifact: 0, line: 1 };
        let one = Entity::new(ID, Kind::Process, "7");
        for (node, bytes) in (0..).zip(memory) {
            let sample = Sample { value: bytes, snap: Some(1), at: None, source };
            facts.add_sample(&PID, &one, &format!("numa.{node}"), sample);
        }
        for (tid, (cpu, ticks)) in (8..).zip(threads) {
            let thread = Entity::new(ID, Kind::Thread, format!("7/{tid}"));
            for (snap, used) in [(0, 0.0), (1, ticks)] {
                let sample = |value| Sample { value, snap: Some(snap), at: None, source };
                facts.add_sample(&TID, &thread, "stat.processor", sample(cpu));
                facts.add_sample(&TID, &thread, "stat.utime", sample(used));
                facts.add_sample(&TID, &thread, "stat.stime", sample(0.0));
            }
        }
        derive(&mut facts, ID);
        facts
    }

    fn readings(facts: &Facts) -> [Option<f64>; 4] {
        let this = Entity::host(ID);
        [&numa::MISMATCH, &numa::CONCENTRATION, &numa::REMOTE, &numa::CPU_NEFF].map(|def| facts.number(def, &this))
    }

    /// Rulebook R3, two-node readings.
    #[test]
    fn placement_of_threads_against_memory() {
        let all_on_one = host_with("21", [600.0, 0.0], [(1.0, 500.0), (5.0, 500.0)]);
        assert_eq!(readings(&all_on_one), [Some(0.5), Some(1.0), Some(0.5), Some(2.0)]);
        let interleaved = host_with("21", [300.0, 300.0], [(1.0, 500.0), (5.0, 500.0)]);
        assert_eq!(readings(&interleaved), [Some(0.0), Some(0.5), Some(0.5), Some(2.0)]);
        // All CPU time on node 0, all memory on node 1.
        let apart = host_with("21", [0.0, 600.0], [(1.0, 900.0), (2.0, 100.0)]);
        assert_eq!(readings(&apart), [Some(1.0), Some(1.0), Some(1.0), Some(1.0)]);
        assert_eq!(apart.number(&numa::CPU_NODE, &Entity::host(ID)), Some(0.0));
    }

    #[test]
    fn near_nodes_are_one_and_small_processes_decide_nothing() {
        let clusters = host_with("12", [0.0, 600.0], [(1.0, 900.0), (2.0, 100.0)]);
        assert_eq!(readings(&clusters)[0], Some(0.0));
        let small = host_with("21", [0.0, 60.0], [(1.0, 900.0), (2.0, 100.0)]);
        assert_eq!(readings(&small), [None; 4]);
        let one = Entity::new(ID, Kind::Process, "7");
        assert_eq!(small.number(&process::NUMA_MISMATCH, &one), Some(1.0));
    }
}
