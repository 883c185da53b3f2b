//! Adds up an ordered stream of scheduling events into a [`TraceSummary`](super::TraceSummary).
//! Both trace formats end here; memory grows with live goroutines, not with events.

use std::collections::{HashMap, HashSet};

use super::durations::Durations;
use super::levels::{BIN_NS, Levels};
use super::names::{NameId, Names, UNNAMED};
use super::spans::OpenSpans;
use super::trace::{Limits, MaxRunnable, Note, StateTimes, Times, TraceSummary, WallClock};
use super::wire::to_u64;

/// Waits of goroutines without a name yet, kept back until it is known whether the runtime owns them.
const MAX_PENDING: usize = 1 << 20;
const MAX_NOTES: usize = 200;
const MAX_CHANGES: usize = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoState {
    Runnable,
    Running,
    Syscall,
    Waiting,
}

/// How a goroutine came to its new state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A status at the start: since when it was in this state is unknown.
    Status,
    Created,
    Moved,
    /// By an event that did not fit what was known, so something before it is missing.
    Forced,
}

struct Goroutine {
    state: GoState,
    since: u64,
    /// The start of a Runnable state was seen, so that the wait can be counted.
    known: bool,
    name: NameId,
    runnable_ns: u64,
    running_ns: u64,
    pending: Vec<u64>,
    assist_since: Option<u64>,
}

pub(super) struct Sched {
    pub summary: TraceSummary,
    pub names: Names,
    pub clock: Option<WallClock>,
    /// The present events come from a generation that is not whole.
    pub salvaging: bool,
    max_live: usize,
    next_time: u64,
    first: Option<u64>,
    last: u64,
    levels: Levels,
    live: HashMap<u64, Goroutine>,
    procs: HashSet<u64>,
    busy_procs: HashSet<u64>,
    states: StateTimes,
    waits: Durations,
    user_waits: Durations,
    unnamed_waits: u64,
    unknown_start: u64,
    pending: usize,
    assists: (u64, u64),
    pub gc: OpenSpans,
    pub stw: OpenSpans,
}

impl Sched {
    /// `next_time` is the least time that the first event may have.
    pub fn new(limits: &Limits, next_time: u64) -> Self {
        Sched {
            summary: TraceSummary::default(),
            names: Names::new(),
            clock: None,
            salvaging: false,
            max_live: limits.goroutines,
            next_time,
            first: None,
            last: 0,
            levels: Levels::default(),
            live: HashMap::new(),
            procs: HashSet::new(),
            busy_procs: HashSet::new(),
            states: StateTimes::default(),
            waits: Durations::default(),
            user_waits: Durations::default(),
            unnamed_waits: 0,
            unknown_start: 0,
            pending: 0,
            assists: (0, 0),
            gc: OpenSpans::default(),
            stw: OpenSpans::default(),
        }
    }

    pub fn note(&mut self, offset: u64, text: impl Into<String>) {
        if self.summary.notes.len() < MAX_NOTES {
            self.summary.notes.push(Note { offset, text: text.into() });
        }
    }

    /// Time of the next event: its own, or one nanosecond after the last one if that is not later.
    pub fn sync(&mut self, time: u64) -> u64 {
        let time = time.max(self.next_time);
        self.next_time = time.saturating_add(1);
        time
    }

    /// Time of the last event.
    pub fn now(&self) -> u64 {
        self.last
    }

    /// As [`Self::sync`], and counts the event.
    pub fn event(&mut self, time: u64) -> u64 {
        let time = self.sync(time);
        self.summary.events += 1;
        if self.first.is_none() {
            self.first = Some(time);
            self.levels.start(time, self.lead(time));
        }
        self.last = time;
        time
    }

    /// How far `time` lies into its bin.
    fn lead(&self, time: u64) -> u64 {
        let Some(clock) = self.clock else { return 0 };
        u64::try_from(clock.unix_ns(time).rem_euclid(i128::from(BIN_NS))).unwrap_or(0)
    }

