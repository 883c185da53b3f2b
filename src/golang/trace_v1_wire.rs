//! The bytes of formats 11, 19 and 21: events in batches of a processor, with strings, stacks and CPU
//! samples strewn between them. One walk over the file finds the batches and the tables.

use std::collections::HashMap;
use std::ops::Range;

use super::names::{NameId, Names, UNNAMED};
use super::wire::Wire;

const PROC_STOP: u8 = 6;
const STRING: u8 = 37;
const USER_LOG: u8 = 48;
const MAX_STRING: u64 = 1_000_000;
/// The longest list of arguments that is believed, in bytes.
const MAX_ARGUMENTS: u64 = 32 << 10;
const MAX_FRAMES: u64 = 1000;

/// Arguments after the time, and whether a stack follows them; `None` for what has no time.
fn shape(kind: u8) -> Option<(usize, bool)> {
    Some(match kind {
        6 | 8 | 10 | 15 | 30 | 36 | 44 => (0, false),
        11 | 16..=20 | 22..=28 | 42 | 43 => (0, true),
        5 | 9 | 31..=34 | 38 => (1, false),
        4 | 7 | 39 | 46 => (1, true),
        12 | 14 | 40 => (2, false),
        13 | 21 | 48 => (2, true),
        29 | 41 => (3, false),
        45 | 47 | 49 => (3, true),
        _ => return None,
    })
}

/// One record of the file.
pub(super) enum Record<'a> {
    String {
        id: u64,
        text: &'a [u8],
    },
    Batch {
        p: u64,
        ticks: u64,
    },
    Frequency(u64),
    Stack {
        id: u64,
        root: u64,
    },
    Event {
        kind: u8,
        delta: u64,
        args: [u64; 4],
        stack: u64,
    },
    /// Well-formed, of no use here.
    Other,
}

/// The next record; `None` at a cut or damaged one.
pub(super) fn record<'a>(wire: &mut Wire<'a>, format: u32) -> Option<Record<'a>> {
    let byte = wire.byte()?;
    let (kind, inline) = (byte & 0x3f, byte >> 6);
    if kind == 0 || kind > 49 || (kind == 49 && format < 19) {
        return None;
    }
    if kind == STRING {
        let (id, length) = (wire.uvarint()?, wire.uvarint()?);
        let text = wire.take(length).filter(|_| length <= MAX_STRING)?;
        return Some(Record::String { id, text });
    }
    if kind == 1 {
        return Some(Record::Batch { p: wire.uvarint()?, ticks: wire.uvarint()? });
    }
    if inline < 3 {
        let mut values = [0; 6];
        for value in values.iter_mut().take(usize::from(inline) + 1) {
            *value = wire.uvarint()?;
        }
        return Some(interpret(kind, &values, usize::from(inline) + 1));
    }
    let length = wire.uvarint().filter(|&length| length <= MAX_ARGUMENTS)?;
    let mut inner = Wire::new(wire.take(length)?);
    let record = if kind == 3 { stack(&mut inner)? } else { listed(kind, &mut inner)? };
    if kind == USER_LOG {
        let length = wire.uvarint()?;
        wire.take(length)?;
    }
    Some(record)
}

fn listed(kind: u8, wire: &mut Wire) -> Option<Record<'static>> {
    let mut values = [0; 6];
    let mut count = 0;
    while !wire.is_empty() {
        let value = wire.uvarint()?;
        if let Some(slot) = values.get_mut(count) {
            *slot = value;
        }
        count += 1;
    }
    Some(interpret(kind, &values, count))
}

fn interpret(kind: u8, values: &[u64; 6], count: usize) -> Record<'static> {
    let [delta, ..] = *values;
    if kind == 2 {
        return Record::Frequency(delta);
    }
    let Some((plain, has_stack)) = shape(kind) else {
        return Record::Other;
    };
    if count != 1 + plain + usize::from(has_stack) {
        return Record::Other;
    }
    let mut args = [0; 4];
    args.iter_mut().zip(values.iter().skip(1)).take(plain).for_each(|(arg, value)| *arg = *value);
    let stack = if has_stack { values.get(1 + plain).copied().unwrap_or(0) } else { 0 };
    Record::Event { kind, delta, args, stack }
}

