//! PSI: share of time stalled, from the totals of two snapshots; the kernel's own averages stand in where only one exists.

use crate::derive::rate::rate;
use crate::facts::schema::keys::family::{CGROUP, PRESSURE};
use crate::facts::schema::keys::{cgroup, host, memory};
use crate::facts::{Entity, FactDef, Facts, Family, Grade, Missing, Reading, SubjectId, Value};

/// PSI totals are microseconds.
const MICROSECOND: f64 = 1e-6;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    for (def, name) in [
        (&host::PSI_CPU, "cpu.some"),
        (&host::PSI_IO, "io.some"),
        (&host::PSI_IO_FULL, "io.full"),
        (&memory::PSI_MEM, "memory.some"),
        (&memory::PSI_MEM_FULL, "memory.full"),
    ] {
        stall(facts, def, &PRESSURE, &this, name);
    }
    for group in facts.sampled(&CGROUP, subject) {
        stall(facts, &cgroup::PSI_CPU, &CGROUP, &group, "cpu.pressure.some");
        stall(facts, &cgroup::PSI_MEM, &CGROUP, &group, "memory.pressure.some");
        stall(facts, &cgroup::PSI_MEM_FULL, &CGROUP, &group, "memory.pressure.full");
    }
}

fn stall(facts: &mut Facts, def: &'static FactDef, family: &'static Family, entity: &Entity, name: &str) {
    let total = format!("{name}.total");
    match rate(facts, family, entity, &[&total], MICROSECOND) {
        Ok(reading) if reading.grade > Grade::SinceBoot => facts.put(def, entity, reading),
        Ok(_) | Err(Missing::TooShort | Missing::NotCollected) => {
            // avg10 is the kernel's mean of the last ten seconds: one instant reading.
            if let Some(sample) = facts.samples(family, entity, &format!("{name}.avg10")).last().copied() {
                let value = Value::Num(sample.value / 100.0);
                facts.put(def, entity, Reading::new(value, Grade::Once, [sample.source]));
            }
        }
        Err(why) => facts.put_missing(def, entity, why),
    }
}
