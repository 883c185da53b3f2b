//! Formats 11, 19 and 21. Nothing in them is self-contained, so the file is held whole; its events are
//! not: they are merged twice, first to learn when system calls really ended and which of them blocked,
//! then to be counted. What each event means follows Go's own conversion to the newer format.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Read};

use super::names::{NameId, Names, UNNAMED};
use super::sched::{GoState, Origin, Sched};
use super::trace::{Limits, TraceSummary};
use super::trace_v1_merge::{Event, Merge, Merged, id};
use super::trace_v1_wire::Index;
use super::wire::{to_f64, to_u64, truncate};

pub(super) fn read(mut input: impl Read, format: u32, limits: &Limits) -> io::Result<TraceSummary> {
    let mut data = Vec::new();
    input.by_ref().take(to_u64(limits.bytes)).read_to_end(&mut data)?;
    let oversized = data.len() == limits.bytes && input.read(&mut [0])? > 0;
    let index = Index::of(&data, format);
    let mut sched = Sched::new(limits, 0);
    let end = 16 + to_u64(index.end);
    if oversized {
        sched.summary.stopped_early = true;
        sched.note(end, "the trace is larger than the reader's bound; the rest of it is skipped");
    }
    let lost = to_u64(data.len() - index.end);
    if !oversized && (lost > 0 || index.ticks_per_second.is_none()) {
        sched.summary.cut = true;
        sched.note(end, format!("the trace is cut or damaged here; {lost} bytes after it are lost"));
    }
    if index.odd > 0 {
        sched.note(16, format!("{} events have an unexpected number of arguments", index.odd));
    }
    if index.ticks_per_second.is_none() {
        sched.note(end, "the length of a tick stands at the end, which is lost: only counts are known");
    }
    if !index.has_stacks() {
        sched.note(end, "the names of functions stand at the end, which is lost");
    }
    let horizon = index.horizon().filter(|_| lost > 0 || sched.summary.cut);
    let merge = Merge { data: &data, index: &index, format, horizon };
    let survey = Survey::of(&merge, limits.events);
    if horizon.is_some() {
        let text = "only the time before the first lost event of any processor is read";
        sched.note(end, format!("{text}: {} events", survey.events));
    }
    if survey.early {
        sched.note(16, "calls that end before they begin: their ends are left as they were written");
    }
    let ns_per_tick = index.ticks_per_second.map_or(1.0, |ticks| 1e9 / to_f64(ticks));
    let merged = Replay::new(&merge, &survey, ns_per_tick, &mut sched).run(limits.events);
    sched.summary.forced += merged.forced;
    if merged.gave_up {
        sched.note(end, "the events are too entangled to be put in order; the rest of them is lost");
    }
    if survey.events >= limits.events {
        sched.summary.stopped_early = true;
        sched.note(end, "stopped early: enough events for one report");
    }
    Ok(sched.finish(index.ticks_per_second.is_some()))
}

/// A system call exit that really happened before it was written.
#[derive(Clone, Copy)]
struct Exit {
    ticks: u64,
    number: u64,
    event: Event,
}

/// What the first merge finds. Events are numbered in merged order.
#[derive(Default)]
struct Survey {
    events: u64,
    first_ticks: u64,
    /// By real time.
    exits: Vec<Exit>,
    moved: HashSet<u64>,
    blocked: HashSet<u64>,
    early: bool,
}

