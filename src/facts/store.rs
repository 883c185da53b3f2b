//! The store: facts by path and entity, raw samples by family, and notes on what could not be read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Entity, FactDef, Family, Grade, Kind, Missing, Reading, Source, SubjectId, Value};

/// Which snapshot of a bundle a file belongs to: `t0` is 0, `t1` is 1 ...; files outside snapshots have none.
pub type Snap = Option<u8>;

/// One raw number at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub value: f64,
    pub snap: Snap,
    /// Seconds on the subject's capture clock, where the file itself says (repeated captures with timestamps).
    pub at: Option<f64>,
    pub source: Source,
}

/// The difference between the first and the last sample of a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub delta: f64,
    /// Seconds between the samples; absent when no clock is in the bundle (shares still hold, rates do not).
    pub dt: Option<f64>,
    pub grade: Grade,
    pub first: Source,
    pub last: Source,
}

impl Change {
    /// Per second, where the time between the samples is known.
    pub fn rate(&self) -> Option<f64> {
        self.dt.filter(|dt| *dt > 0.0).map(|dt| self.delta / dt)
    }

    pub fn sources(&self) -> [Source; 2] {
        [self.first, self.last]
    }
}

type Metrics = BTreeMap<Arc<str>, Vec<Sample>>;

/// Everything a bundle says. Iteration order is fixed: by path, then by entity in natural order.
#[derive(Debug, Default)]
pub struct Facts {
    facts: BTreeMap<&'static str, BTreeMap<Entity, Vec<Reading>>>,
    unknown: BTreeMap<&'static str, BTreeMap<Entity, Missing>>,
    samples: BTreeMap<&'static str, BTreeMap<Entity, Metrics>>,
    entities: BTreeMap<(SubjectId, Kind), BTreeSet<Entity>>,
    /// Seconds of each snapshot on the subject's capture clock.
    clocks: BTreeMap<(SubjectId, u8), f64>,
}

impl Facts {
    pub fn new() -> Facts {
        Facts::default()
    }

    // ---- writing ----------------------------------------------------------------------------------

    /// Adds a reading. The best grade answers [`Facts::get`]; among equals the first one put.
    pub fn put(&mut self, def: &'static FactDef, entity: &Entity, reading: Reading) {
        if let Value::Num(value) = reading.value
            && !value.is_finite()
        {
            return;
        }
        debug_assert_eq!(def.kind, entity.kind, "{} is no fact of a {}", def.path, entity.kind);
        self.register(entity);
        let readings = self.facts.entry(def.path).or_default().entry(entity.clone()).or_default();
        let at = readings.iter().position(|have| have.grade < reading.grade).unwrap_or(readings.len());
        readings.insert(at, reading);
    }

    /// Says why a fact is unknown. A reading put before or later wins.
    pub fn put_missing(&mut self, def: &'static FactDef, entity: &Entity, why: Missing) {
        self.register(entity);
        self.unknown.entry(def.path).or_default().entry(entity.clone()).or_insert(why);
    }

    /// Adds one raw sample of `metric`.
    pub fn add_sample(&mut self, family: &'static Family, entity: &Entity, metric: &str, sample: Sample) {
        if !sample.value.is_finite() {
            return;
        }
        self.register(entity);
        let metrics = self.samples.entry(family.name).or_default().entry(entity.clone()).or_default();
        match metrics.get_mut(metric) {
            Some(list) => list.push(sample),
            None => {
                metrics.insert(metric.into(), vec![sample]);
            }
        }
    }

    /// Adds samples of several metrics of one entity.
    pub fn add_samples<S: IntoIterator<Item = Sample>>(
        &mut self,
        family: &'static Family,
        entity: &Entity,
        counters: impl IntoIterator<Item = (Arc<str>, S)>,
    ) {
        self.register(entity);
        let metrics = self.samples.entry(family.name).or_default().entry(entity.clone()).or_default();
        for (metric, samples) in counters {
            let list = metrics.entry(metric).or_default();
            list.extend(samples.into_iter().filter(|sample| sample.value.is_finite()));
        }
        metrics.retain(|_, list| !list.is_empty());
    }

    /// Makes an entity known even when nothing is said of it yet.
    pub fn register(&mut self, entity: &Entity) {
        let known = self.entities.entry((entity.subject, entity.kind)).or_default();
        if !known.contains(entity) {
            known.insert(entity.clone());
        }
    }

    /// Sets the capture time of a snapshot (seconds; any origin, the same for all snapshots of the subject).
    pub fn set_clock(&mut self, subject: SubjectId, snap: u8, seconds: f64) {
        self.clocks.entry((subject, snap)).or_insert(seconds);
    }

    /// Forgets the clocks of a subject, before better ones are set.
    pub fn clear_clocks(&mut self, subject: SubjectId) {
        self.clocks.retain(|(have, _), _| *have != subject);
    }

    // ---- reading ----------------------------------------------------------------------------------

