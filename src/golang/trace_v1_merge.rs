//! The order of events of formats 11, 19 and 21: the earliest event over all processors whose goroutine
//! is ready for it, where ready means that sequence number and status match.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::heap::Heap;
use super::trace_v1_wire::{Index, Record, Sample, record};
use super::wire::{Wire, to_u64};

/// The key under which collections take their turns.
const COLLECTOR: u64 = u64::MAX - 1;
/// The cursor that reads the CPU samples instead of a processor.
const SAMPLES: usize = usize::MAX;
/// Wakings of events that wait for another, a million and this many for each event.
const WAKINGS_PER_EVENT: u64 = 64;

pub(super) mod id {
    pub const GOMAXPROCS: u8 = 4;
    pub const PROC_START: u8 = 5;
    pub const PROC_STOP: u8 = 6;
    pub const GC_START: u8 = 7;
    pub const GC_DONE: u8 = 8;
    pub const STW_START: u8 = 9;
    pub const STW_DONE: u8 = 10;
    pub const GO_CREATE: u8 = 13;
    pub const GO_START: u8 = 14;
    pub const GO_END: u8 = 15;
    pub const GO_STOP: u8 = 16;
    pub const GO_SCHED: u8 = 17;
    pub const GO_PREEMPT: u8 = 18;
    pub const GO_SLEEP: u8 = 19;
    pub const GO_BLOCK: u8 = 20;
    pub const GO_UNBLOCK: u8 = 21;
    pub const GO_BLOCK_SEND: u8 = 22;
    pub const GO_BLOCK_NET: u8 = 27;
    pub const GO_SYSCALL: u8 = 28;
    pub const GO_SYS_EXIT: u8 = 29;
    pub const GO_SYS_BLOCK: u8 = 30;
    pub const GO_WAITING: u8 = 31;
    pub const GO_IN_SYSCALL: u8 = 32;
    pub const HEAP_ALLOC: u8 = 33;
    pub const HEAP_GOAL: u8 = 34;
    pub const FUTILE_WAKEUP: u8 = 36;
    pub const GO_START_LOCAL: u8 = 38;
    pub const GO_UNBLOCK_LOCAL: u8 = 39;
    pub const GO_SYS_EXIT_LOCAL: u8 = 40;
    pub const GO_START_LABEL: u8 = 41;
    pub const GO_BLOCK_GC: u8 = 42;
    pub const MARK_ASSIST_START: u8 = 43;
    pub const MARK_ASSIST_DONE: u8 = 44;
    pub const CPU_SAMPLE: u8 = 49;
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Status {
    #[default]
    Dead,
    Runnable,
    Running,
    Waiting,
}

type State = (u64, Status);

#[derive(Clone, Copy)]
pub(super) struct Event {
    pub kind: u8,
    pub ticks: u64,
    pub p: u64,
    /// The goroutine it is about or that ran at that moment; 0 for none.
    pub g: u64,
    pub args: [u64; 4],
    pub stack: u64,
}

/// Whose state an event needs and changes: key, sequence number if it matters, status, sequence number
/// afterwards as an increment, status afterwards.
struct Transition {
    key: u64,
    seq: Option<u64>,
    from: Status,
    step: u64,
    to: Status,
}

fn transition(event: &Event) -> Option<Transition> {
    use Status::{Dead, Runnable, Running, Waiting};
    let [a, b, ..] = event.args;
    let t = |key, seq, from, step, to| Some(Transition { key, seq, from, step, to });
    match event.kind {
        id::GO_CREATE => t(a, Some(0), Dead, 1, Runnable),
        id::GO_WAITING | id::GO_IN_SYSCALL => t(event.g, Some(1), Runnable, 1, Waiting),
        id::GO_START | id::GO_START_LABEL => t(event.g, Some(b), Runnable, 1, Running),
        id::GO_START_LOCAL => t(event.g, None, Runnable, 1, Running),
        id::GO_SLEEP | id::GO_BLOCK | id::GO_BLOCK_SEND..=id::GO_BLOCK_NET => t(event.g, None, Running, 0, Waiting),
        id::GO_SYS_BLOCK | id::GO_BLOCK_GC => t(event.g, None, Running, 0, Waiting),
        id::GO_SCHED | id::GO_PREEMPT => t(event.g, None, Running, 0, Runnable),
        id::GO_UNBLOCK | id::GO_SYS_EXIT => t(a, Some(b), Waiting, 1, Runnable),
        id::GO_UNBLOCK_LOCAL | id::GO_SYS_EXIT_LOCAL => t(a, None, Waiting, 1, Runnable),
        id::GC_START => t(COLLECTOR, Some(a), Dead, 1, Dead),
        _ => None,
    }
}

struct Cursor {
    processor: usize,
    batch: usize,
    at: Option<usize>,
    ticks: u64,
    g: u64,
    event: Option<Event>,
    waiting: bool,
}

pub(super) struct Merge<'a> {
    pub data: &'a [u8],
    pub index: &'a Index,
    pub format: u32,
    /// In a cut file: where to stop at the latest. The first event that fits nowhere ends it as well,
    /// since what it needs is lost.
    pub horizon: Option<u64>,
}

