//! CPU time per CPU and of the host, from `/proc/stat` ticks; and which CPU drowns in softirq.

use crate::derive::rate::{computed, series_sources};
use crate::derive::skew::median;
use crate::facts::schema::keys::family::{HOST_STAT, PROC_STAT};
use crate::facts::schema::keys::{cpu, host};
use crate::facts::{CpuSet, Entity, FactDef, Facts, Family, Grade, Kind, Missing, Reading, Series, SubjectId, Value};
use std::sync::Arc;

/// Columns of `/proc/stat` that make up all time. Guest time is already inside user and nice.
const ALL: &[&str] = &["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"];
/// Facts of one CPU and the ticks they are the share of.
const CPU_SHARES: &[(&FactDef, &[&str])] = &[
    (&cpu::USER, &["user", "nice"]),
    (&cpu::SYSTEM, &["system"]),
    (&cpu::IOWAIT, &["iowait"]),
    (&cpu::IRQ, &["irq"]),
    (&cpu::SOFT, &["softirq"]),
    (&cpu::STEAL, &["steal"]),
    (&cpu::IDLE, &["idle"]),
    (&cpu::BUSY, &["user", "nice", "system", "irq", "softirq", "steal"]),
];
const HOST_SHARES: &[(&FactDef, &[&str])] = &[
    (&host::USER, &["user", "nice"]),
    (&host::SYSTEM, &["system"]),
    (&host::IOWAIT, &["iowait"]),
    (&host::SOFT, &["softirq"]),
    (&host::STEAL, &["steal"]),
    (&host::IDLE, &["idle"]),
    (&host::BUSY, &["user", "nice", "system", "irq", "softirq", "steal"]),
];

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let this = Entity::host(subject);
    let cpus = facts.sampled(&PROC_STAT, subject);
    for one in &cpus {
        shares(facts, &PROC_STAT, one, CPU_SHARES);
    }
    shares(facts, &HOST_STAT, &this, HOST_SHARES);
    online(facts, &this, &cpus);
    host_from_cpus(facts, &this);
    hottest(facts, &this);
}

/// Shares of all ticks between the snapshots (or since boot). A CPU whose ticks did not move is unknown: it was offline.
fn shares(facts: &mut Facts, family: &'static Family, entity: &Entity, wanted: &[(&'static FactDef, &[&str])]) {
    let total = match facts.change_sum(family, entity, ALL.iter().copied()) {
        Ok(total) if total.delta > 0.0 => Ok(total),
        Ok(_) => Err(Missing::NotApplicable("no ticks passed: the CPU was offline".into())),
        Err(why) => Err(why),
    };
    for (def, parts) in wanted {
        match &total {
            Ok(total) => {
                if let Some(series) = share_series(facts, family, entity, parts) {
                    let sources = series_sources(&series);
                    facts.put(def, entity, Reading::new(Value::Series(Arc::new(series)), Grade::Series, sources));
                } else if let Ok(part) = facts.change_sum(family, entity, parts.iter().copied()) {
                    let value = (part.delta / total.delta).clamp(0.0, 1.0);
                    facts.put(def, entity, Reading::new(Value::Num(value), Grade::Two, part.sources()));
                }
            }
            Err(Missing::TooShort) => {
                let all: f64 =
                    ALL.iter().filter_map(|m| facts.samples(family, entity, m).last()).map(|s| s.value).sum();
                let lasts: Vec<_> =
                    parts.iter().filter_map(|m| facts.samples(family, entity, m).last()).copied().collect();
                if all > 0.0 && !lasts.is_empty() {
                    let value = lasts.iter().map(|s| s.value).sum::<f64>() / all;
                    let sources = lasts.iter().map(|s| s.source);
                    facts.put(def, entity, Reading::new(Value::Num(value), Grade::SinceBoot, sources));
                }
            }
            Err(Missing::NotCollected) => {}
            Err(why) => facts.put_missing(def, entity, why.clone()),
        }
    }
}

/// Shares between neighbouring samples of one file with several captures.
fn share_series(facts: &Facts, family: &'static Family, entity: &Entity, parts: &[&str]) -> Option<Series> {
    let base = facts.samples(family, entity, "idle");
    if base.len() < 3 || base.iter().any(|sample| sample.at.is_none()) {
        return None;
    }
    let column = |metric: &str| facts.samples(family, entity, metric);
    let sum = |metrics: &[&str], at: usize| -> f64 {
        metrics.iter().filter_map(|m| column(m).get(at)).map(|sample| sample.value).sum()
    };
    let mut series = Series { artifact: base.first()?.source.artifact, ..Series::default() };
    let zero = base.first()?.at?;
    for at in 1..base.len() {
        let all = sum(ALL, at) - sum(ALL, at - 1);
        let part = sum(parts, at) - sum(parts, at - 1);
        let sample = base.get(at)?;
        series.at.push(sample.at? - zero);
        series.values.push(if all > 0.0 && part >= 0.0 { (part / all).clamp(0.0, 1.0) } else { f64::NAN });
        series.lines.push(sample.source.line);
    }
    Some(series)
}