    /// The best reading of a fact, or why there is none.
    pub fn get(&self, def: &FactDef, entity: &Entity) -> Result<&Reading, Missing> {
        self.readings(def, entity).first().ok_or_else(|| {
            self.unknown.get(def.path).and_then(|by| by.get(entity)).cloned().unwrap_or(Missing::NotCollected)
        })
    }

    /// All readings of a fact, best first: the first is the answer, the rest corroborate or contradict it.
    pub fn readings(&self, def: &FactDef, entity: &Entity) -> &[Reading] {
        self.facts.get(def.path).and_then(|by| by.get(entity)).map_or(&[], Vec::as_slice)
    }

    /// The number a fact stands for (series: mean).
    pub fn number(&self, def: &FactDef, entity: &Entity) -> Option<f64> {
        self.get(def, entity).ok().and_then(Reading::number)
    }

    pub fn text(&self, def: &FactDef, entity: &Entity) -> Option<&str> {
        match &self.get(def, entity).ok()?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Entities of a kind in a subject, natural order.
    pub fn entities(&self, subject: SubjectId, kind: Kind) -> impl Iterator<Item = &Entity> {
        self.entities.get(&(subject, kind)).into_iter().flatten()
    }

    /// Entities of a kind in all subjects.
    pub fn all_entities(&self, kind: Kind) -> impl Iterator<Item = &Entity> {
        self.entities.iter().filter(move |((_, k), _)| *k == kind).flat_map(|(_, set)| set)
    }

    /// Entities of `kind` that belong to `scope`: its children, or all of the subject when it owns none of that kind.
    pub fn scoped<'a>(&'a self, scope: &'a Entity, kind: Kind) -> impl Iterator<Item = &'a Entity> {
        let narrow = kind == scope.kind || kind.parent() == Some(scope.kind);
        self.entities(scope.subject, kind).filter(move |entity| !narrow || entity.within(scope))
    }

    pub fn subjects(&self) -> BTreeSet<SubjectId> {
        self.entities.keys().map(|(subject, _)| *subject).filter(|subject| *subject != SubjectId::WHOLE).collect()
    }

    /// Samples of one metric, in the order of snapshots and lines.
    pub fn samples(&self, family: &Family, entity: &Entity, metric: &str) -> &[Sample] {
        self.metrics(family, entity).and_then(|metrics| metrics.get(metric)).map_or(&[], Vec::as_slice)
    }

    /// All metrics of an entity in a family.
    pub fn metrics(&self, family: &Family, entity: &Entity) -> Option<&BTreeMap<Arc<str>, Vec<Sample>>> {
        self.samples.get(family.name).and_then(|by| by.get(entity))
    }

    /// Entities that a family has samples of, in one subject.
    pub fn sampled(&self, family: &Family, subject: SubjectId) -> Vec<Entity> {
        self.samples
            .get(family.name)
            .map_or_else(Vec::new, |by| by.keys().filter(|entity| entity.subject == subject).cloned().collect())
    }

    pub fn clock(&self, subject: SubjectId, snap: u8) -> Option<f64> {
        self.clocks.get(&(subject, snap)).copied()
    }

    /// Time of a sample: its own, or that of its snapshot.
    pub fn sample_time(&self, subject: SubjectId, sample: &Sample) -> Option<f64> {
        sample.at.or_else(|| sample.snap.and_then(|snap| self.clock(subject, snap)))
    }

    /// Change of a counter from its first to its last sample.
    ///
    /// A 32-bit counter that went back once is unwrapped; any other step back is [`Missing::CounterReset`].
    /// One sample alone is [`Missing::TooShort`].
    pub fn change(&self, family: &Family, entity: &Entity, metric: &str) -> Result<Change, Missing> {
        let samples = self.samples(family, entity, metric);
        let (Some(first), Some(last)) = (samples.first(), samples.last()) else {
            return Err(Missing::NotCollected);
        };
        let first_time = self.sample_time(entity.subject, first);
        let last_time = self.sample_time(entity.subject, last);
        let apart = match (first_time, last_time) {
            (Some(from), Some(to)) => to > from,
            _ => first.snap.is_some() && last.snap.is_some() && first.snap != last.snap,
        };
        if samples.len() < 2 || !apart {
            return Err(Missing::TooShort);
        }
        let mut delta = 0.0;
        for pair in samples.windows(2) {
            let [from, to] = pair else { continue };
            let mut step = to.value - from.value;
            if step < 0.0 && family.bits == 32 && from.value < WRAP_32 && step + WRAP_32 < WRAP_32 / 2.0 {
                step += WRAP_32;
            }
            if step < 0.0 {
                return Err(Missing::CounterReset);
            }
            delta += step;
        }
        let dt = first_time.zip(last_time).map(|(from, to)| to - from);
        let grade = if samples.len() > 2 { Grade::Series } else { Grade::Two };
        Ok(Change { delta, dt, grade, first: first.source, last: last.source })
    }

    /// Sum of the changes of several metrics that exist; error only when none exists.
    pub fn change_sum<'m>(
        &self,
        family: &Family,
        entity: &Entity,
        metrics: impl IntoIterator<Item = &'m str>,
    ) -> Result<Change, Missing> {
        let mut total: Result<Change, Missing> = Err(Missing::NotCollected);
        for metric in metrics {
            match (self.change(family, entity, metric), &mut total) {
                (Ok(change), Ok(sum)) => sum.delta += change.delta,
                (Ok(change), Err(_)) => total = Ok(change),
                (Err(Missing::NotCollected), _) => {}
                (Err(why), Err(old)) if *old == Missing::NotCollected => total = Err(why),
                (Err(why @ Missing::CounterReset), _) => return Err(why),
                (Err(_), _) => {}
            }
        }
        total
    }