/// How the merge went.
#[derive(Default)]
pub(super) struct Merged {
    pub forced: u64,
    /// The events are too entangled to go on.
    pub gave_up: bool,
}

impl Merge<'_> {
    /// Calls `each` with every event in order, until it says no. Local forms come as the plain ones.
    pub fn run(&self, mut each: impl FnMut(Event) -> bool) -> Merged {
        let mut merged = Merged::default();
        let mut states: HashMap<u64, State> = HashMap::new();
        let mut cursors: Vec<_> = (0..self.index.processors.len()).map(Cursor::new).collect();
        cursors.push(Cursor::new(SAMPLES));
        let mut ready = Heap::new();
        let mut waiting: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut blocked = BinaryHeap::new();
        let mut check: Vec<usize> = (0..cursors.len()).collect();
        for cursor in &mut cursors {
            cursor.event = self.next(cursor);
        }
        let mut wakings = 1_000_000u64;
        loop {
            for at in check.drain(..) {
                let Some(cursor) = cursors.get_mut(at) else {
                    continue;
                };
                let Some(event) = cursor.event else { continue };
                match transition(&event).filter(|needed| !fits(&states, needed)) {
                    None => ready.insert(event.ticks, at),
                    Some(needed) => {
                        cursor.waiting = true;
                        waiting.entry(needed.key).or_default().push(at);
                        blocked.push(Reverse((event.ticks, at)));
                    }
                }
            }
            let (at, forced) = match ready.remove(0) {
                Some(at) => (at, false),
                None if self.horizon.is_some() => return merged,
                None => {
                    let Some(at) = earliest_waiting(&mut blocked, &cursors) else {
                        return merged;
                    };
                    (at, true)
                }
            };
            let Some(cursor) = cursors.get_mut(at) else {
                continue;
            };
            let Some(event) = cursor.event else { continue };
            if self.horizon.is_some_and(|horizon| event.ticks > horizon) {
                return merged;
            }
            let change = transition(&event);
            if !forced && change.as_ref().is_some_and(|needed| !fits(&states, needed)) {
                check.push(at);
                wakings = wakings.saturating_sub(1);
                continue;
            }
            merged.forced += u64::from(forced);
            cursor.waiting = false;
            if !each(plain(event)) {
                return merged;
            }
            if let Some(change) = change {
                let state = states.entry(change.key).or_default();
                let seq = change.seq.unwrap_or(state.0);
                *state = (seq.saturating_add(change.step), change.to);
                wake(&mut waiting, change.key, &mut cursors, &mut check);
            }
            if let Some(cursor) = cursors.get_mut(at) {
                cursor.event = self.next(cursor);
                check.push(at);
            }
            match (wakings + WAKINGS_PER_EVENT).checked_sub(to_u64(check.len())) {
                Some(left) => wakings = left,
                None => {
                    merged.gave_up = true;
                    return merged;
                }
            }
        }
    }

    fn next(&self, cursor: &mut Cursor) -> Option<Event> {
        if cursor.processor == SAMPLES {
            let &Sample { ticks, p, g } = self.index.samples.get(cursor.batch)?;
            cursor.batch += 1;
            return Some(Event { kind: id::CPU_SAMPLE, ticks, p, g, args: [0; 4], stack: 0 });
        }
        let processor = self.index.processors.get(cursor.processor)?;
        loop {
            let (range, ticks) = processor.batches.get(cursor.batch)?;
            let at = *cursor.at.get_or_insert_with(|| {
                cursor.ticks = *ticks;
                range.start
            });
            let mut wire = Wire::at(self.data, at);
            let whole = if at < range.end { record(&mut wire, self.format) } else { None };
            let Some(record) = whole else {
                (cursor.batch, cursor.at) = (cursor.batch + 1, None);
                continue;
            };
            cursor.at = Some(wire.pos());
            if let Record::Event { kind, delta, args, stack } = record
                && kind != id::CPU_SAMPLE
            {
                cursor.ticks = cursor.ticks.saturating_add(delta);
                return Some(cursor.about(kind, args, stack, processor.p));
            }
        }
    }
}

