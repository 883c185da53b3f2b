//! CFS bandwidth of cgroups: periods, throttling, use of the quota.

use crate::derive::rate::{computed, rate};
use crate::facts::schema::keys::cgroup;
use crate::facts::schema::keys::family::CGROUP;
use crate::facts::{Entity, Facts, Grade, Kind, Missing, Reading, SubjectId, Value};

/// `cpu.stat` times are microseconds in the store (v1 nanoseconds are converted by the parser).
const MICROSECOND: f64 = 1e-6;

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let groups: Vec<Entity> = facts.entities(subject, Kind::Cgroup).cloned().collect();
    for group in &groups {
        quota(facts, group);
        throttling(facts, group);
        used(facts, group);
    }
}

/// v1 keeps quota and period in two files; v2's `cpu.max` gives both at once.
fn quota(facts: &mut Facts, group: &Entity) {
    let last = |metric: &str| facts.samples(&CGROUP, group, metric).last().copied();
    let (Some(quota), Some(period)) = (last("cpu.cfs_quota_us"), last("cpu.cfs_period_us")) else { return };
    if quota.value > 0.0 && period.value > 0.0 {
        let value = Value::Num(quota.value / period.value);
        facts.put(&cgroup::QUOTA_CPUS, group, Reading::new(value, Grade::State, [quota.source, period.source]));
    }
}

fn throttling(facts: &mut Facts, group: &Entity) {
    let periods = facts.change(&CGROUP, group, "cpu.stat.nr_periods");
    let throttled = facts.change(&CGROUP, group, "cpu.stat.nr_throttled");
    match (periods, throttled) {
        (Ok(periods), Ok(throttled)) => {
            let sources = || throttled.sources().into_iter().chain(periods.sources());
            let put = |facts: &mut Facts, def, value| {
                facts.put(def, group, Reading::new(Value::Num(value), periods.grade, sources()));
            };
            put(facts, &cgroup::PERIODS, periods.delta);
            put(facts, &cgroup::THROTTLED_PERIODS, throttled.delta);
            if periods.delta > 0.0 {
                put(facts, &cgroup::THROTTLED_RATIO, (throttled.delta / periods.delta).min(1.0));
            } else {
                let why = "no CFS period passed: it was idle or has no quota";
                facts.put_missing(&cgroup::THROTTLED_RATIO, group, Missing::NotApplicable(why.into()));
            }
        }
        (Err(Missing::TooShort), _) | (_, Err(Missing::TooShort)) => {
            let last = |metric: &str| facts.samples(&CGROUP, group, metric).last().copied();
            if let (Some(periods), Some(throttled)) = (last("cpu.stat.nr_periods"), last("cpu.stat.nr_throttled")) {
                let sources = [throttled.source, periods.source];
                let put = |facts: &mut Facts, def, value| {
                    facts.put(def, group, Reading::new(Value::Num(value), Grade::SinceBoot, sources));
                };
                put(facts, &cgroup::PERIODS, periods.value);
                put(facts, &cgroup::THROTTLED_PERIODS, throttled.value);
                if periods.value > 0.0 {
                    put(facts, &cgroup::THROTTLED_RATIO, (throttled.value / periods.value).min(1.0));
                }
            }
        }
        (Err(Missing::NotCollected), _) | (_, Err(Missing::NotCollected)) => {}
        (Err(why), _) | (_, Err(why)) => {
            for def in [&cgroup::PERIODS, &cgroup::THROTTLED_PERIODS, &cgroup::THROTTLED_RATIO] {
                facts.put_missing(def, group, why.clone());
            }
        }
    }
    if let Ok(reading) = rate(facts, &CGROUP, group, &["cpu.stat.throttled_usec"], MICROSECOND)
        && reading.grade.solid()
    {
        facts.put(&cgroup::THROTTLED_TIME, group, reading);
    }
}

fn used(facts: &mut Facts, group: &Entity) {
    let usage = rate(facts, &CGROUP, group, &["cpu.stat.usage_usec"], MICROSECOND)
        .or_else(|_| rate(facts, &CGROUP, group, &["cpuacct.usage_usec"], MICROSECOND));
    let Ok(usage) = usage else { return };
    if !usage.grade.solid() {
        return;
    }
    facts.put(&cgroup::CPU_USED, group, usage.clone());
    if let Ok(quota) = facts.get(&cgroup::QUOTA_CPUS, group).cloned()
        && let (Some(used), Some(allowed)) = (usage.number(), quota.number())
        && allowed > 0.0
    {
        facts.put(&cgroup::UTILISATION, group, computed(used / allowed, [&usage, &quota]));
    }
}