    /// A goroutine enters `to`, or ends. `name` is asked for its start function if that is unknown.
    pub fn goroutine(
        &mut self,
        now: u64,
        id: u64,
        to: Option<GoState>,
        origin: Origin,
        name: impl FnOnce(&mut Names) -> NameId,
    ) {
        if origin == Origin::Created {
            self.summary.goroutines_created += 1;
        }
        if to.is_none() {
            self.summary.goroutines_ended += 1;
        }
        let Some(goroutine) = self.live.get_mut(&id) else {
            if let Some(state) = to {
                self.meet(now, id, state, origin, name);
            }
            return;
        };
        if goroutine.name == UNNAMED {
            goroutine.name = name(&mut self.names);
            if goroutine.name != UNNAMED {
                let waits = std::mem::take(&mut goroutine.pending);
                self.pending = self.pending.saturating_sub(waits.len());
                if !self.names.is_runtime(goroutine.name) {
                    waits.into_iter().for_each(|ns| self.user_waits.add(ns));
                }
            }
        }
        if to == Some(goroutine.state) {
            return;
        }
        let spent = now.saturating_sub(goroutine.since);
        self.states.add(goroutine.state, spent);
        match goroutine.state {
            GoState::Runnable => {
                self.levels.advance(now);
                self.levels.runnable = self.levels.runnable.saturating_sub(1);
                goroutine.runnable_ns = goroutine.runnable_ns.saturating_add(spent);
                if goroutine.known && origin != Origin::Forced && to == Some(GoState::Running) {
                    self.waits.add(spent);
                    if goroutine.name == UNNAMED && self.pending < MAX_PENDING {
                        goroutine.pending.push(spent);
                        self.pending += 1;
                    } else if !self.names.is_runtime(goroutine.name) {
                        self.user_waits.add(spent);
                    }
                } else {
                    self.unknown_start += 1;
                }
            }
            GoState::Running => {
                self.levels.advance(now);
                self.levels.running = self.levels.running.saturating_sub(1);
                goroutine.running_ns = goroutine.running_ns.saturating_add(spent);
            }
            GoState::Syscall | GoState::Waiting => {}
        }
        match to {
            Some(state) => {
                goroutine.state = state;
                goroutine.since = now;
                goroutine.known = origin != Origin::Status;
                self.enter(now, state);
            }
            None => self.bury(now, id),
        }
    }

    fn meet(&mut self, now: u64, id: u64, state: GoState, origin: Origin, name: impl FnOnce(&mut Names) -> NameId) {
        self.summary.goroutines_seen += 1;
        if self.live.len() >= self.max_live {
            self.summary.goroutines_dropped += 1;
            return;
        }
        let goroutine = Goroutine {
            state,
            since: now,
            known: origin != Origin::Status,
            name: name(&mut self.names),
            runnable_ns: 0,
            running_ns: 0,
            pending: Vec::new(),
            assist_since: None,
        };
        self.live.insert(id, goroutine);
        self.enter(now, state);
    }

    fn enter(&mut self, now: u64, state: GoState) {
        match state {
            GoState::Runnable => {
                self.levels.advance(now);
                self.levels.runnable += 1;
                self.levels.reached(now);
                if self.levels.runnable > self.summary.max_runnable.goroutines {
                    self.summary.max_runnable = MaxRunnable {
                        goroutines: self.levels.runnable,
                        at_ns: now.saturating_sub(self.first.unwrap_or(now)),
                        running: self.levels.running,
                        upper_bound: self.salvaging,
                    };
                }
            }
            GoState::Running => {
                self.levels.advance(now);
                self.levels.running += 1;
                self.levels.reached(now);
            }
            GoState::Syscall | GoState::Waiting => {}
        }
    }

    fn bury(&mut self, now: u64, id: u64) {
        self.mark_assist(now, id, false);
        let Some(goroutine) = self.live.remove(&id) else {
            return;
        };
        self.pending = self.pending.saturating_sub(goroutine.pending.len());
        self.unnamed_waits += to_u64(goroutine.pending.len());
        goroutine.pending.iter().for_each(|&ns| self.user_waits.add(ns));
        self.names.add(goroutine.name, goroutine.runnable_ns, goroutine.running_ns);
    }

    pub fn mark_assist(&mut self, now: u64, id: u64, begin: bool) {
        let Some(goroutine) = self.live.get_mut(&id) else {
            return;
        };
        if let Some(since) = goroutine.assist_since.take() {
            self.assists.0 += 1;
            self.assists.1 = self.assists.1.saturating_add(now.saturating_sub(since));
        }
        if begin {
            goroutine.assist_since = Some(now);
        }
    }