/// Present CPUs that are not online. The kernel's `offline` list alone also names CPUs that do not exist.
fn offline(facts: &mut Facts, this: &Entity) {
    let set = |def| {
        facts.get(def, this).ok().and_then(|reading| match &reading.value {
            Value::Cpus(set) => Some((set.clone(), reading.sources.to_vec())),
            _ => None,
        })
    };
    let Some((present, mut sources)) = set(&host::PRESENT_CPUS) else { return };
    let (out, more) = match (set(&host::ONLINE_CPUS), set(&host::NOT_ONLINE_CPUS)) {
        (Some((online, more)), _) => (CpuSet::from_ids(present.iter().filter(|id| !online.contains(*id))), more),
        (None, Some((not, more))) => (CpuSet::from_ids(present.iter().filter(|id| not.contains(*id))), more),
        (None, None) => return,
    };
    sources.extend(more);
    facts.put(&host::OFFLINE_CPUS, this, Reading::new(Value::Cpus(out), Grade::State, sources));
}

fn online(facts: &mut Facts, this: &Entity, cpus: &[Entity]) {
    offline(facts, this);
    if cpus.is_empty() {
        return;
    }
    let sources: Vec<_> =
        cpus.iter().filter_map(|one| facts.samples(&PROC_STAT, one, "idle").first()).map(|s| s.source).collect();
    facts.put(&host::CPUS_ONLINE, this, Reading::new(Value::Num(cpus.len() as f64), Grade::State, sources));
}

/// Host shares as the mean over CPUs, where only per-CPU rows exist.
fn host_from_cpus(facts: &mut Facts, this: &Entity) {
    let pairs: &[(&'static FactDef, &'static FactDef)] = &[
        (&host::USER, &cpu::USER),
        (&host::SYSTEM, &cpu::SYSTEM),
        (&host::IOWAIT, &cpu::IOWAIT),
        (&host::SOFT, &cpu::SOFT),
        (&host::STEAL, &cpu::STEAL),
        (&host::IDLE, &cpu::IDLE),
        (&host::BUSY, &cpu::BUSY),
    ];
    for (whole, part) in pairs {
        let have = facts.get(whole, this).is_ok_and(|reading| reading.grade.solid());
        if have {
            continue;
        }
        let parts: Vec<Reading> = per_cpu(facts, this.subject, part).into_iter().map(|(_, reading)| reading).collect();
        let values: Vec<f64> = parts.iter().filter_map(Reading::number).collect();
        // One CPU's row is no host: a paste of the hottest rows would make a busy host of it.
        let complete = facts.number(&host::CPUS_ONLINE, this).is_none_or(|n| values.len() as f64 >= n);
        if values.len() >= 2 && complete {
            facts.put(whole, this, computed(values.iter().sum::<f64>() / values.len() as f64, parts.iter()));
        }
    }
}

fn per_cpu(facts: &Facts, subject: SubjectId, def: &FactDef) -> Vec<(Entity, Reading)> {
    facts
        .entities(subject, Kind::Cpu)
        .filter_map(|one| Some((one.clone(), facts.get(def, one).ok()?.clone())))
        .filter(|(_, reading)| reading.number().is_some())
        .collect()
}

/// The softirq-hottest CPU against the others.
fn hottest(facts: &mut Facts, this: &Entity) {
    let soft = per_cpu(facts, this.subject, &cpu::SOFT);
    // Compare like with like: a since-boot row must not win over measured ones.
    let Some(best) = soft.iter().map(|(_, reading)| reading.grade).max() else { return };
    let soft: Vec<_> = soft.into_iter().filter(|(_, reading)| reading.grade == best).collect();
    if soft.len() < 2 {
        return;
    }
    let value = |reading: &Reading| reading.number().unwrap_or(f64::NAN);
    let Some(top) = (0..soft.len()).max_by(|a, b| value(&soft[*a].1).total_cmp(&value(&soft[*b].1))) else { return };
    let (hot, reading) = &soft[top];
    if let Ok(number) = hot.name.parse::<f64>() {
        facts.put(&host::SOFT_HOT_CPU, this, computed(number, [reading]));
    }
    facts.put(&host::SOFT_HOT, this, reading.clone());
    let others: Vec<&Reading> = soft.iter().filter(|(one, _)| one != hot).map(|(_, reading)| reading).collect();
    let values: Vec<f64> = others.iter().filter_map(|reading| reading.number()).collect();
    if let Some(middle) = median(&values) {
        facts.put(&host::SOFT_MEDIAN_OTHERS, this, computed(middle, others));
    }
    let idle: Vec<(Entity, Reading)> =
        per_cpu(facts, this.subject, &cpu::IDLE).into_iter().filter(|(one, _)| one != hot).collect();
    let values: Vec<f64> = idle.iter().filter_map(|(_, reading)| reading.number()).collect();
    if let Some(middle) = median(&values) {
        facts.put(&host::IDLE_MEDIAN_OTHERS, this, computed(middle, idle.iter().map(|(_, reading)| reading)));
    }
}
