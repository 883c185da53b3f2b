//! Memory of the host: totals, what of it is available or page cache, and how much of swap is left.

use crate::derive::rate::{computed, put_rate};
use crate::facts::schema::keys::family::{MEMINFO, VMSTAT};
use crate::facts::schema::keys::memory;
use crate::facts::{Entity, FactDef, Facts, Family, Grade, Reading, SubjectId, Value};

/// Page size when nothing in the bundle says otherwise: 4 KiB on x86-64 and on most arm64 kernels.
pub const PAGE: f64 = 4096.0;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    for (def, metric) in [(&memory::TOTAL, "MemTotal"), (&memory::SWAP_TOTAL, "SwapTotal")] {
        if let Some(sample) = facts.samples(&MEMINFO, &this, metric).first().copied() {
            facts.put(def, &this, Reading::new(Value::Num(sample.value), Grade::State, [sample.source]));
        }
    }
    for (def, metrics) in
        [(&memory::AVAILABLE, &["MemAvailable"][..]), (&memory::FREE, &["MemFree"]), (&memory::FILE_CACHE, FILE_PAGES)]
    {
        if let Some(reading) = gauge(facts, &MEMINFO, &this, metrics) {
            facts.put(def, &this, reading);
        }
    }
    if facts.metrics(&MEMINFO, &this).is_some_and(|metrics| !metrics.contains_key(FILE_PAGES[0]))
        && let Some(reading) = gauge(facts, &MEMINFO, &this, &["Buffers", "Cached"])
    {
        facts.put(&memory::FILE_CACHE, &this, reading);
    }
    let total = facts.samples(&MEMINFO, &this, "SwapTotal").first().copied();
    if let (Some(total), Some(free)) = (total, gauge(facts, &MEMINFO, &this, &["SwapFree"])) {
        let used = Value::Num(total.value - free.number().unwrap_or_default());
        facts.put(&memory::SWAP_USED, &this, Reading::new(used, free.grade, free.sources.iter().copied()));
    }
    let page = facts.number(&memory::PAGE_SIZE, &this).unwrap_or(PAGE);
    put_rate(facts, &memory::SWAP_IN, &VMSTAT, &this, &["pswpin"], page);
    put_rate(facts, &memory::SWAP_OUT, &VMSTAT, &this, &["pswpout"], page);
    shares(facts, &this);
}

/// File pages on the LRU lists. Cached would count tmpfs, which only swap can take in. Kernels before 2.6.28 have
/// no such rows: buffers and cache stand in.
const FILE_PAGES: &[&str] = &["Active(file)", "Inactive(file)"];

/// The sum of amounts that move, as the mean of the snapshots; one reading alone is graded so.
pub fn gauge(facts: &Facts, family: &'static Family, entity: &Entity, metrics: &[&str]) -> Option<Reading> {
    let (mut sum, mut grade, mut sources) = (0.0, Grade::Two, Vec::new());
    for metric in metrics {
        let samples = facts.samples(family, entity, metric);
        sum += samples.iter().map(|sample| sample.value).sum::<f64>() / samples.len() as f64;
        let apart = samples.windows(2).any(|pair| pair[0].snap != pair[1].snap || pair[0].at != pair[1].at);
        grade = grade.min(if apart { Grade::Two } else { Grade::Once });
        sources.extend(samples.first().into_iter().chain(samples.last()).map(|sample| sample.source));
    }
    sum.is_finite().then(|| Reading::new(Value::Num(sum), grade, sources))
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
    fn two_snapshots_are_a_mean() {
        let mut facts = Facts::new();
        let this = Entity::host(SubjectId(0));
        for (snap, value) in [(0, 300.0), (1, 500.0)] {
            let source = Source { artifact: u32::from(snap), line: 1 };
            facts.add_sample(&MEMINFO, &this, "MemFree", Sample { value, snap: Some(snap), at: None, source });
        }
        let reading = gauge(&facts, &MEMINFO, &this, &["MemFree"]).unwrap();
        assert_eq!((reading.number(), reading.grade, reading.sources.len()), (Some(400.0), Grade::Two, 2));
        assert_eq!(gauge(&facts, &MEMINFO, &this, &["MemFree", "MemAvailable"]), None);
    }

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
        assert_eq!(facts.get(&memory::AVAILABLE_SHARE, &this).map(|reading| reading.grade), Ok(Grade::Once));
        // tmpfs is in Cached, not in the file lists: 1600 of 8000.
        assert_eq!(facts.number(&memory::FILE_CACHE_SHARE, &this), Some(0.2));
        assert_eq!(facts.number(&memory::SWAP_FREE_SHARE, &this), Some(0.25));
    }
}
