//! One generation of a trace: about a second of all threads, with its own tables of strings and stacks.
//! The tables may come after the events that use them, so a generation is collected whole.

use std::collections::HashMap;
use std::ops::Range;

use super::names::{NameId, Names, UNNAMED};
use super::trace::WallClock;
use super::wire::{Wire, to_f64, to_u64, truncate};

pub(super) const NO_THREAD: u64 = u64::MAX;

const MAX_STRING: u64 = 1 << 10;
const MAX_FRAMES: u64 = 128;
/// What a batch costs beside its bytes.
const BATCH_COST: usize = 64;

mod id {
    pub const STACKS: u8 = 2;
    pub const STACK: u8 = 3;
    pub const STRINGS: u8 = 4;
    pub const STRING: u8 = 5;
    pub const CPU_SAMPLES: u8 = 6;
    pub const CPU_SAMPLE: u8 = 7;
    pub const FREQUENCY: u8 = 8;
    pub const SYNC: u8 = 50;
    pub const CLOCK_SNAPSHOT: u8 = 51;
}

/// Nanoseconds per tick.
#[derive(Clone, Copy)]
pub(super) struct Frequency(f64);

impl Frequency {
    /// `None` for 0.
    pub fn per_second(ticks: u64) -> Option<Self> {
        (ticks > 0).then(|| Frequency(1.0 / (to_f64(ticks) / 1e9)))
    }

    #[inline]
    pub fn ns(self, ticks: u64) -> u64 {
        truncate(to_f64(ticks) * self.0)
    }
}

/// Events of one thread: where they lie in the generation's bytes and in the file.
#[derive(Clone)]
pub(super) struct Batch {
    pub time: u64,
    pub data: Range<usize>,
    pub offset: u64,
}

/// The batches of one thread, in file order.
pub(super) struct Thread {
    pub m: u64,
    pub batches: Vec<Batch>,
}

#[derive(Default)]
pub(super) struct Generation {
    pub number: u64,
    pub bytes: Vec<u8>,
    pub threads: Vec<Thread>,
    thread_index: HashMap<u64, usize>,
    pub min_ticks: Option<u64>,
    pub frequency: Option<Frequency>,
    snapshot: Option<(u64, u64, u64, u64)>,
    strings: HashMap<u64, Range<usize>>,
    /// Stack id to the string id of its outermost function.
    roots: HashMap<u64, u64>,
    root_names: HashMap<u64, NameId>,
    /// Ticks of the CPU samples.
    pub samples: Vec<u64>,
    batches: usize,
    /// Stacks or strings were seen: all events of the generation lie before them.
    pub has_tables: bool,
    strings_seen: bool,
    /// Where the first damaged table entry is.
    pub damaged: Option<u64>,
}

impl Generation {
    pub fn clear(&mut self, number: u64) {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        *self = Generation { number, bytes, ..Generation::default() };
    }

    pub fn is_empty(&self) -> bool {
        self.batches == 0
    }

    /// Bytes held, roughly.
    pub fn cost(&self) -> usize {
        self.bytes.len().saturating_add(self.batches.saturating_mul(BATCH_COST))
    }

    /// Strings come last in a generation, and no generation is without them.
    pub fn has_strings(&self) -> bool {
        self.strings_seen && self.roots.values().all(|string| *string == 0 || self.strings.contains_key(string))
    }

    /// Takes in the batch of thread `m` whose data are the last bytes of `self.bytes`.
    pub fn add(&mut self, m: u64, batch: Batch, format: u32) {
        self.batches += 1;
        self.min_ticks = Some(self.min_ticks.map_or(batch.time, |least| least.min(batch.time)));
        let bytes = std::mem::take(&mut self.bytes);
        let data = bytes.get(batch.data.clone()).unwrap_or_default();
        self.has_tables |= matches!(data.first(), Some(&(id::STACKS | id::STRINGS)));
        self.strings_seen |= data.first() == Some(&id::STRINGS);
        let whole = match data.first() {
            Some(&id::STRINGS) => self.add_strings(data, batch.data.start),
            Some(&id::STACKS) => self.add_stacks(data),
            Some(&id::CPU_SAMPLES) => self.add_samples(data),
            Some(&id::FREQUENCY) if format < 25 => self.add_sync(data, 0, batch.time),
            Some(&id::SYNC) if format >= 25 => self.add_sync(data, 1, batch.time),
            Some(_) => {
                self.add_events(m, batch.clone());
                Some(())
            }
            None => Some(()),
        };
        if whole.is_none() {
            self.damaged.get_or_insert(batch.offset);
        }
        self.bytes = bytes;
    }

