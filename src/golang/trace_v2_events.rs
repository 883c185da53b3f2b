//! The bytes of events: their numbers and arguments, and a cursor over the events of one thread.

use super::sched::Sched;
use super::trace_v2_generation::{Frequency, Generation, Thread};
use super::wire::Wire;

/// Numbers of the events that change something here.
pub(super) mod id {
    pub const PROCS_CHANGE: u8 = 9;
    pub const PROC_START: u8 = 10;
    pub const PROC_STOP: u8 = 11;
    pub const PROC_STEAL: u8 = 12;
    pub const PROC_STATUS: u8 = 13;
    pub const GO_CREATE: u8 = 14;
    pub const GO_CREATE_SYSCALL: u8 = 15;
    pub const GO_START: u8 = 16;
    pub const GO_DESTROY: u8 = 17;
    pub const GO_DESTROY_SYSCALL: u8 = 18;
    pub const GO_STOP: u8 = 19;
    pub const GO_BLOCK: u8 = 20;
    pub const GO_UNBLOCK: u8 = 21;
    pub const GO_SYSCALL_BEGIN: u8 = 22;
    pub const GO_SYSCALL_END: u8 = 23;
    pub const GO_SYSCALL_END_BLOCKED: u8 = 24;
    pub const GO_STATUS: u8 = 25;
    pub const STW_BEGIN: u8 = 26;
    pub const STW_END: u8 = 27;
    pub const GC_ACTIVE: u8 = 28;
    pub const GC_BEGIN: u8 = 29;
    pub const GC_END: u8 = 30;
    pub const MARK_ASSIST_ACTIVE: u8 = 34;
    pub const MARK_ASSIST_BEGIN: u8 = 35;
    pub const MARK_ASSIST_END: u8 = 36;
    pub const HEAP_ALLOC: u8 = 37;
    pub const HEAP_GOAL: u8 = 38;
    pub const GO_SWITCH: u8 = 45;
    pub const GO_SWITCH_DESTROY: u8 = 46;
    pub const GO_CREATE_BLOCKED: u8 = 47;
    pub const GO_STATUS_STACK: u8 = 48;
}

/// Arguments of an event after its time, `None` for what is no event of a thread.
fn arguments(kind: u8, format: u32) -> Option<usize> {
    let known = match kind {
        ..=44 => true,
        45..=48 | 128..=136 => format >= 23,
        _ => false,
    };
    let count = match kind {
        11 | 17 | 18 | 23 | 24 | 27 | 36 => 0,
        15 | 28 | 30 | 31 | 32 | 34 | 35 | 37 | 38 | 39 | 130 | 133 | 136 => 1,
        9 | 10 | 13 | 16 | 19 | 20 | 22 | 26 | 29 | 33 | 41 | 45 | 46 => 2,
        131 | 132 | 134 | 135 => 2,
        12 | 14 | 21 | 25 | 42 | 43 | 47 | 128 | 129 => 3,
        40 | 44 | 48 => 4,
        _ => return None,
    };
    known.then_some(count)
}

#[derive(Clone, Copy, Default)]
pub(super) struct Event {
    pub kind: u8,
    pub time: u64,
    /// Zero where the event has fewer.
    pub args: [u64; 4],
}

/// A position in the batches of one thread, and the event there.
pub(super) struct Cursor {
    pub m: u64,
    thread: usize,
    batch: usize,
    offset: usize,
    time: Option<u64>,
    pub event: Event,
}

/// What all cursors of a generation read from.
pub(super) struct Source<'a> {
    pub threads: &'a [Thread],
    pub frequency: Frequency,
    pub format: u32,
}

impl Cursor {
    pub fn new(m: u64, thread: usize) -> Self {
        Cursor { m, thread, batch: 0, offset: 0, time: None, event: Event::default() }
    }

    /// Decodes the next event; false at the end of the thread's batches, or where they are damaged.
    pub fn next(&mut self, source: &Source, generation: &Generation, out: &mut Sched) -> bool {
        let Some(thread) = source.threads.get(self.thread) else {
            return false;
        };
        loop {
            let Some(batch) = thread.batches.get(self.batch) else {
                return false;
            };
            let data = generation.bytes.get(batch.data.clone()).unwrap_or_default();
            if self.offset >= data.len() {
                (self.batch, self.offset, self.time) = (self.batch + 1, 0, None);
                continue;
            }
            let mut wire = Wire::at(data, self.offset);
            let last = self.time.unwrap_or_else(|| source.frequency.ns(batch.time));
            let Some(event) = decode(&mut wire, source, last) else {
                let lost = data.len() - self.offset;
                let text =
                    format!("{lost} bytes at the end of a batch are no event; the rest of its thread is skipped");
                out.note(batch.offset, text);
                return false;
            };
            self.event = event;
            self.time = Some(self.event.time);
            self.offset = wire.pos();
            return true;
        }
    }
}

fn decode(wire: &mut Wire, source: &Source, last: u64) -> Option<Event> {
    let kind = wire.byte()?;
    let count = arguments(kind, source.format)?;
    let time = last.saturating_add(source.frequency.ns(wire.uvarint()?));
    let mut args = [0; 4];
    for arg in args.iter_mut().take(count) {
        *arg = wire.uvarint()?;
    }
    Some(Event { kind, time, args })
}
