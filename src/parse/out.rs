//! What a parser writes: facts, samples, series, notes. Subjects are filled in later, when all paths are known.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::facts::store::{Sample, Snap};
use crate::facts::value::Series;
use crate::facts::{CpuSet, Entity, FactDef, Facts, Family, Grade, Kind, Missing, Reading, Source, SubjectId, Value};

/// Points of all series of one artifact beyond this number are thinned away at the end.
const MAX_POINTS: usize = 4_000_000;
/// Facts and samples of one artifact; more are refused with a note.
const MAX_ITEMS: usize = 3_000_000;
/// Notes of one artifact.
const MAX_NOTES: usize = 20;
/// Times of snapshots that one file may list.
const MAX_CLOCKS: usize = 10_000;
/// Longest name of an entity or metric.
const MAX_NAME: usize = 256;

/// The output of one parser on one artifact.
pub struct Out {
    artifact: u32,
    snap: Snap,
    items: Vec<Item>,
    series: BTreeMap<(&'static str, Kind, Arc<str>), (&'static FactDef, Grade, Series)>,
    points: usize,
    pub(super) notes: Vec<(u32, String)>,
    more_notes: usize,
    clock: Option<f64>,
    /// Times of snapshots of other files: pod (empty: the same subject), snapshot, seconds.
    clocks: Vec<(String, u8, f64)>,
    names: BTreeMap<String, Arc<str>>,
}