    fn add_events(&mut self, m: u64, batch: Batch) {
        let next = self.threads.len();
        let index = *self.thread_index.entry(m).or_insert(next);
        if index == next {
            self.threads.push(Thread { m, batches: Vec::new() });
        }
        if let Some(thread) = self.threads.get_mut(index) {
            thread.batches.push(batch);
        }
    }

    fn add_strings(&mut self, data: &[u8], base: usize) -> Option<()> {
        let mut wire = Wire::at(data, 1);
        while !wire.is_empty() {
            let (kind, string) = (wire.byte()?, wire.uvarint()?);
            let length = wire.uvarint()?;
            if kind != id::STRING || length > MAX_STRING {
                return None;
            }
            let start = base + wire.pos();
            wire.take(length)?;
            self.strings.insert(string, start..base + wire.pos());
        }
        Some(())
    }

    fn add_stacks(&mut self, data: &[u8]) -> Option<()> {
        let mut wire = Wire::at(data, 1);
        while !wire.is_empty() {
            let (kind, stack, frames) = (wire.byte()?, wire.uvarint()?, wire.uvarint()?);
            if kind != id::STACK || frames > MAX_FRAMES {
                return None;
            }
            let mut root = 0;
            for _ in 0..frames {
                let [_pc, function, _file, _line] = varints(&mut wire)?;
                root = function;
            }
            self.roots.insert(stack, root);
        }
        Some(())
    }

    fn add_samples(&mut self, data: &[u8]) -> Option<()> {
        let mut wire = Wire::at(data, 1);
        while !wire.is_empty() {
            let kind = wire.byte()?;
            let [ticks, _m, _p, _g, _stack] = varints(&mut wire)?;
            if kind != id::CPU_SAMPLE {
                return None;
            }
            self.samples.push(ticks);
        }
        Some(())
    }

    fn add_sync(&mut self, data: &[u8], start: usize, time: u64) -> Option<()> {
        let mut wire = Wire::at(data, start);
        while !wire.is_empty() {
            match wire.byte()? {
                id::FREQUENCY => self.frequency = Frequency::per_second(wire.uvarint()?),
                id::CLOCK_SNAPSHOT => {
                    let [delta, monotonic, seconds, nanoseconds] = varints(&mut wire)?;
                    let ticks = time.saturating_add(delta);
                    self.snapshot = Some((ticks, monotonic, seconds, nanoseconds));
                }
                _ => return None,
            }
        }
        Some(())
    }

    pub fn clock(&self) -> Option<WallClock> {
        let (ticks, monotonic_ns, seconds, nanoseconds) = self.snapshot?;
        let unix_ns = seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds)?;
        let trace_ns = self.frequency?.ns(ticks);
        Some(WallClock { trace_ns, monotonic_ns, unix_ns: i64::try_from(unix_ns).ok()? })
    }

    pub fn string(&self, id: u64) -> Option<&[u8]> {
        self.bytes.get(self.strings.get(&id)?.clone())
    }

    /// The function at the bottom of a stack, which is where its goroutine started.
    pub fn root_name(&mut self, stack: u64, names: &mut Names) -> NameId {
        let Some(&string) = self.roots.get(&stack) else {
            return UNNAMED;
        };
        if let Some(&name) = self.root_names.get(&string) {
            return name;
        }
        let name = self.string(string).map_or(UNNAMED, |text| names.intern(text));
        self.root_names.insert(string, name);
        name
    }

    /// Nanoseconds of the CPU samples, sorted.
    pub fn sample_times(&self, frequency: Frequency) -> Vec<u64> {
        let mut times: Vec<_> = self.samples.iter().map(|&ticks| frequency.ns(ticks)).collect();
        times.sort_unstable();
        times
    }

    pub fn event_bytes(&self) -> u64 {
        let batches = self.threads.iter().flat_map(|thread| &thread.batches);
        batches.map(|batch| to_u64(batch.data.len())).sum()
    }
}

fn varints<const N: usize>(wire: &mut Wire) -> Option<[u64; N]> {
    let mut values = [0; N];
    for value in &mut values {
        *value = wire.uvarint()?;
    }
    Some(values)
}
