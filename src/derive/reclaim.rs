//! How the kernel finds free memory: who scans, what comes back after it was evicted, who waits in swap.

use crate::derive::memory::PAGE;
use crate::derive::rate::{computed, put_rate};
use crate::facts::schema::keys::family::{PID, VMSTAT};
use crate::facts::schema::keys::{memory, numa_node, process};
use crate::facts::{Entity, Facts, Grade, Kind, Reading, SubjectId, Value};

/// One name a zone (4.10 and later), one for all before.
const STALLS: &[&str] =
    &["allocstall", "allocstall_dma", "allocstall_dma32", "allocstall_normal", "allocstall_high", "allocstall_movable"];
/// Since 4.8 one counter, per zone before.
const DIRECT: &[&str] = &[
    "pgscan_direct",
    "pgscan_direct_dma",
    "pgscan_direct_dma32",
    "pgscan_direct_normal",
    "pgscan_direct_high",
    "pgscan_direct_movable",
];
const KSWAPD: &[&str] = &[
    "pgscan_kswapd",
    "pgscan_kswapd_dma",
    "pgscan_kswapd_dma32",
    "pgscan_kswapd_normal",
    "pgscan_kswapd_high",
    "pgscan_kswapd_movable",
];

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    let page = facts.number(&memory::PAGE_SIZE, &this).unwrap_or(PAGE);
    for (def, metrics, factor) in [
        (&memory::ALLOC_STALLS, STALLS, 1.0),
        (&memory::SCAN_DIRECT, DIRECT, 1.0),
        (&memory::SCAN_KSWAPD, KSWAPD, 1.0),
        (&memory::MAJOR_FAULTS, &["pgmajfault"][..], 1.0),
        (&memory::REFAULT_ANON, &["workingset_refault_anon"][..], page),
        // Before 5.9 only file pages were counted, under this name.
        (&memory::REFAULT_FILE, &["workingset_refault_file", "workingset_refault"][..], page),
        (&memory::COMPACT_STALLS, &["compact_stall"][..], 1.0),
        (&memory::THP_FALLBACKS, &["thp_fault_fallback"][..], 1.0),
    ] {
        put_rate(facts, def, &VMSTAT, &this, metrics, factor);
    }
    direct_share(facts, &this);
    compaction(facts, &this);
    if let Ok(kills) = facts.change(&VMSTAT, &this, "oom_kill") {
        let reading = Reading::new(Value::Num(kills.delta), kills.grade, kills.sources());
        facts.put(&memory::OOM_KILLS, &this, reading);
    }
    kswapd(facts, &this);
    processes(facts, &this);
}

/// Unknown while nothing is scanned.
fn direct_share(facts: &mut Facts, this: &Entity) {
    let (Ok(direct), Ok(kswapd)) = (facts.get(&memory::SCAN_DIRECT, this), facts.get(&memory::SCAN_KSWAPD, this))
    else {
        return;
    };
    if let (Some(a), Some(b)) = (direct.number(), kswapd.number())
        && a + b > 0.0
    {
        let reading = computed(a / (a + b), [direct, kswapd]);
        facts.put(&memory::DIRECT_SHARE, this, reading);
    }
}

fn compaction(facts: &mut Facts, this: &Entity) {
    let fail = facts.change(&VMSTAT, this, "compact_fail");
    let success = facts.change(&VMSTAT, this, "compact_success");
    if let (Ok(fail), Ok(success)) = (fail, success)
        && fail.delta + success.delta > 0.0
    {
        let value = Value::Num(fail.delta / (fail.delta + success.delta));
        let sources = fail.sources().into_iter().chain(success.sources());
        facts.put(&memory::COMPACT_FAIL, this, Reading::new(value, fail.grade, sources));
    }
}

/// The busiest of the nodes' kswapd threads.
fn kswapd(facts: &mut Facts, this: &Entity) {
    let busiest = facts
        .entities(this.subject, Kind::Node)
        .filter_map(|node| facts.get(&numa_node::KSWAPD, node).ok())
        .filter_map(|reading| Some((reading.number()?, reading)))
        .max_by(|a, b| (a.1.grade, a.0).partial_cmp(&(b.1.grade, b.0)).unwrap_or(std::cmp::Ordering::Equal))
        .map(|(_, reading)| reading.clone());
    if let Some(reading) = busiest {
        facts.put(&memory::KSWAPD, this, reading);
    }
}