enum Item {
    Fact(&'static FactDef, Arc<str>, Reading),
    Missing(&'static FactDef, Arc<str>, Missing),
    Sample(&'static Family, Arc<str>, Arc<str>, Sample),
    Entity(Kind, Arc<str>),
}

impl Out {
    pub fn new(artifact: u32, snap: Snap) -> Out {
        Out {
            artifact,
            snap,
            items: Vec::new(),
            series: BTreeMap::new(),
            points: 0,
            notes: Vec::new(),
            more_notes: 0,
            clock: None,
            clocks: Vec::new(),
            names: BTreeMap::new(),
        }
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(have) = self.names.get(text) {
            return have.clone();
        }
        let clean: String = text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        if let Some(have) = self.names.get(&clean) {
            return have.clone();
        }
        let name: Arc<str> = clean.as_str().into();
        self.names.insert(clean, name.clone());
        name
    }

    fn source(&self, line: u32) -> Source {
        Source { artifact: self.artifact, line }
    }

    fn push(&mut self, item: Item) {
        if self.items.len() < MAX_ITEMS {
            self.items.push(item);
        } else if self.items.len() == MAX_ITEMS {
            self.note(0, "more values than one file may hold; the rest was left out");
            self.items.push(item);
        }
    }

    /// A fact with an explicit grade. `name` is the entity's name, empty for the host.
    pub fn graded(&mut self, def: &'static FactDef, name: &str, value: Value, grade: Grade, line: u32) {
        let reading = Reading::new(value, grade, [self.source(line)]);
        let name = self.name(name);
        self.push(Item::Fact(def, name, reading));
    }

    /// A fact that several lines prove (a count of log lines); the first ones are its sources.
    pub fn graded_from(&mut self, def: &'static FactDef, name: &str, value: Value, grade: Grade, lines: &[u32]) {
        let reading = Reading::new(value, grade, lines.iter().map(|line| self.source(*line)));
        let name = self.name(name);
        self.push(Item::Fact(def, name, reading));
    }

    /// A state: a setting, a limit, a topology. Valid when read once.
    pub fn state(&mut self, def: &'static FactDef, name: &str, value: Value, line: u32) {
        self.graded(def, name, value, Grade::State, line);
    }

    pub fn num(&mut self, def: &'static FactDef, name: &str, value: f64, line: u32) {
        if value.is_finite() {
            self.state(def, name, Value::Num(value), line);
        }
    }

    pub fn text(&mut self, def: &'static FactDef, name: &str, value: &str, line: u32) {
        let value: String = value.trim().chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect();
        if !value.is_empty() {
            self.state(def, name, Value::Text(value.into()), line);
        }
    }

    pub fn flag(&mut self, def: &'static FactDef, name: &str, value: bool, line: u32) {
        self.state(def, name, Value::Flag(value), line);
    }

    pub fn cpus(&mut self, def: &'static FactDef, name: &str, value: CpuSet, line: u32) {
        self.state(def, name, Value::Cpus(value), line);
    }

    pub fn list(&mut self, def: &'static FactDef, name: &str, values: impl IntoIterator<Item = String>, line: u32) {
        let list: Vec<Arc<str>> = values.into_iter().take(MAX_TEXT).map(Arc::from).collect();
        self.state(def, name, Value::List(list.into()), line);
    }

    /// A fact that the file says cannot be known.
    pub fn missing(&mut self, def: &'static FactDef, name: &str, why: &str, line: u32) {
        let source = self.source(line);
        let name = self.name(name);
        self.push(Item::Missing(def, name, Missing::Unreadable(source, why.into())));
    }

    /// A raw number of this file's snapshot.
    pub fn sample(&mut self, family: &'static Family, name: &str, metric: &str, value: f64, line: u32) {
        self.sample_at(family, name, metric, value, line, None);
    }

    /// A raw number with the time that the file itself says.
    pub fn sample_at(
        &mut self,
        family: &'static Family,
        name: &str,
        metric: &str,
        value: f64,
        line: u32,
        at: Option<f64>,
    ) {
        let sample = Sample { value, snap: self.snap, at, source: self.source(line) };
        let name = self.name(name);
        let metric = self.name(metric);
        self.push(Item::Sample(family, name, metric, sample));
    }

    /// A point of a series; `at` in seconds on this file's own clock, rising. A point at a time already there is ignored.
    pub fn point(&mut self, def: &'static FactDef, name: &str, at: f64, value: f64, line: u32) {
        self.point_graded(def, name, at, value, line, Grade::Series);
    }

    pub fn point_graded(&mut self, def: &'static FactDef, name: &str, at: f64, value: f64, line: u32, grade: Grade) {
        if !at.is_finite() || self.points >= MAX_POINTS {
            return;
        }
        let name = self.name(name);
        let artifact = self.artifact;
        let (_, best, series) = self
            .series
            .entry((def.path, def.kind, name))
            .or_insert_with(|| (def, grade, Series { artifact, ..Series::default() }));
        *best = (*best).min(grade);
        if series.at.last().is_some_and(|last| at <= *last) {
            return;
        }
        series.at.push(at);
        series.values.push(value);
        series.lines.push(line);
        self.points += 1;
    }

    /// Makes an entity known.
    pub fn entity(&mut self, kind: Kind, name: &str) {
        let name = self.name(name);
        self.push(Item::Entity(kind, name));
    }

    /// The wall or monotonic time of this file's snapshot.
    pub fn clock(&mut self, seconds: f64) {
        self.clock = Some(seconds);
    }

    /// The time of a snapshot of a pod's files (`pod` empty: of this file's own subject), said by a list of times.
    pub fn clock_of(&mut self, pod: &str, snap: u8, seconds: f64) {
        if seconds.is_finite() && self.clocks.len() < MAX_CLOCKS {
            self.clocks.push((pod.to_owned(), snap, seconds));
        }
    }

    /// Says that a line could not be used.
    pub fn note(&mut self, line: u32, text: impl Into<String>) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push((line, text.into()));
        } else {
            self.more_notes += 1;
        }
    }

    /// Number of facts, samples and points.
    pub fn len(&self) -> usize {
        self.items.len() + self.points
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Notes beyond the limit.
    pub(super) fn notes_left_out(&self) -> usize {
        self.more_notes
    }

    pub(super) fn clocks(&self) -> &[(String, u8, f64)] {
        &self.clocks
    }

    /// Time of the snapshot that this file gives, and which snapshot.
    pub(super) fn snapshot_clock(&self) -> Option<(u8, f64)> {
        self.snap.zip(self.clock)
    }

    /// Moves everything into the store, for one subject.
    pub fn settle(self, subject: SubjectId, facts: &mut Facts) {
        let entity = |kind: Kind, name: &Arc<str>| Entity::new(subject, kind, name.clone());
        for item in self.items {
            match item {
                Item::Fact(def, name, reading) => facts.put(def, &entity(def.kind, &name), reading),
                Item::Missing(def, name, why) => facts.put_missing(def, &entity(def.kind, &name), why),
                Item::Sample(family, name, metric, sample) => {
                    facts.add_sample(family, &entity(family.kind, &name), &metric, sample);
                }
                Item::Entity(kind, name) => facts.register(&entity(kind, &name)),
            }
        }
        for ((_, kind, name), (def, grade, mut series)) in self.series {
            let zero = series.at.first().copied().unwrap_or_default();
            for at in &mut series.at {
                *at -= zero;
            }
            let sources: Vec<Source> = pick_sources(&series);
            let grade = if series.at.len() < 2 { grade.min(Grade::Two) } else { grade };
            let reading = Reading::new(Value::Series(Arc::new(series)), grade, sources);
            facts.put(def, &entity(kind, &name), reading);
        }
    }
}

/// Longest text value.
const MAX_TEXT: usize = 4096;

/// Lines that stand for a series: its highest, first and last point.
fn pick_sources(series: &Series) -> Vec<Source> {
    let top = series
        .values
        .iter()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
        .max_by(|a, b| a.1.total_cmp(b.1))
        .map(|(at, _)| at);
    [top, Some(0), series.at.len().checked_sub(1)].into_iter().flatten().filter_map(|at| series.source(at)).collect()
}