    pub fn proc(&mut self, now: u64, id: u64, busy: bool) {
        self.procs.insert(id);
        if busy != self.busy_procs.contains(&id) {
            self.levels.advance(now);
            if busy {
                self.busy_procs.insert(id);
            } else {
                self.busy_procs.remove(&id);
            }
            self.levels.procs = to_u64(self.busy_procs.len());
        }
    }

    pub fn gomaxprocs(&mut self, now: u64, value: u64) {
        let changes = &mut self.summary.gomaxprocs_changes;
        if changes.last().is_none_or(|&(_, last)| last != value) && changes.len() < MAX_CHANGES {
            changes.push((now.saturating_sub(self.first.unwrap_or(now)), value));
        }
    }

    pub fn heap(&mut self, live: Option<u64>, goal: Option<u64>) {
        let summary = &mut self.summary;
        summary.max_heap_live_bytes = summary.max_heap_live_bytes.max(live);
        summary.max_heap_goal_bytes = summary.max_heap_goal_bytes.max(goal);
    }

    /// `timed` is false when the length of a tick is unknown, so that only counts mean anything.
    pub fn finish(mut self, timed: bool) -> TraceSummary {
        let (first, last) = (self.first.unwrap_or(0), self.last);
        self.levels.advance(last);
        let mut ids: Vec<_> = self.live.keys().copied().collect();
        ids.sort_unstable();
        for id in ids {
            let Some(goroutine) = self.live.get_mut(&id) else {
                continue;
            };
            let spent = last.saturating_sub(goroutine.since);
            self.states.add(goroutine.state, spent);
            match goroutine.state {
                GoState::Runnable => {
                    self.summary.runnable_at_end += 1;
                    goroutine.runnable_ns = goroutine.runnable_ns.saturating_add(spent);
                }
                GoState::Running => goroutine.running_ns = goroutine.running_ns.saturating_add(spent),
                GoState::Syscall | GoState::Waiting => {}
            }
            self.bury(last, id);
        }
        let mut summary = self.summary;
        summary.procs_seen = to_u64(self.procs.len());
        summary.max_running = self.levels.max_running;
        let highest = summary.gomaxprocs_changes.iter().map(|&(_, value)| value).max();
        summary.gomaxprocs = highest.filter(|&value| value > 0).unwrap_or(summary.procs_seen);
        summary.waits_unknown_start = self.unknown_start;
        summary.waits_unnamed = self.unnamed_waits;
        summary.clock = self.clock;
        if !timed {
            summary.wait_count = self.waits.finish().count;
            return summary;
        }
        if self.levels.overflowed {
            summary.notes.push(Note { offset: 0, text: "the trace is longer than its 100 ms bins".into() });
        }
        let mut by_start: Vec<_> = self.names.table.into_iter().filter(|row| row.goroutines > 0).collect();
        by_start.sort_by(|a, b| b.runnable_ns.cmp(&a.runnable_ns).then_with(|| a.name.cmp(&b.name)));
        let p = summary.gomaxprocs;
        let start = self.clock.map(|clock| clock.unix_ns(first) - i128::from(self.levels.lead()));
        let waits = self.waits.finish();
        let user_waits = self.user_waits.finish();
        let nameless = summary.cut && self.unnamed_waits > user_waits.count / 10;
        summary.wait_count = waits.count;
        summary.times = Some(Times {
            start_ns: first,
            end_ns: last,
            states: self.states,
            waits,
            user_waits: (!nameless).then_some(user_waits),
            runnable_above_procs_ns: self.levels.time_above(p),
            runnable_above_4x_procs_ns: self.levels.time_above(p.saturating_mul(4)),
            runnable_above_10x_procs_ns: self.levels.time_above(p.saturating_mul(10)),
            by_start_function: by_start,
            gc: self.gc.finish(last),
            stop_the_world: self.stw.finish(last),
            mark_assists: self.assists.0,
            mark_assist_ns: self.assists.1,
            bins: self.levels.finish(start.and_then(|ns| i64::try_from(ns).ok())),
        });
        summary
    }
}

impl StateTimes {
    fn add(&mut self, state: GoState, ns: u64) {
        let total = match state {
            GoState::Runnable => &mut self.runnable_ns,
            GoState::Running => &mut self.running_ns,
            GoState::Syscall => &mut self.syscall_ns,
            GoState::Waiting => &mut self.waiting_ns,
        };
        *total = total.saturating_add(ns);
    }
}
