//! Memory of the host: totals, what of it is available or page cache, and how much of swap is left.

use crate::derive::rate::{computed, put_rate};
use crate::facts::schema::keys::family::{MEMINFO, VMSTAT};
use crate::facts::schema::keys::memory;
use crate::facts::{Entity, FactDef, Facts, Grade, Reading, SubjectId, Value};

/// Page size when nothing in the bundle says otherwise: 4 KiB on x86-64 and on most arm64 kernels.
pub const PAGE: f64 = 4096.0;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    for (def, metric) in [
        (&memory::TOTAL, "MemTotal"),
        (&memory::AVAILABLE, "MemAvailable"),
        (&memory::FREE, "MemFree"),
        (&memory::SWAP_TOTAL, "SwapTotal"),
    ] {
        gauge(facts, def, &this, metric);
    }
    let (total, free) = (facts.samples(&MEMINFO, &this, "SwapTotal"), facts.samples(&MEMINFO, &this, "SwapFree"));
    if let (Some(total), Some(free)) = (total.first().copied(), free.first().copied()) {
        let reading = Reading::new(Value::Num(total.value - free.value), Grade::State, [total.source, free.source]);
        facts.put(&memory::SWAP_USED, &this, reading);
    }
    let page = facts.number(&memory::PAGE_SIZE, &this).unwrap_or(PAGE);
    put_rate(facts, &memory::SWAP_IN, &VMSTAT, &this, &["pswpin"], page);
    put_rate(facts, &memory::SWAP_OUT, &VMSTAT, &this, &["pswpout"], page);
    file_cache(facts, &this);
    shares(facts, &this);
}

fn gauge(facts: &mut Facts, def: &'static FactDef, this: &Entity, metric: &str) {
    if let Some(sample) = facts.samples(&MEMINFO, this, metric).first().copied() {
        facts.put(def, this, Reading::new(Value::Num(sample.value), Grade::State, [sample.source]));
    }
}

/// File pages on the LRU lists. Cached would count tmpfs, which only swap can take in. Kernels before 2.6.28 have
/// no such rows: buffers and cache stand in.
fn file_cache(facts: &mut Facts, this: &Entity) {
    let sum = |names: [&str; 2]| {
        let [a, b] = names.map(|name| facts.samples(&MEMINFO, this, name).first().copied());
        let (a, b) = (a?, b?);
        Some(Reading::new(Value::Num(a.value + b.value), Grade::State, [a.source, b.source]))
    };
    if let Some(reading) = sum(["Active(file)", "Inactive(file)"]).or_else(|| sum(["Buffers", "Cached"])) {
        facts.put(&memory::FILE_CACHE, this, reading);
    }
}

fn shares(facts: &mut Facts, this: &Entity) {
    for (def, part, whole) in [
        (&memory::AVAILABLE_SHARE, &memory::AVAILABLE, &memory::TOTAL),
        (&memory::FILE_CACHE_SHARE, &memory::FILE_CACHE, &memory::TOTAL),
    ] {
        share(facts, def, this, part, whole, |part, whole| part / whole);
    }
    share(facts, &memory::SWAP_FREE_SHARE, this, &memory::SWAP_USED, &memory::SWAP_TOTAL, |used, total| {
        1.0 - used / total
    });
}

fn share(
    facts: &mut Facts,
    def: &'static FactDef,
    this: &Entity,
    part: &FactDef,
    whole: &FactDef,
    of: fn(f64, f64) -> f64,
) {
    let (Ok(part), Ok(whole)) = (facts.get(part, this), facts.get(whole, this)) else { return };
    let (Some(a), Some(b)) = (part.number(), whole.number()) else { return };
    if b > 0.0 {
        let reading = computed(of(a, b).clamp(0.0, 1.0), [part, whole]);
        facts.put(def, this, reading);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Source;
    use crate::facts::store::Sample;

    #[test]
    fn cache_and_availability_as_shares_of_ram() {
        let mut facts = Facts::new();
        let this = Entity::host(SubjectId(0));
        let rows = [
            ("MemTotal", 8000.0),
            ("MemAvailable", 2000.0),
            ("Cached", 5000.0),
            ("Buffers", 100.0),
            ("Active(file)", 600.0),
            ("Inactive(file)", 1000.0),
            ("SwapTotal", 400.0),
            ("SwapFree", 100.0),
        ];
        for (line, (metric, value)) in (1..).zip(rows) {
            let sample = Sample { value, snap: None, at: None, source: Source { artifact: 0, line } };
            facts.add_sample(&MEMINFO, &this, metric, sample);
        }
        derive(&mut facts, SubjectId(0));
        assert_eq!(facts.number(&memory::AVAILABLE_SHARE, &this), Some(0.25));
        // tmpfs is in Cached, not in the file lists: 1600 of 8000.
        assert_eq!(facts.number(&memory::FILE_CACHE_SHARE, &this), Some(0.2));
        assert_eq!(facts.number(&memory::SWAP_FREE_SHARE, &this), Some(0.25));
    }
}