    /// All facts, for `facts show` and for tests: path, entity, readings.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Entity, &[Reading])> {
        self.facts
            .iter()
            .flat_map(|(path, by)| by.iter().map(|(entity, readings)| (*path, entity, readings.as_slice())))
    }

    /// All raw samples: family name, entity, metric, samples.
    pub fn iter_samples(&self) -> impl Iterator<Item = (&'static str, &Entity, &str, &[Sample])> {
        self.samples.iter().flat_map(|(family, by)| {
            by.iter().flat_map(move |(entity, metrics)| {
                metrics.iter().map(move |(metric, list)| (*family, entity, &**metric, list.as_slice()))
            })
        })
    }

    /// Puts all samples in time order. Called once, when all parsers are done.
    pub fn settle(&mut self) {
        let clocks = &self.clocks;
        for by in self.samples.values_mut() {
            for (entity, metrics) in by.iter_mut() {
                for list in metrics.values_mut() {
                    let time =
                        |s: &Sample| s.at.or_else(|| s.snap.and_then(|n| clocks.get(&(entity.subject, n)).copied()));
                    list.sort_by(|a, b| {
                        (a.snap, a.source)
                            .cmp(&(b.snap, b.source))
                            .then_with(|| time(a).partial_cmp(&time(b)).unwrap_or(std::cmp::Ordering::Equal))
                    });
                    comparable(list);
                }
            }
        }
    }
}

/// Keeps the samples of one counter that can be compared with each other: those with times of their own, else one a
/// snapshot. What was read outside the snapshots (`ip -s link` beside `t0/proc/net/dev`) has no place in their order.
fn comparable(list: &mut Vec<Sample>) {
    if list.iter().filter(|sample| sample.at.is_some()).count() >= 2 {
        list.retain(|sample| sample.at.is_some());
    } else if list.iter().any(|sample| sample.snap.is_some()) {
        list.retain(|sample| sample.snap.is_some());
        list.dedup_by_key(|sample| sample.snap);
    }
}

/// Modulus of a 32-bit counter.
const WRAP_32: f64 = 4_294_967_296.0;

#[cfg(test)]
mod tests {
    use super::super::schema::keys::family::{SOFTNET, VMSTAT};
    use super::*;

    fn sample(value: f64, snap: u8) -> Sample {
        Sample { value, snap: Some(snap), at: None, source: Source { artifact: u32::from(snap), line: 1 } }
    }

    #[test]
    fn changes_need_two_snapshots_and_refuse_resets() {
        let mut facts = Facts::new();
        let host = Entity::host(SubjectId(0));
        let cpu = Entity::new(SubjectId(0), Kind::Cpu, "0");
        facts.set_clock(SubjectId(0), 0, 100.0);
        facts.set_clock(SubjectId(0), 1, 110.0);
        for (metric, values) in [("up", vec![5.0, 25.0]), ("reset", vec![25.0, 5.0]), ("once", vec![7.0])] {
            for (snap, value) in (0u8..).zip(values) {
                facts.add_sample(&VMSTAT, &host, metric, sample(value, snap));
            }
        }
        // A third file of the same counter, outside the snapshots, and a second one inside the first.
        for (value, snap) in [(10.0, Some(0)), (90.0, None), (11.0, Some(0)), (30.0, Some(1))] {
            facts.add_sample(&VMSTAT, &host, "mixed", Sample { snap, ..sample(value, 0) });
        }
        facts.settle();
        assert_eq!(facts.change(&VMSTAT, &host, "mixed").unwrap().delta, 20.0);
        facts.add_sample(&SOFTNET, &cpu, "processed", sample(4_294_967_290.0, 0));
        facts.add_sample(&SOFTNET, &cpu, "processed", sample(10.0, 1));
        assert_eq!(facts.change(&VMSTAT, &host, "up").unwrap().rate(), Some(2.0));
        assert_eq!(facts.change(&VMSTAT, &host, "reset"), Err(Missing::CounterReset));
        assert_eq!(facts.change(&VMSTAT, &host, "once"), Err(Missing::TooShort));
        assert_eq!(facts.change(&VMSTAT, &host, "absent"), Err(Missing::NotCollected));
        assert_eq!(facts.change(&SOFTNET, &cpu, "processed").unwrap().delta, 16.0);
    }
}
