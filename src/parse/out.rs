//! What a parser writes: facts, samples, series, notes. Subjects are filled in later, when all paths are known.

use std::collections::{BTreeMap, HashMap};
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
    samples: Vec<Raw>,
    /// By path of the fact and number of the entity's name.
    series: BTreeMap<(&'static str, u32), (&'static FactDef, Grade, Series)>,
    points: usize,
    pub(super) notes: Vec<(u32, String)>,
    more_notes: usize,
    clock: Option<f64>,
    /// Times of snapshots of other files: pod (empty: the same subject), snapshot, seconds.
    clocks: Vec<(String, u8, f64)>,
    names: Names,
}

/// Names of entities and metrics, each kept once. A file has few names and many samples.
#[derive(Default)]
struct Names {
    list: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Names {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let clean: String = text.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        if let Some(number) = self.numbers.get(clean.as_str()) {
            return *number;
        }
        let name: Arc<str> = clean.into();
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        self.list.push(name.clone());
        self.numbers.insert(name, number);
        number
    }

    fn get(&self, number: u32) -> Arc<str> {
        usize::try_from(number).ok().and_then(|at| self.list.get(at)).cloned().unwrap_or_default()
    }
}

/// A sample with the numbers of its names.
struct Raw {
    family: &'static Family,
    name: u32,
    metric: u32,
    sample: Sample,
}

enum Item {
    Fact(&'static FactDef, Arc<str>, Reading),
    Missing(&'static FactDef, Arc<str>, Missing),
    Entity(Kind, Arc<str>),
}

impl Out {
    pub fn new(artifact: u32, snap: Snap) -> Out {
        Out {
            artifact,
            snap,
            items: Vec::new(),
            samples: Vec::new(),
            series: BTreeMap::new(),
            points: 0,
            notes: Vec::new(),
            more_notes: 0,
            clock: None,
            clocks: Vec::new(),
            names: Names::default(),
        }
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        let number = self.names.number(text);
        self.names.get(number)
    }

    fn source(&self, line: u32) -> Source {
        Source { artifact: self.artifact, line }
    }

    /// False when the file already gave all that one file may; says so once.
    fn room(&mut self) -> bool {
        let have = self.items.len() + self.samples.len();
        if have == MAX_ITEMS {
            self.note(0, "more values than one file may hold; the rest was left out");
            self.items.push(Item::Entity(Kind::Host, Arc::default()));
        }
        have < MAX_ITEMS
    }

    fn push(&mut self, item: Item) {
        if self.room() {
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
        if self.room() {
            let name = self.names.number(name);
            let metric = self.names.number(metric);
            self.samples.push(Raw { family, name, metric, sample });
        }
    }

    /// A point of a series; `at` in seconds on this file's own clock, rising. A point at a time already there is ignored.
    pub fn point(&mut self, def: &'static FactDef, name: &str, at: f64, value: f64, line: u32) {
        self.point_graded(def, name, at, value, line, Grade::Series);
    }

    pub fn point_graded(&mut self, def: &'static FactDef, name: &str, at: f64, value: f64, line: u32, grade: Grade) {
        if !at.is_finite() || self.points >= MAX_POINTS {
            return;
        }
        let name = self.names.number(name);
        let artifact = self.artifact;
        let (_, best, series) = self
            .series
            .entry((def.path, name))
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
        self.items.len() + self.samples.len() + self.points
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
    pub fn settle(mut self, subject: SubjectId, facts: &mut Facts) {
        let entity = |kind: Kind, name: &Arc<str>| Entity::new(subject, kind, name.clone());
        for item in self.items {
            match item {
                Item::Fact(def, name, reading) => facts.put(def, &entity(def.kind, &name), reading),
                Item::Missing(def, name, why) => facts.put_missing(def, &entity(def.kind, &name), why),
                Item::Entity(kind, name) => facts.register(&entity(kind, &name)),
            }
        }
        // Grouped, so that the store is asked once for each counter and not once for each sample.
        self.samples.sort_by_key(|raw| (raw.family.name, raw.name, raw.metric));
        for same in self.samples.chunk_by(|a, b| a.family == b.family && a.name == b.name) {
            let Some(first) = same.first() else { continue };
            let entity = entity(first.family.kind, &self.names.get(first.name));
            let counters = same.chunk_by(|a, b| a.metric == b.metric).filter_map(|counter| {
                let metric = self.names.get(counter.first()?.metric);
                Some((metric, counter.iter().map(|raw| raw.sample)))
            });
            facts.add_samples(first.family, &entity, counters);
        }
        for ((_, name), (def, grade, mut series)) in self.series {
            let zero = series.at.first().copied().unwrap_or_default();
            for at in &mut series.at {
                *at -= zero;
            }
            let sources: Vec<Source> = pick_sources(&series);
            let grade = if series.at.len() < 2 { grade.min(Grade::Two) } else { grade };
            let reading = Reading::new(Value::Series(Arc::new(series)), grade, sources);
            facts.put(def, &entity(def.kind, &self.names.get(name)), reading);
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
