//! Packets per CPU from `softnet_stat`, and NET_RX softirqs.

use crate::derive::rate::{computed, put_rate, rate};
use crate::derive::skew::{neff, top1};
use crate::facts::schema::keys::family::{SOFTIRQS, SOFTNET};
use crate::facts::schema::keys::{cpu, host};
use crate::facts::{Entity, Facts, Grade, Missing, Reading, SubjectId, Value};

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    let cpus = facts.sampled(&SOFTNET, subject);
    for one in &cpus {
        for (def, metric) in [
            (&cpu::PACKETS, "processed"),
            (&cpu::SQUEEZED, "time_squeeze"),
            (&cpu::DROPPED, "dropped"),
            (&cpu::RPS_RECEIVED, "received_rps"),
        ] {
            put_rate(facts, def, &SOFTNET, one, &[metric], 1.0);
        }
    }
    for one in facts.sampled(&SOFTIRQS, subject) {
        put_rate(facts, &cpu::NET_RX, &SOFTIRQS, &one, &["NET_RX"], 1.0);
    }
    for (def, metric) in [(&host::SOFTNET_DROPPED, "dropped"), (&host::SOFTNET_SQUEEZED, "time_squeeze")] {
        let parts: Result<Vec<Reading>, Missing> =
            cpus.iter().map(|one| rate(facts, &SOFTNET, one, &[metric], 1.0)).collect();
        match parts {
            Ok(parts) if !parts.is_empty() => {
                let sum = parts.iter().filter_map(Reading::number).sum();
                let mut top = parts.clone();
                top.sort_by(|a, b| b.number().unwrap_or(0.0).total_cmp(&a.number().unwrap_or(0.0)));
                facts.put(def, &this, computed(sum, top.iter()));
            }
            Ok(_) | Err(Missing::NotCollected) => {}
            Err(why) => facts.put_missing(def, &this, why),
        }
    }
    spread(facts, &this, &cpus);
}

/// How the packets spread over CPUs: between snapshots, else over the lifetime (marked so).
fn spread(facts: &mut Facts, this: &Entity, cpus: &[Entity]) {
    let changes: Option<Vec<_>> = cpus.iter().map(|one| facts.change(&SOFTNET, one, "processed").ok()).collect();
    let (amounts, grade, sources): (Vec<f64>, Grade, Vec<_>) = match changes {
        Some(changes) if !changes.is_empty() => {
            let mut order: Vec<_> = changes.iter().collect();
            order.sort_by(|a, b| b.delta.total_cmp(&a.delta));
            let sources = order.iter().take(4).flat_map(|change| change.sources()).collect();
            (changes.iter().map(|change| change.delta).collect(), Grade::Two, sources)
        }
        _ => {
            let last: Vec<_> = cpus.iter().filter_map(|one| facts.samples(&SOFTNET, one, "processed").last()).collect();
            let mut order = last.clone();
            order.sort_by(|a, b| b.value.total_cmp(&a.value));
            (
                last.iter().map(|sample| sample.value).collect(),
                Grade::SinceBoot,
                order.iter().take(4).map(|sample| sample.source).collect(),
            )
        }
    };
    if amounts.len() < 2 {
        return;
    }
    for (def, value) in [(&host::PACKETS_TOP1, top1(&amounts)), (&host::PACKETS_NEFF, neff(&amounts))] {
        if let Some(value) = value {
            facts.put(def, this, Reading::new(Value::Num(value), grade, sources.iter().copied()));
        }
    }
}