impl Survey {
    fn of(merge: &Merge, limit: u64) -> Self {
        let mut survey = Survey::default();
        let mut first = None;
        let mut calls: HashMap<u64, u64> = HashMap::new();
        let mut blocked_since: HashMap<u64, u64> = HashMap::new();
        merge.run(|event| {
            let number = survey.events;
            survey.events += 1;
            let mut ticks = event.ticks;
            if let Some(call) = calls.remove(&event.g)
                && event.kind == id::GO_SYS_BLOCK
            {
                survey.blocked.insert(call);
            }
            match event.kind {
                id::GO_SYSCALL => {
                    calls.insert(event.g, number);
                }
                id::GO_SYS_BLOCK | id::GO_IN_SYSCALL => {
                    blocked_since.insert(event.g, event.ticks);
                }
                id::GO_SYS_EXIT => {
                    let [_, _, real, _] = event.args;
                    let since = blocked_since.remove(&event.g).unwrap_or(u64::MAX);
                    if real != 0 && real < since {
                        survey.early = true;
                    } else if real != 0 {
                        survey.exits.push(Exit { ticks: real, number, event });
                        survey.moved.insert(number);
                        ticks = real;
                    }
                }
                _ => {}
            }
            first = Some(first.map_or(ticks, |first: u64| first.min(ticks)));
            survey.events < limit
        });
        survey.first_ticks = first.unwrap_or(0);
        survey.exits.sort_by_key(|exit| (exit.ticks, exit.number));
        survey
    }
}

struct Replay<'a> {
    merge: &'a Merge<'a>,
    survey: &'a Survey,
    ns_per_tick: f64,
    out: &'a mut Sched,
    /// Before the first GOMAXPROCS the goroutines that exist are told, not events.
    starting: bool,
    existing: BTreeSet<u64>,
    seen_procs: HashSet<u64>,
}

impl<'a> Replay<'a> {
    fn new(merge: &'a Merge, survey: &'a Survey, ns_per_tick: f64, out: &'a mut Sched) -> Self {
        Replay {
            merge,
            survey,
            ns_per_tick,
            out,
            starting: true,
            existing: BTreeSet::new(),
            seen_procs: HashSet::new(),
        }
    }

    fn run(mut self, limit: u64) -> Merged {
        let (merge, survey) = (self.merge, self.survey);
        let mut exits = survey.exits.iter().peekable();
        let (mut number, mut ticks) = (0, 0);
        let merged = merge.run(|event| {
            ticks = event.ticks.max(ticks);
            while let Some(exit) = exits.next_if(|exit| (exit.ticks, exit.number) < (ticks, number)) {
                self.play(exit.ticks, exit.number, &exit.event);
            }
            if !survey.moved.contains(&number) {
                self.play(ticks, number, &event);
            }
            number += 1;
            number < limit
        });
        exits.for_each(|exit| self.play(exit.ticks, exit.number, &exit.event));
        merged
    }