/// Swap and major faults of processes, and which of them has most in swap.
fn processes(facts: &mut Facts, this: &Entity) {
    for one in facts.sampled(&PID, this.subject) {
        put_rate(facts, &process::MAJOR_FAULTS, &PID, &one, &["stat.majflt"], 1.0);
        // In swap at both ends of the window is a measured state of the window.
        let swap = facts.samples(&PID, &one, "status.VmSwap");
        if let [first, .., last] = swap
            && first.snap != last.snap
        {
            let value = Value::Num(first.value.min(last.value));
            let reading = Reading::new(value, Grade::Two, [first.source, last.source]);
            facts.put(&process::SWAP, &one, reading);
        }
    }
    let victim = facts
        .entities(this.subject, Kind::Process)
        .filter_map(|one| Some((one.clone(), facts.get(&process::SWAP, one).ok()?.clone())))
        .filter_map(|(one, reading)| Some((reading.number().filter(|bytes| *bytes > 0.0)?, one, reading)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((bytes, one, reading)) = victim else { return };
    facts.put(&memory::SWAP_VICTIM_BYTES, this, reading.clone());
    if let Ok(pid) = one.name.parse::<f64>() {
        facts.put(&memory::SWAP_VICTIM, this, computed(pid, [&reading]));
    }
    if let Ok(name) = facts.get(&process::NAME, &one).cloned() {
        facts.put(&memory::SWAP_VICTIM_NAME, this, name);
    }
    if let Some(resident) = facts.number(&process::RSS, &one) {
        facts.put(&memory::SWAP_VICTIM_SHARE, this, computed(bytes / (bytes + resident), [&reading]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Source;
    use crate::facts::store::Sample;

    fn sample(value: f64, snap: u8) -> Sample {
        Sample { value, snap: Some(snap), at: None, source: Source { artifact: u32::from(snap), line: 1 } }
    }

    #[test]
    fn zones_add_up_and_shares_are_of_what_happened() {
        let mut facts = Facts::new();
        let id = SubjectId(0);
        let this = Entity::host(id);
        facts.set_clock(id, 0, 0.0);
        facts.set_clock(id, 1, 10.0);
        for (metric, from, to) in [
            ("allocstall_normal", 100.0, 150.0),
            ("allocstall_movable", 0.0, 50.0),
            ("pgscan_direct", 0.0, 300.0),
            ("pgscan_kswapd", 0.0, 700.0),
            ("workingset_refault_anon", 0.0, 1000.0),
            ("compact_fail", 3.0, 12.0),
            ("compact_success", 0.0, 1.0),
            ("oom_kill", 1.0, 3.0),
        ] {
            facts.add_sample(&VMSTAT, &this, metric, sample(from, 0));
            facts.add_sample(&VMSTAT, &this, metric, sample(to, 1));
        }
        for (pid, swap) in [("10", [900.0, 300.0]), ("11", [200.0, 250.0])] {
            let one = Entity::new(id, Kind::Process, pid);
            facts.add_sample(&PID, &one, "status.VmSwap", sample(swap[0], 0));
            facts.add_sample(&PID, &one, "status.VmSwap", sample(swap[1], 1));
            facts.put(&process::RSS, &one, Reading::new(Value::Num(100.0), Grade::Once, []));
        }
        derive(&mut facts, id);
        assert_eq!(facts.number(&memory::ALLOC_STALLS, &this), Some(10.0));
        assert_eq!(facts.number(&memory::DIRECT_SHARE, &this), Some(0.3));
        assert_eq!(facts.number(&memory::REFAULT_ANON, &this), Some(100.0 * PAGE));
        assert_eq!(facts.number(&memory::COMPACT_FAIL, &this), Some(0.9));
        assert_eq!(facts.number(&memory::OOM_KILLS, &this), Some(2.0));
        // 300 bytes were in swap all the time, of 400.
        assert_eq!(facts.number(&memory::SWAP_VICTIM, &this), Some(10.0));
        assert_eq!(facts.number(&memory::SWAP_VICTIM_SHARE, &this), Some(0.75));
    }
}
