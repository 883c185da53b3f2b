//! Guards that hold before any rule (rulebook 0.4): the window, an idle capture, whose view it is.

use crate::derive::rate::computed;
use crate::facts::schema::keys::family::{HOST_STAT, UPTIME};
use crate::facts::schema::keys::{cpu, disk, host, nic};
use crate::facts::{Entity, FactDef, Facts, Grade, Kind, Missing, Reading, SubjectId, Value};

/// Below all of these the capture saw an idle machine (rulebook G1).
const IDLE_BUSY: f64 = 0.05;
const IDLE_PPS: f64 = 1000.0;
const IDLE_IOPS: f64 = 10.0;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    window(facts, &this);
    if let Some(sample) = facts.samples(&UPTIME, &this, "uptime").first().copied() {
        facts.put(&host::UPTIME, &this, Reading::new(Value::Num(sample.value), Grade::State, [sample.source]));
    }
    idle(facts, &this);
}

fn window(facts: &mut Facts, this: &Entity) {
    let between = facts
        .change(&UPTIME, this, "uptime")
        .ok()
        .map(|change| Reading::new(Value::Num(change.delta), Grade::Two, change.sources()))
        .or_else(|| {
            let change = facts.change(&HOST_STAT, this, "ctxt").ok()?;
            Some(Reading::new(Value::Num(change.dt?), Grade::Two, change.sources()))
        });
    let longest = facts.entities(this.subject, Kind::Cpu).filter_map(|one| {
        let reading = facts.get(&cpu::IDLE, one).ok()?;
        let Value::Series(series) = &reading.value else { return None };
        let span = series.at.last()? + 1.0;
        Some((span, reading.clone()))
    });
    let series = longest.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(span, reading)| computed(span, [&reading]));
    if let Some(reading) = between.or(series) {
        facts.put(&host::WINDOW, this, reading);
    }
}

/// True only when CPUs, NICs and disks are all known to have been idle; one busy one makes it false.
fn idle(facts: &mut Facts, this: &Entity) {
    let sum = |facts: &Facts, kind: Kind, def: &FactDef| -> Option<(f64, Vec<Reading>)> {
        let parts: Vec<Reading> = facts
            .entities(this.subject, kind)
            .filter_map(|one| facts.get(def, one).ok())
            .filter(|reading| reading.grade.solid())
            .cloned()
            .collect();
        (!parts.is_empty()).then(|| (parts.iter().filter_map(Reading::number).sum(), parts))
    };
    let busy = facts.get(&host::BUSY, this).ok().filter(|reading| reading.grade.solid()).cloned();
    let packets = sum(facts, Kind::Nic, &nic::RX_PPS);
    let requests = sum(facts, Kind::Disk, &disk::IOPS);
    let mut inputs: Vec<Reading> = Vec::new();
    let mut quiet = Vec::new();
    if let Some(reading) = &busy {
        quiet.push(reading.number().is_some_and(|value| value < IDLE_BUSY));
        inputs.push(reading.clone());
    }
    for (part, limit) in [(&packets, IDLE_PPS), (&requests, IDLE_IOPS)] {
        if let Some((value, parts)) = part {
            quiet.push(*value < limit);
            inputs.extend(parts.iter().take(2).cloned());
        }
    }
    let sources: Vec<_> = inputs.iter().flat_map(|reading| reading.sources.iter().copied()).collect();
    if quiet.contains(&false) {
        facts.put(&host::IDLE_DURING, this, Reading::new(Value::Flag(false), Grade::Two, sources));
    } else if quiet.len() == 3 {
        facts.put(&host::IDLE_DURING, this, Reading::new(Value::Flag(true), Grade::Two, sources));
    } else {
        facts.put_missing(&host::IDLE_DURING, this, Missing::TooShort);
    }
}