    fn play(&mut self, ticks: u64, number: u64, event: &Event) {
        let time = truncate(to_f64(ticks.saturating_sub(self.survey.first_ticks)) * self.ns_per_tick);
        let [a, b, ..] = event.args;
        let (g, p, stack) = (event.g, event.p, event.stack);
        match event.kind {
            id::GO_SYS_BLOCK | id::FUTILE_WAKEUP => {}
            id::GOMAXPROCS if self.starting => {
                self.starting = false;
                for g in std::mem::take(&mut self.existing) {
                    self.status(time, g, GoState::Runnable);
                }
                let now = self.out.now();
                self.out.gomaxprocs(now, a);
            }
            id::GOMAXPROCS => {
                let now = self.out.event(time);
                self.out.gomaxprocs(now, a);
            }
            id::PROC_START | id::PROC_STOP => {
                let now = self.out.event(time);
                let start = event.kind == id::PROC_START;
                if !self.seen_procs.insert(p) && start {
                    self.out.summary.proc_starts += 1;
                }
                self.out.proc(now, p, start);
            }
            id::GC_START => {
                let now = self.out.event(time);
                self.out.gc.begin(now, String::new());
            }
            id::GC_DONE => {
                let now = self.out.event(time);
                self.out.gc.end(now);
            }
            id::STW_START => {
                let now = self.out.event(time);
                let reason = stop_reason(a, self.merge.format);
                self.out.stw.begin(now, reason.to_owned());
            }
            id::STW_DONE => {
                let now = self.out.event(time);
                self.out.stw.end(now);
            }
            id::GO_CREATE if self.starting => {
                self.existing.insert(a);
            }
            id::GO_CREATE => self.go(time, a, Some(GoState::Runnable), Origin::Created, b),
            id::GO_START | id::GO_START_LABEL if self.starting => self.status(time, a, GoState::Running),
            id::GO_START => self.go(time, a, Some(GoState::Running), Origin::Moved, 0),
            id::GO_START_LABEL => {
                self.go(time, a, Some(GoState::Running), Origin::Moved, 0);
                self.out.event(time);
            }
            id::GO_END => self.go(time, g, None, Origin::Moved, stack),
            id::GO_SCHED | id::GO_PREEMPT => self.go(time, g, Some(GoState::Runnable), Origin::Moved, stack),
            id::GO_STOP | id::GO_SLEEP | id::GO_BLOCK | id::GO_BLOCK_SEND..=id::GO_BLOCK_NET | id::GO_BLOCK_GC => {
                self.go(time, g, Some(GoState::Waiting), Origin::Moved, stack)
            }
            id::GO_UNBLOCK => self.go(time, a, Some(GoState::Runnable), Origin::Moved, 0),
            id::GO_SYSCALL => {
                self.go(time, g, Some(GoState::Syscall), Origin::Moved, stack);
                if !self.survey.blocked.contains(&number) {
                    self.go(time.saturating_add(1), g, Some(GoState::Running), Origin::Moved, 0);
                }
            }
            id::GO_SYS_EXIT => self.go(time, g, Some(GoState::Runnable), Origin::Moved, 0),
            id::GO_WAITING => self.status(time, g, GoState::Waiting),
            id::GO_IN_SYSCALL => self.status(time, g, GoState::Syscall),
            id::MARK_ASSIST_START | id::MARK_ASSIST_DONE => {
                let now = self.out.event(time);
                self.out.mark_assist(now, g, event.kind == id::MARK_ASSIST_START);
            }
            id::HEAP_ALLOC | id::HEAP_GOAL => {
                self.out.event(time);
                let live = event.kind == id::HEAP_ALLOC;
                self.out.heap(live.then_some(a), (!live).then_some(a));
            }
            id::CPU_SAMPLE => {
                self.out.event(time);
                self.out.summary.cpu_samples += 1;
            }
            _ => {
                self.out.event(time);
            }
        }
    }

    fn status(&mut self, time: u64, g: u64, state: GoState) {
        self.existing.remove(&g);
        let now = self.out.event(time);
        self.out.goroutine(now, g, Some(state), Origin::Status, |_: &mut Names| UNNAMED);
    }

    fn go(&mut self, time: u64, g: u64, to: Option<GoState>, origin: Origin, stack: u64) {
        let now = self.out.event(time);
        let merge = self.merge;
        let name = |names: &mut Names| -> NameId { merge.index.root_name(merge.data, stack, names) };
        if g != 0 {
            self.out.goroutine(now, g, to, origin, name);
        }
    }
}

fn stop_reason(kind: u64, format: u32) -> &'static str {
    const REASONS: [&str; 17] = [
        "",
        "GC mark termination",
        "GC sweep termination",
        "write heap dump",
        "goroutine profile",
        "goroutine profile cleanup",
        "all goroutine stack trace",
        "read mem stats",
        "AllThreadsSyscall",
        "GOMAXPROCS",
        "start trace",
        "stop trace",
        "CountPagesInUse (test)",
        "ReadMetricsSlow (test)",
        "ReadMemStatsSlow (test)",
        "PageCachePagesLeaked (test)",
        "ResetDebugLog (test)",
    ];
    let number = if format >= 21 {
        kind
    } else if kind < 2 {
        kind + 1
    } else {
        0
    };
    usize::try_from(number).ok().and_then(|number| REASONS.get(number)).copied().unwrap_or("")
}
