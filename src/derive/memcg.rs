//! Memory limits of control groups: who runs into its own limit, who is killed for it, and which of them counts most.

use crate::derive::rate::{computed, rate};
use crate::facts::schema::keys::family::CGROUP;
use crate::facts::schema::keys::{cgroup, memory};
use crate::facts::{Change, Entity, Facts, Grade, Kind, Missing, Reading, SubjectId, Value};

pub fn derive(facts: &mut Facts, subject: SubjectId) {
    let groups: Vec<Entity> = facts.entities(subject, Kind::Cgroup).cloned().collect();
    for group in &groups {
        used(facts, group);
        events(facts, group);
    }
    for group in &groups {
        kills(facts, group, &groups);
    }
    let this = Entity::host(subject);
    pressed(facts, &this, &groups);
    killed(facts, &this, &groups);
}

fn used(facts: &mut Facts, group: &Entity) {
    let (Ok(used), Ok(limit)) = (facts.get(&cgroup::MEM_USED, group), facts.get(&cgroup::MEM_LIMIT, group)) else {
        return;
    };
    if let (Some(a), Some(b)) = (used.number(), limit.number())
        && b > 0.0
    {
        let reading = computed(a / b, [used, limit]);
        facts.put(&cgroup::MEM_SHARE, group, reading);
    }
}

/// `memory.events.local` counts the group alone; `memory.events` counts the groups below it too.
fn events(facts: &mut Facts, group: &Entity) {
    let tries = [
        ["memory.events.local.high", "memory.events.local.max"],
        ["memory.events.high", "memory.events.max"],
        ["memory.failcnt", ""],
    ];
    for metrics in tries {
        match rate(facts, &CGROUP, group, &metrics, 1.0) {
            Ok(reading) if reading.grade.solid() => return facts.put(&cgroup::MEM_EVENTS, group, reading),
            Err(why @ Missing::CounterReset) => return facts.put_missing(&cgroup::MEM_EVENTS, group, why),
            Ok(_) | Err(_) => {}
        }
    }
}

const KILLS: [&str; 3] = ["memory.events.local.oom_kill", "memory.events.oom_kill", "memory.oom_control.oom_kill"];

fn kill_change(facts: &Facts, group: &Entity) -> Option<(Change, bool)> {
    KILLS.iter().find_map(|metric| {
        let change = facts.change(&CGROUP, group, metric).ok()?;
        Some((change, *metric == "memory.events.oom_kill"))
    })
}

/// Kills of the group itself. Where only the hierarchical count is there, those of the groups below are taken off.
fn kills(facts: &mut Facts, group: &Entity, groups: &[Entity]) {
    if let Some((change, hierarchical)) = kill_change(facts, group) {
        let mut own = change.delta;
        if hierarchical {
            for child in groups.iter().filter(|child| nearest(group, child, groups)) {
                if let Some((below, true)) = kill_change(facts, child) {
                    own -= below.delta;
                }
            }
        }
        let reading = Reading::new(Value::Num(own.max(0.0)), change.grade, change.sources());
        facts.put(&cgroup::OOM_KILLS, group, reading);
    }
    if let Some(last) = KILLS.iter().find_map(|metric| facts.samples(&CGROUP, group, metric).last().copied()) {
        let reading = Reading::new(Value::Num(last.value), Grade::SinceBoot, [last.source]);
        facts.put(&cgroup::OOM_KILLS_TOTAL, group, reading);
    }
}

fn below(child: &Entity, group: &Entity) -> bool {
    if &*group.name == "/" {
        return &*child.name != "/";
    }
    child.name.strip_prefix(&*group.name).is_some_and(|rest| rest.starts_with('/'))
}

/// True when `child` is below `group` with no other group of the bundle between them.
fn nearest(group: &Entity, child: &Entity, groups: &[Entity]) -> bool {
    below(child, group) && !groups.iter().any(|between| below(between, group) && below(child, between))
}

