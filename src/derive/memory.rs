//! Memory of the host: totals, and pages that move to and from swap.

use crate::derive::rate::put_rate;
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
}

fn gauge(facts: &mut Facts, def: &'static FactDef, this: &Entity, metric: &str) {
    if let Some(sample) = facts.samples(&MEMINFO, this, metric).first().copied() {
        facts.put(def, this, Reading::new(Value::Num(sample.value), Grade::State, [sample.source]));
    }
}