impl Cursor {
    fn new(processor: usize) -> Self {
        Cursor { processor, batch: 0, at: None, ticks: 0, g: 0, event: None, waiting: false }
    }

    /// Gives the event its goroutine, and follows which goroutine runs on this processor.
    fn about(&mut self, kind: u8, args: [u64; 4], stack: u64, p: u64) -> Event {
        let [a, ..] = args;
        let mut event = Event { kind, ticks: self.ticks, p, g: self.g, args, stack };
        match kind {
            id::GO_START | id::GO_START_LOCAL | id::GO_START_LABEL => {
                self.g = a;
                event.g = a;
            }
            id::GO_END..=id::GO_BLOCK | id::GO_BLOCK_SEND..=id::GO_BLOCK_NET | id::GO_SYS_BLOCK | id::GO_BLOCK_GC => {
                self.g = 0
            }
            id::GO_SYS_EXIT | id::GO_WAITING | id::GO_IN_SYSCALL => event.g = a,
            _ => {}
        }
        event
    }
}

fn fits(states: &HashMap<u64, State>, needed: &Transition) -> bool {
    let (seq, status) = states.get(&needed.key).copied().unwrap_or_default();
    needed.seq.is_none_or(|needed| needed == seq) && needed.from == status
}

fn wake(waiting: &mut HashMap<u64, Vec<usize>>, key: u64, cursors: &mut [Cursor], check: &mut Vec<usize>) {
    for at in waiting.remove(&key).unwrap_or_default() {
        if let Some(cursor) = cursors.get_mut(at).filter(|cursor| cursor.waiting) {
            cursor.waiting = false;
            check.push(at);
        }
    }
}

fn earliest_waiting(blocked: &mut BinaryHeap<Reverse<(u64, usize)>>, cursors: &[Cursor]) -> Option<usize> {
    while let Some(Reverse((ticks, at))) = blocked.pop() {
        let cursor = cursors.get(at)?;
        if cursor.waiting && cursor.event.is_some_and(|event| event.ticks == ticks) {
            return Some(at);
        }
    }
    None
}

/// The real time of a local system call exit is not used, as in Go's reader.
fn plain(mut event: Event) -> Event {
    event.kind = match event.kind {
        id::GO_START_LOCAL => id::GO_START,
        id::GO_UNBLOCK_LOCAL => id::GO_UNBLOCK,
        id::GO_SYS_EXIT_LOCAL => {
            let [g, ..] = event.args;
            event.g = g;
            event.args = [g, 0, 0, 0];
            id::GO_SYS_EXIT
        }
        kind => kind,
    };
    event
}
