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
        depth(facts, group);
        used(facts, group);
    }
    // Quotas of all groups are known now.
    for group in &groups {
        quota_above(facts, group);
    }
}

/// Names of the groups above: `a/b` and `a` for `a/b/c`. The root is left out: it has no quota of its own, and what
/// looks like it inside a container is that container's group.
fn above(name: &str) -> impl Iterator<Item = &str> {
    name.rmatch_indices('/').filter_map(|(at, _)| name.get(..at)).filter(|parent| !parent.is_empty())
}

/// One quota above is enough; that there is none is known only when every group above is.
fn quota_above(facts: &mut Facts, group: &Entity) {
    let names: Vec<String> = above(&group.name).map(str::to_owned).chain(["/".to_owned()]).collect();
    let mut free = Vec::new();
    let mut unknown = names.len() == 1;
    for name in names.iter().filter(|name| **name != *group.name) {
        let parent = Entity::new(group.subject, Kind::Cgroup, name.as_str());
        match facts.get(&cgroup::HAS_QUOTA, &parent).cloned() {
            Ok(reading) if reading.value == Value::Flag(true) => {
                facts.put(&cgroup::QUOTA_ABOVE, group, reading);
                return;
            }
            Ok(reading) => free.extend(reading.sources.iter().copied()),
            Err(_) => unknown |= name != "/",
        }
    }
    if !unknown {
        facts.put(&cgroup::QUOTA_ABOVE, group, Reading::new(Value::Flag(false), Grade::State, free));
    }
}

/// Throttled time per throttled period, of the window or - with one snapshot - of the group's life.
fn depth(facts: &mut Facts, group: &Entity) {
    const METRICS: [&str; 2] = ["cpu.stat.throttled_usec", "cpu.stat.nr_throttled"];
    let [time, count] = METRICS.map(|metric| facts.change(&CGROUP, group, metric));
    let (time, count, grade, sources) = match (time, count) {
        (Ok(time), Ok(count)) => {
            let sources: Vec<_> = time.sources().into_iter().chain(count.sources()).collect();
            (time.delta, count.delta, time.grade.min(count.grade), sources)
        }
        (Err(Missing::TooShort), Err(Missing::TooShort)) => {
            let [time, count] = METRICS.map(|metric| facts.samples(&CGROUP, group, metric).last().copied());
            let (Some(time), Some(count)) = (time, count) else { return };
            (time.value, count.value, Grade::SinceBoot, vec![time.source, count.source])
        }
        _ => return,
    };
    if count > 0.0 {
        let value = Value::Num(time * MICROSECOND / count);
        facts.put(&cgroup::THROTTLE_DEPTH, group, Reading::new(value, grade, sources));
    } else {
        let why = "no period was throttled";
        facts.put_missing(&cgroup::THROTTLE_DEPTH, group, Missing::NotApplicable(why.into()));
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
                // A total of 0 holds for every window of the past: it is a state, not a mean.
                let put = |facts: &mut Facts, def, value| {
                    let grade = if value == 0.0 { Grade::State } else { Grade::SinceBoot };
                    facts.put(def, group, Reading::new(Value::Num(value), grade, sources));
                };
                put(facts, &cgroup::PERIODS, periods.value);
                put(facts, &cgroup::THROTTLED_PERIODS, throttled.value);
                if periods.value > 0.0 {
                    put(facts, &cgroup::THROTTLED_RATIO, (throttled.value / periods.value).min(1.0));
                } else {
                    let why = "no CFS period ever passed: it has had no quota, or has not run";
                    facts.put_missing(&cgroup::THROTTLED_RATIO, group, Missing::NotApplicable(why.into()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Sample, Source};

    fn group(name: &str) -> Entity {
        Entity::new(SubjectId(0), Kind::Cgroup, name)
    }

    fn source() -> Source {
        Source { artifact: 0, line: 1 }
    }

    /// `cpu.stat` of one group in one or two snapshots.
    fn stat(values: [&[f64]; 3]) -> Facts {
        let mut facts = Facts::new();
        facts.register(&group("a"));
        for (metric, values) in ["nr_periods", "nr_throttled", "throttled_usec"].iter().zip(values) {
            for (snap, value) in values.iter().enumerate() {
                let sample = Sample { snap: Some(snap as u8), at: None, value: *value, source: source() };
                facts.add_sample(&CGROUP, &group("a"), &format!("cpu.stat.{metric}"), sample);
            }
        }
        facts.settle();
        derive(&mut facts, SubjectId(0));
        facts
    }

    /// 120 ms in 40 throttled periods: 3 ms each; 40 of 200 periods: a fifth.
    #[test]
    fn depth_is_time_per_throttled_period() {
        let facts = stat([&[1000.0, 1200.0], &[10.0, 50.0], &[5_000.0, 125_000.0]]);
        let depth = facts.number(&cgroup::THROTTLE_DEPTH, &group("a")).unwrap();
        assert!((depth - 0.003).abs() < 1e-12, "{depth}");
        assert_eq!(facts.number(&cgroup::THROTTLED_RATIO, &group("a")), Some(0.2));
    }

    #[test]
    fn no_throttled_period_has_no_depth() {
        let facts = stat([&[1000.0, 1200.0], &[10.0, 10.0], &[5_000.0, 5_000.0]]);
        assert!(matches!(facts.get(&cgroup::THROTTLE_DEPTH, &group("a")), Err(Missing::NotApplicable(_))));
    }

    #[test]
    fn a_total_of_zero_is_a_state_and_any_other_a_mean() {
        let grade = |facts: &Facts, def| facts.get(def, &group("a")).map(|reading| reading.grade).unwrap();
        let zero = stat([&[0.0], &[0.0], &[0.0]]);
        assert_eq!(grade(&zero, &cgroup::PERIODS), Grade::State);
        assert_eq!(grade(&zero, &cgroup::THROTTLED_PERIODS), Grade::State);
        assert!(matches!(zero.get(&cgroup::THROTTLED_RATIO, &group("a")), Err(Missing::NotApplicable(_))));
        let some = stat([&[3076.0], &[34.0], &[12_070.0]]);
        assert_eq!(grade(&some, &cgroup::PERIODS), Grade::SinceBoot);
        assert_eq!(grade(&some, &cgroup::THROTTLED_RATIO), Grade::SinceBoot);
        assert!((some.number(&cgroup::THROTTLE_DEPTH, &group("a")).unwrap() - 0.000_355).abs() < 1e-9);
    }

    #[test]
    fn a_quota_above_is_found_and_its_absence_only_when_all_are_known() {
        let above = |quotas: &[(&str, bool)]| {
            let mut facts = Facts::new();
            facts.register(&group("a/b/c"));
            for (name, has) in quotas {
                let reading = Reading::new(Value::Flag(*has), Grade::State, [source()]);
                facts.put(&cgroup::HAS_QUOTA, &group(name), reading);
            }
            derive(&mut facts, SubjectId(0));
            facts.get(&cgroup::QUOTA_ABOVE, &group("a/b/c")).ok().map(|reading| reading.value.clone())
        };
        assert_eq!(above(&[("a", true)]), Some(Value::Flag(true)));
        assert_eq!(above(&[("a", false), ("a/b", false)]), Some(Value::Flag(false)));
        assert_eq!(above(&[("a/b", false)]), None);
        assert_eq!(above(&[("a/b/c", true)]), None);
    }
}
