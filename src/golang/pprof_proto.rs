//! The protobuf message of a pprof profile, field by field. Numbers are ids and string indexes as they
//! stand in the file; strings and functions come after the samples that use them, so nothing is resolved
//! here. Field numbers are those of pprof's `profile.proto`.

use std::ops::Range;

use super::wire::Wire;

/// Samples, locations, functions or mappings kept of each; a real profile has thousands.
const MAX_ENTRIES: usize = 4_000_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawType {
    pub kind: u64,
    pub unit: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawLabel {
    pub key: u64,
    pub text: u64,
    pub number: u64,
    pub unit: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawMapping {
    pub id: u64,
    pub file: u64,
    pub build_id: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RawLocation {
    pub id: u64,
    pub mapping: u64,
    /// Function ids, the innermost inlined one first.
    pub functions: Vec<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RawFunction {
    pub id: u64,
    pub name: u64,
    pub file: u64,
}

/// Ends of a sample's stretches in the shared vectors; they start where the previous sample's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    locations: usize,
    values: usize,
    labels: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Raw {
    pub types: Vec<RawType>,
    ends: Vec<Ends>,
    locations_of: Vec<u64>,
    values_of: Vec<u64>,
    labels_of: Vec<RawLabel>,
    pub mappings: Vec<RawMapping>,
    pub locations: Vec<RawLocation>,
    pub functions: Vec<RawFunction>,
    pub strings: Vec<Range<usize>>,
    pub drop_frames: u64,
    pub keep_frames: u64,
    pub time: u64,
    pub duration: u64,
    pub period_type: RawType,
    pub period: u64,
    pub default_type: u64,
}

/// One sample: location ids from the leaf on, values by sample type, labels.
pub(super) struct RawSample<'a> {
    pub locations: &'a [u64],
    pub values: &'a [u64],
    pub labels: &'a [RawLabel],
}

enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    fn number(&self) -> u64 {
        match self {
            Value::Number(number) => *number,
            Value::Bytes(_) => 0,
        }
    }
}

/// The next field of a message; `None` at its end or where it is damaged.
fn field<'a>(wire: &mut Wire<'a>) -> Option<(u64, Value<'a>)> {
    let tag = wire.uvarint()?;
    let value = match tag & 7 {
        0 => Value::Number(wire.uvarint()?),
        1 => Value::Bytes(wire.take(8)?),
        2 => {
            let length = wire.uvarint()?;
            Value::Bytes(wire.take(length)?)
        }
        5 => Value::Bytes(wire.take(4)?),
        _ => return None,
    };
    (tag >> 3 > 0).then_some((tag >> 3, value))
}

fn each<'a>(data: &'a [u8], mut take: impl FnMut(u64, Value<'a>)) -> Option<()> {
    let mut wire = Wire::new(data);
    while !wire.is_empty() {
        let (number, value) = field(&mut wire)?;
        take(number, value);
    }
    Some(())
}

/// A repeated integer, packed or not.
fn integers(value: &Value, into: &mut Vec<u64>) {
    match value {
        Value::Number(number) => into.push(*number),
        Value::Bytes(packed) => {
            let mut wire = Wire::new(packed);
            into.extend(std::iter::from_fn(|| wire.uvarint()));
        }
    }
}

impl Raw {
    /// Reads as far as the message is whole; the second value is where it stopped, if before the end.
    pub fn of(data: &[u8]) -> (Raw, Option<usize>) {
        let mut raw = Raw::default();
        let mut wire = Wire::new(data);
        while !wire.is_empty() {
            let start = wire.pos();
            let read = field(&mut wire).and_then(|(number, value)| match value {
                Value::Bytes(bytes) => raw.message(number, bytes, wire.pos()),
                Value::Number(value) => {
                    raw.scalar(number, value);
                    Some(())
                }
            });
            if read.is_none() {
                return (raw, Some(start));
            }
        }
        (raw, None)
    }

    fn scalar(&mut self, number: u64, value: u64) {
        match number {
            7 => self.drop_frames = value,
            8 => self.keep_frames = value,
            9 => self.time = value,
            10 => self.duration = value,
            12 => self.period = value,
            14 => self.default_type = value,
            _ => {}
        }
    }

    fn message(&mut self, number: u64, bytes: &[u8], end: usize) -> Option<()> {
        let full = match number {
            2 => self.ends.len(),
            3 => self.mappings.len(),
            4 => self.locations.len(),
            5 => self.functions.len(),
            6 => self.strings.len(),
            _ => self.types.len(),
        };
        if full >= MAX_ENTRIES {
            return None;
        }
        match number {
            1 => self.types.push(value_type(bytes)?),
            2 => self.sample(bytes)?,
            3 => self.mappings.push(mapping(bytes)?),
            4 => self.locations.push(location(bytes)?),
            5 => self.functions.push(function(bytes)?),
            6 => self.strings.push(end - bytes.len()..end),
            11 => self.period_type = value_type(bytes)?,
            _ => {}
        }
        Some(())
    }

    fn sample(&mut self, bytes: &[u8]) -> Option<()> {
        let mut label = None;
        each(bytes, |number, value| match (number, &value) {
            (1, _) => integers(&value, &mut self.locations_of),
            (2, _) => integers(&value, &mut self.values_of),
            (3, Value::Bytes(bytes)) => match raw_label(bytes) {
                Some(read) => self.labels_of.push(read),
                None => label = Some(()),
            },
            _ => {}
        })?;
        self.ends.push(Ends {
            locations: self.locations_of.len(),
            values: self.values_of.len(),
            labels: self.labels_of.len(),
        });
        label.is_none().then_some(())
    }

    pub fn sample_count(&self) -> usize {
        self.ends.len()
    }

    pub fn samples(&self) -> impl Iterator<Item = RawSample<'_>> {
        let mut start = Ends::default();
        self.ends.iter().map(move |&end| {
            let from = std::mem::replace(&mut start, end);
            RawSample {
                locations: self.locations_of.get(from.locations..end.locations).unwrap_or_default(),
                values: self.values_of.get(from.values..end.values).unwrap_or_default(),
                labels: self.labels_of.get(from.labels..end.labels).unwrap_or_default(),
            }
        })
    }
}

