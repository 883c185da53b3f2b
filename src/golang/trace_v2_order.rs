//! Brings the events of all threads of a generation into one order and applies them. Between threads
//! time stamps can lie, so sequence numbers decide which event may come next: the earliest one that fits
//! the states of goroutine, processor and collector. The rules are those of `internal/trace/order.go`.

use std::collections::HashMap;

use super::heap::Heap;
use super::names::{NameId, Names, UNNAMED};
use super::sched::{GoState, Origin, Sched};
use super::trace_v2_events::{Cursor, Event, Source, id};
use super::trace_v2_generation::{Frequency, Generation, NO_THREAD};
use super::wire::to_u64;

const NONE: u64 = u64::MAX;
/// Attempts to fit another thread's event, beyond which the earliest event is forced at once: so many in
/// all, and so many more for each event.
const TRIES: u64 = 2_000_000;
const TRIES_PER_EVENT: u64 = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PStatus {
    Running,
    Idle,
    Syscall,
    Abandoned,
}

/// A sequence number counts within its generation only.
#[derive(Clone, Copy)]
struct Seq {
    generation: u64,
    number: u64,
}

impl Seq {
    fn follows(self, before: Seq) -> bool {
        self.generation == before.generation && before.number.checked_add(1) == Some(self.number)
    }
}

#[derive(Clone, Copy)]
struct Thing<S> {
    status: S,
    seq: Seq,
}

#[derive(Clone, Copy)]
struct Bound {
    g: u64,
    p: u64,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Gc {
    #[default]
    Unknown,
    Off,
    On,
}

#[derive(Default)]
pub(super) struct Order {
    gs: HashMap<u64, Thing<GoState>>,
    ps: HashMap<u64, Thing<PStatus>>,
    ms: HashMap<u64, Bound>,
    gc: Gc,
    gc_seq: u64,
    first_generation: Option<u64>,
}

impl Order {
    pub fn play(&mut self, generation: &mut Generation, frequency: Frequency, format: u32, out: &mut Sched) {
        self.first_generation.get_or_insert(generation.number);
        out.sync(frequency.ns(generation.min_ticks.unwrap_or(0)));
        let threads = std::mem::take(&mut generation.threads);
        let source = Source { threads: &threads, frequency, format };
        let mut samples = generation.sample_times(frequency).into_iter().peekable();
        let mut front = Heap::new();
        for (index, thread) in threads.iter().enumerate() {
            let mut cursor = Cursor::new(thread.m, index);
            if cursor.next(&source, generation, out) {
                front.insert(cursor.event.time, cursor);
            }
        }
        let mut tries = TRIES;
        loop {
            let earliest = front.time(0);
            if samples.peek().is_some_and(|&sample| earliest.is_none_or(|time| sample < time)) {
                out.event(samples.next().unwrap_or(0));
                out.summary.cpu_samples += 1;
                continue;
            }
            if earliest.is_none() {
                break;
            }
            tries = tries.saturating_add(TRIES_PER_EVENT);
            let at = self.fitting(&mut front, &mut tries, generation, out).unwrap_or_else(|| {
                out.summary.forced += 1;
                self.advance(front.get(0), generation, out, true);
                0
            });
            let Some(cursor) = front.get_mut(at) else {
                break;
            };
            if cursor.next(&source, generation, out) {
                let time = cursor.event.time;
                front.update(at, time);
            } else {
                front.remove(at);
            }
        }
    }

    /// Applies the earliest event that fits and tells where in the front it is.
    fn fitting(
        &mut self,
        front: &mut Heap<Cursor>,
        tries: &mut u64,
        generation: &mut Generation,
        out: &mut Sched,
    ) -> Option<usize> {
        if self.advance(front.get(0), generation, out, false) {
            return Some(0);
        }
        *tries = tries.checked_sub(to_u64(front.len()))?;
        front.sort();
        (1..front.len()).find(|&at| self.advance(front.get(at), generation, out, false))
    }