/// The group that ran into its limit and waited most for it.
fn pressed(facts: &mut Facts, this: &Entity, groups: &[Entity]) {
    let worst = groups
        .iter()
        .filter_map(|group| {
            let events = facts.get(&cgroup::MEM_EVENTS, group).ok().filter(|r| r.number() > Some(0.0))?;
            let psi = facts.get(&cgroup::PSI_MEM, group).ok();
            let waited = psi.and_then(Reading::number).unwrap_or(0.0);
            Some((waited, events.number()?, group.clone(), events.clone(), psi.cloned()))
        })
        .max_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(std::cmp::Ordering::Equal));
    let Some((_, _, group, events, psi)) = worst else { return };
    let name = Reading::new(Value::Text(group.name.clone()), Grade::State, events.sources.iter().copied());
    facts.put(&memory::MEMCG_PRESSED, this, name);
    facts.put(&memory::MEMCG_PRESSED_EVENTS, this, events);
    if let Some(psi) = psi
        && let Some(mean) = psi.number()
    {
        facts.put(&memory::MEMCG_PRESSED_PSI, this, computed(mean, [&psi]));
    }
}

fn killed(facts: &mut Facts, this: &Entity, groups: &[Entity]) {
    let counts: Vec<(Entity, Reading)> = groups
        .iter()
        .filter_map(|group| Some((group.clone(), facts.get(&cgroup::OOM_KILLS, group).ok()?.clone())))
        .collect();
    let total: f64 = counts.iter().filter_map(|(_, reading)| reading.number()).sum();
    let most =
        counts.iter().max_by(|a, b| a.1.number().partial_cmp(&b.1.number()).unwrap_or(std::cmp::Ordering::Equal));
    let Some((group, most)) = most else { return };
    let inputs = std::iter::once(most).chain(counts.iter().map(|(_, reading)| reading));
    facts.put(&memory::MEMCG_OOM_KILLS, this, computed(total, inputs));
    if total <= 0.0 {
        return;
    }
    let name = Reading::new(Value::Text(group.name.clone()), Grade::State, most.sources.iter().copied());
    facts.put(&memory::MEMCG_OOM_GROUP, this, name);
    if let Ok(limit) = facts.get(&cgroup::MEM_LIMIT, group).cloned() {
        facts.put(&memory::MEMCG_OOM_LIMIT, this, limit);
    }
    if let Some(peak) = facts.samples(&CGROUP, group, "memory.peak").last().copied() {
        let reading = Reading::new(Value::Num(peak.value), Grade::State, [peak.source]);
        facts.put(&memory::MEMCG_OOM_PEAK, this, reading);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Source;
    use crate::facts::store::Sample;

    #[test]
    fn kills_are_counted_where_they_happened() {
        let mut facts = Facts::new();
        let id = SubjectId(0);
        facts.set_clock(id, 0, 0.0);
        facts.set_clock(id, 1, 10.0);
        let mut put = |group: &str, metric: &str, from: f64, to: f64| {
            let group = Entity::new(id, Kind::Cgroup, group);
            for (snap, value) in [(0, from), (1, to)] {
                let source = Source { artifact: 0, line: u32::from(snap) };
                facts.add_sample(&CGROUP, &group, metric, Sample { value, snap: Some(snap), at: None, source });
            }
        };
        // Hierarchical counts: the pod's three kills are also the slice's; one more happened in the slice itself.
        put("kubepods", "memory.events.oom_kill", 5.0, 9.0);
        put("kubepods/pod1", "memory.events.oom_kill", 0.0, 3.0);
        put("kubepods/pod1", "memory.events.high", 0.0, 40.0);
        put("kubepods/pod1", "memory.events.max", 0.0, 60.0);
        put("other", "memory.events.oom_kill", 7.0, 7.0);
        derive(&mut facts, id);
        let group = |name: &str| Entity::new(id, Kind::Cgroup, name);
        assert_eq!(facts.number(&cgroup::OOM_KILLS, &group("kubepods")), Some(1.0));
        assert_eq!(facts.number(&cgroup::OOM_KILLS, &group("kubepods/pod1")), Some(3.0));
        assert_eq!(facts.number(&cgroup::OOM_KILLS, &group("other")), Some(0.0));
        assert_eq!(facts.number(&cgroup::MEM_EVENTS, &group("kubepods/pod1")), Some(10.0));
        let this = Entity::host(id);
        assert_eq!(facts.number(&memory::MEMCG_OOM_KILLS, &this), Some(4.0));
        assert_eq!(facts.text(&memory::MEMCG_OOM_GROUP, &this), Some("kubepods/pod1"));
        assert_eq!(facts.text(&memory::MEMCG_PRESSED, &this), Some("kubepods/pod1"));
    }
}