/// Whether the message begins as a profile does: known fields of the right shape, and among the first of
/// them a sample type. (Go's runtime puts the period before it.)
pub(super) fn begins_profile(head: &[u8]) -> bool {
    let mut wire = Wire::new(head);
    for _ in 0..8 {
        match field(&mut wire) {
            Some((1, Value::Bytes(bytes))) => {
                let sized = (2..=24).contains(&bytes.len());
                return sized && matches!(bytes.first(), Some(0x08 | 0x10)) && value_type(bytes).is_some();
            }
            Some((11, Value::Bytes(bytes))) if bytes.len() <= 24 => {}
            Some((7..=10 | 12 | 14 | 15, Value::Number(_))) => {}
            _ => return false,
        }
    }
    false
}

fn value_type(bytes: &[u8]) -> Option<RawType> {
    let mut read = RawType::default();
    each(bytes, |number, value| match number {
        1 => read.kind = value.number(),
        2 => read.unit = value.number(),
        _ => {}
    })?;
    Some(read)
}

fn raw_label(bytes: &[u8]) -> Option<RawLabel> {
    let mut read = RawLabel::default();
    each(bytes, |number, value| match number {
        1 => read.key = value.number(),
        2 => read.text = value.number(),
        3 => read.number = value.number(),
        4 => read.unit = value.number(),
        _ => {}
    })?;
    Some(read)
}

fn mapping(bytes: &[u8]) -> Option<RawMapping> {
    let mut read = RawMapping::default();
    each(bytes, |number, value| match number {
        1 => read.id = value.number(),
        5 => read.file = value.number(),
        6 => read.build_id = value.number(),
        _ => {}
    })?;
    Some(read)
}

fn location(bytes: &[u8]) -> Option<RawLocation> {
    let mut read = RawLocation::default();
    each(bytes, |number, value| match (number, &value) {
        (1, _) => read.id = value.number(),
        (2, _) => read.mapping = value.number(),
        (4, Value::Bytes(line)) => read.functions.push(line_function(line)),
        _ => {}
    })?;
    Some(read)
}

fn line_function(bytes: &[u8]) -> u64 {
    let mut function = 0;
    let _ = each(bytes, |number, value| {
        if number == 1 {
            function = value.number();
        }
    });
    function
}

fn function(bytes: &[u8]) -> Option<RawFunction> {
    let mut read = RawFunction::default();
    each(bytes, |number, value| match number {
        1 => read.id = value.number(),
        2 => read.name = value.number(),
        4 => read.file = value.number(),
        _ => {}
    })?;
    Some(read)
}