    /// Applies the cursor's event if it fits, or in any case when forced.
    fn advance(&mut self, cursor: Option<&Cursor>, generation: &mut Generation, out: &mut Sched, force: bool) -> bool {
        let Some(cursor) = cursor else { return false };
        let Event { kind, time, args } = cursor.event;
        let [a, b, c, stack] = args;
        let m = cursor.m;
        let seq = Seq { generation: generation.number, number: b };
        let zero = Seq { generation: generation.number, number: 0 };
        let first = self.first_generation == Some(generation.number);
        let origin = if force { Origin::Forced } else { Origin::Moved };
        let bound = self.ms.get(&m).copied().unwrap_or(Bound { g: NONE, p: NONE });
        let mut now_bound = bound;
        match kind {
            id::PROC_START => {
                let fits = self.ps.get(&a).is_some_and(|p| p.status == PStatus::Idle && seq.follows(p.seq));
                if !force && (!fits || bound.p != NONE) {
                    return false;
                }
                self.ps.insert(a, Thing { status: PStatus::Running, seq });
                now_bound.p = a;
                let now = out.event(time);
                out.proc(now, a, true);
                out.summary.proc_starts += 1;
            }
            id::PROC_STOP => {
                self.set_p(bound.p, PStatus::Idle);
                now_bound.p = NONE;
                let now = out.event(time);
                if bound.p != NONE {
                    out.proc(now, bound.p, false);
                }
            }
            id::PROC_STEAL => {
                let status = self.ps.get(&a).filter(|p| seq.follows(p.seq)).map(|p| p.status);
                let fits = matches!(status, Some(PStatus::Syscall | PStatus::Abandoned));
                if !force && !fits {
                    return false;
                }
                self.ps.insert(a, Thing { status: PStatus::Idle, seq });
                if status != Some(PStatus::Abandoned) {
                    if c == m {
                        now_bound.p = NONE;
                    } else if let Some(robbed) = self.ms.get_mut(&c).filter(|robbed| robbed.p == a) {
                        robbed.p = NONE;
                    }
                }
                let now = out.event(time);
                out.proc(now, a, false);
                if let Some(steals) = &mut out.summary.proc_steals {
                    *steals += 1;
                }
            }
            id::PROC_STATUS => {
                let Some(mut status) = proc_status(b) else {
                    return self.skip(time, out);
                };
                let old = self.ps.get(&a).map(|p| p.status);
                if status == PStatus::Abandoned && old == Some(PStatus::Syscall) {
                    status = PStatus::Syscall;
                } else if matches!(status, PStatus::Running | PStatus::Syscall) {
                    now_bound.p = a;
                }
                self.ps.insert(a, Thing { status, seq: zero });
                let now = out.event(time);
                out.proc(now, a, matches!(status, PStatus::Running | PStatus::Syscall));
            }
            id::GO_CREATE | id::GO_CREATE_BLOCKED => {
                let status = if kind == id::GO_CREATE { GoState::Runnable } else { GoState::Waiting };
                self.gs.insert(a, Thing { status, seq: zero });
                let now = out.event(time);
                let name = |names: &mut Names| generation.root_name(b, names);
                out.goroutine(now, a, Some(status), Origin::Created, name);
            }
            id::GO_CREATE_SYSCALL => {
                self.gs.insert(a, Thing { status: GoState::Syscall, seq: zero });
                now_bound.g = a;
                let now = out.event(time);
                out.goroutine(now, a, Some(GoState::Syscall), Origin::Created, unnamed);
            }
            id::GO_START => {
                let fits = self.goroutine_fits(a, GoState::Runnable, seq);
                if !force && !fits {
                    return false;
                }
                self.gs.insert(a, Thing { status: GoState::Running, seq });
                now_bound.g = a;
                let now = out.event(time);
                out.goroutine(now, a, Some(GoState::Running), origin, unnamed);
            }
            id::GO_DESTROY | id::GO_STOP | id::GO_BLOCK => {
                let to = match kind {
                    id::GO_DESTROY => None,
                    id::GO_STOP => Some(GoState::Runnable),
                    _ => Some(GoState::Waiting),
                };
                self.set_g(bound.g, to);
                now_bound.g = NONE;
                let now = out.event(time);
                if bound.g != NONE {
                    out.goroutine(now, bound.g, to, origin, |names: &mut Names| generation.root_name(b, names));
                }
            }
            id::GO_DESTROY_SYSCALL => {
                if bound.p != NONE {
                    self.set_p(bound.p, PStatus::Abandoned);
                    now_bound.p = NONE;
                    let now = out.event(time);
                    out.proc(now, bound.p, false);
                }
                self.set_g(bound.g, None);
                now_bound.g = NONE;
                let now = out.event(time);
                if bound.g != NONE {
                    out.goroutine(now, bound.g, None, origin, unnamed);
                }
            }
            id::GO_UNBLOCK => {
                if !force && !self.goroutine_fits(a, GoState::Waiting, seq) {
                    return false;
                }
                self.gs.insert(a, Thing { status: GoState::Runnable, seq });
                let now = out.event(time);
                out.goroutine(now, a, Some(GoState::Runnable), origin, unnamed);
            }
            id::GO_SWITCH | id::GO_SWITCH_DESTROY => {
                if !force && !self.goroutine_fits(a, GoState::Waiting, seq) {
                    return false;
                }
                let left = (kind == id::GO_SWITCH).then_some(GoState::Waiting);
                self.set_g(bound.g, left);
                self.gs.insert(a, Thing { status: GoState::Running, seq });
                now_bound.g = a;
                let now = out.event(time);
                out.goroutine(now, a, Some(GoState::Runnable), origin, unnamed);
                let now = out.event(time);
                if bound.g != NONE {
                    out.goroutine(now, bound.g, left, origin, unnamed);
                }
                let now = out.event(time);
                out.goroutine(now, a, Some(GoState::Running), origin, unnamed);
            }
            id::GO_SYSCALL_BEGIN => {
                self.set_g(bound.g, Some(GoState::Syscall));
                if let Some(p) = self.ps.get_mut(&bound.p) {
                    let seq = Seq { generation: generation.number, number: a };
                    *p = Thing { status: PStatus::Syscall, seq };
                }
                let now = out.event(time);
                if bound.g != NONE {
                    let name = |names: &mut Names| generation.root_name(b, names);
                    out.goroutine(now, bound.g, Some(GoState::Syscall), origin, name);
                }
            }
            id::GO_SYSCALL_END => {
                self.set_g(bound.g, Some(GoState::Running));
                self.set_p(bound.p, PStatus::Running);
                let now = out.event(time);
                if bound.g != NONE {
                    out.goroutine(now, bound.g, Some(GoState::Running), origin, unnamed);
                }
            }
            id::GO_SYSCALL_END_BLOCKED => {
                let holds = self.ps.get(&bound.p).is_some_and(|p| p.status == PStatus::Syscall);
                if !force && holds {
                    return false;
                }
                self.set_g(bound.g, Some(GoState::Runnable));
                now_bound.g = NONE;
                let now = out.event(time);
                if bound.g != NONE {
                    out.goroutine(now, bound.g, Some(GoState::Runnable), origin, unnamed);
                }
            }
            id::GO_STATUS | id::GO_STATUS_STACK => {
                let Some(status) = go_status(c) else {
                    return self.skip(time, out);
                };
                self.gs.insert(a, Thing { status, seq: zero });
                match status {
                    GoState::Running => now_bound.g = a,
                    GoState::Syscall if b == m => now_bound.g = a,
                    GoState::Syscall if b != NO_THREAD => {
                        self.ms.entry(b).or_insert(Bound { g: a, p: NONE }).g = a;
                    }
                    _ => {}
                }
                let now = out.event(time);
                let name = |names: &mut Names| generation.root_name(stack, names);
                out.goroutine(now, a, Some(status), Origin::Status, name);
            }
            id::GC_ACTIVE | id::GC_BEGIN | id::GC_END => {
                let start = match kind {
                    id::GC_ACTIVE => first,
                    id::GC_BEGIN => self.gc == Gc::Unknown,
                    _ => false,
                };
                if !force && !start && self.gc_seq.checked_add(1) != Some(a) {
                    return false;
                }
                let was = std::mem::replace(&mut self.gc, if kind == id::GC_END { Gc::Off } else { Gc::On });
                self.gc_seq = a;
                let now = out.event(time);
                match kind {
                    id::GC_END => out.gc.end(now),
                    id::GC_ACTIVE if was == Gc::On => {}
                    _ => out.gc.begin(now, String::new()),
                }
            }
            id::STW_BEGIN => {
                let now = out.event(time);
                let reason = generation.string(a).unwrap_or_default();
                out.stw.begin(now, String::from_utf8_lossy(reason).into_owned());
            }
            id::STW_END => {
                let now = out.event(time);
                out.stw.end(now);
            }
            id::MARK_ASSIST_ACTIVE => {
                let now = out.event(time);
                if first {
                    out.mark_assist(now, a, true);
                }
            }
            id::MARK_ASSIST_BEGIN | id::MARK_ASSIST_END => {
                let now = out.event(time);
                out.mark_assist(now, bound.g, kind == id::MARK_ASSIST_BEGIN);
            }
            id::PROCS_CHANGE => {
                let now = out.event(time);
                out.gomaxprocs(now, a);
            }
            id::HEAP_ALLOC => {
                out.event(time);
                out.heap(Some(a), None);
            }
            id::HEAP_GOAL => {
                out.event(time);
                out.heap(None, Some(a));
            }
            _ => {
                out.event(time);
            }
        }
        if m != NO_THREAD && (now_bound.g, now_bound.p) != (bound.g, bound.p) {
            self.ms.insert(m, now_bound);
        }
        true
    }