fn stack(wire: &mut Wire) -> Option<Record<'static>> {
    let (id, frames) = (wire.uvarint()?, wire.uvarint()?);
    if frames > MAX_FRAMES {
        return None;
    }
    let mut root = 0;
    for _ in 0..frames {
        let (_pc, function, _file, _line) = (wire.uvarint()?, wire.uvarint()?, wire.uvarint()?, wire.uvarint()?);
        root = function;
    }
    Some(Record::Stack { id, root })
}

/// The batches of one processor, in file order: where their records lie, and their time base.
pub(super) struct Processor {
    pub p: u64,
    pub batches: Vec<(Range<usize>, u64)>,
    last_ticks: u64,
    stopped: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub ticks: u64,
    pub p: u64,
    pub g: u64,
}

/// What one walk over the file finds.
#[derive(Default)]
pub(super) struct Index {
    pub processors: Vec<Processor>,
    pub samples: Vec<Sample>,
    pub ticks_per_second: Option<u64>,
    strings: HashMap<u64, Range<usize>>,
    roots: HashMap<u64, u64>,
    /// The first byte that is not part of a whole record.
    pub end: usize,
    /// Records with an unexpected number of arguments.
    pub odd: u64,
}

impl Index {
    pub fn of(data: &[u8], format: u32) -> Self {
        let mut index = Index::default();
        let mut numbers = HashMap::new();
        let mut current = None;
        let mut wire = Wire::new(data);
        while let Some(record) = record(&mut wire, format) {
            index.end = wire.pos();
            match record {
                Record::Batch { p, ticks } => {
                    let next = index.processors.len();
                    let number = *numbers.entry(p).or_insert(next);
                    if number == next {
                        index.processors.push(Processor { p, batches: Vec::new(), last_ticks: 0, stopped: false });
                    }
                    current = Some(number);
                    if let Some(processor) = index.processors.get_mut(number) {
                        processor.batches.push((index.end..index.end, ticks));
                        processor.last_ticks = ticks;
                    }
                }
                Record::String { id, text } => {
                    index.strings.insert(id, index.end - text.len()..index.end);
                }
                Record::Frequency(ticks) => index.ticks_per_second = Some(ticks).filter(|&ticks| ticks > 0),
                Record::Stack { id, root } => {
                    index.roots.insert(id, root);
                }
                Record::Event { kind: 49, args: [ticks, p, g, _], .. } => {
                    index.samples.push(Sample { ticks, p, g });
                }
                Record::Event { kind, delta, .. } => {
                    let processor = current.and_then(|number| index.processors.get_mut(number));
                    if let Some(processor) = processor {
                        processor.last_ticks = processor.last_ticks.saturating_add(delta);
                        processor.stopped = kind == PROC_STOP;
                    }
                }
                Record::Other => index.odd += 1,
            }
            let processor = current.and_then(|number| index.processors.get_mut(number));
            if let Some((range, _)) = processor.and_then(|processor| processor.batches.last_mut()) {
                range.end = index.end;
            }
        }
        index.samples.sort_by_key(|sample| sample.ticks);
        index
    }

    /// The function at the bottom of a stack, which is where its goroutine started.
    pub fn root_name(&self, data: &[u8], stack: u64, names: &mut Names) -> NameId {
        let string = self.roots.get(&stack).and_then(|root| self.strings.get(root));
        string.and_then(|range| data.get(range.clone())).map_or(UNNAMED, |text| names.intern(text))
    }

    /// The time up to which no processor's events are lost to a cut: a processor that did not stop has
    /// more to tell after its last event. Number -1 stands for threads without a processor.
    pub fn horizon(&self) -> Option<u64> {
        let real = self.processors.iter().filter(|processor| processor.p != u64::MAX);
        let running = real.filter(|processor| !processor.stopped);
        running.map(|processor| processor.last_ticks).min()
    }

    pub fn has_stacks(&self) -> bool {
        !self.roots.is_empty()
    }
}