    /// An event with an impossible status: counted, without effect.
    fn skip(&self, time: u64, out: &mut Sched) -> bool {
        out.event(time);
        out.summary.forced += 1;
        true
    }

    fn goroutine_fits(&self, g: u64, status: GoState, seq: Seq) -> bool {
        self.gs.get(&g).is_some_and(|known| known.status == status && seq.follows(known.seq))
    }

    fn set_g(&mut self, g: u64, to: Option<GoState>) {
        match to {
            None => {
                self.gs.remove(&g);
            }
            Some(status) => {
                if let Some(known) = self.gs.get_mut(&g) {
                    known.status = status;
                }
            }
        }
    }

    fn set_p(&mut self, p: u64, status: PStatus) {
        if let Some(known) = self.ps.get_mut(&p) {
            known.status = status;
        }
    }
}

fn proc_status(number: u64) -> Option<PStatus> {
    [PStatus::Running, PStatus::Idle, PStatus::Syscall, PStatus::Abandoned]
        .get(usize::try_from(number.checked_sub(1)?).ok()?)
        .copied()
}

fn go_status(number: u64) -> Option<GoState> {
    [GoState::Runnable, GoState::Running, GoState::Syscall, GoState::Waiting]
        .get(usize::try_from(number.checked_sub(1)?).ok()?)
        .copied()
}

fn unnamed(_: &mut Names) -> NameId {
    UNNAMED
}
