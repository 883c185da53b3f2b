//! Formats 22 to 26: splits a file into generations and plays each in order. Only one generation is
//! held at a time. Of a generation that the file cuts off, the whole events of the threads that are
//! there are still played; the summary then says so.

use std::io::{self, BufRead, BufReader, Read};

use super::sched::Sched;
use super::trace::{Limits, TraceSummary};
use super::trace_v2_generation::{Batch, Frequency, Generation};
use super::trace_v2_order::Order;
use super::wire::to_u64;

const EVENT_BATCH: u8 = 1;
const EXPERIMENTAL_BATCH: u8 = 49;
const END_OF_GENERATION: u8 = 52;
const MAX_BATCH: u64 = 64 << 10;

pub(super) fn read(input: impl Read, format: u32, limits: &Limits) -> io::Result<TraceSummary> {
    let mut reader = Reader {
        input: BufReader::with_capacity(1 << 16, input),
        offset: 16,
        format,
        limits,
        generation: Generation::default(),
        frequency: None,
        order: Order::default(),
        sched: Sched::new(limits, 1),
        oversized: false,
    };
    reader.sched.summary.proc_steals = Some(0);
    reader.run()?;
    Ok(reader.sched.finish(reader.frequency.is_some()))
}

struct Header {
    kind: u8,
    generation: u64,
    m: u64,
    time: u64,
    size: u64,
}

/// Why no header could be read.
enum Stop {
    End,
    Cut,
    Broken(String),
}

struct Reader<'a, R> {
    input: BufReader<R>,
    offset: u64,
    format: u32,
    limits: &'a Limits,
    generation: Generation,
    frequency: Option<Frequency>,
    order: Order,
    sched: Sched,
    oversized: bool,
}

impl<R: Read> Reader<'_, R> {
    fn run(&mut self) -> io::Result<()> {
        loop {
            let start = self.offset;
            let header = match self.header()? {
                Ok(header) => header,
                Err(stop) => {
                    self.stop(start, stop);
                    return Ok(());
                }
            };
            if header.kind == END_OF_GENERATION {
                if self.play(true) {
                    return Ok(());
                }
                continue;
            }
            if self.generation.is_empty() {
                self.generation.clear(header.generation);
            } else if header.generation != self.generation.number {
                let next = self.generation.number.checked_add(1) == Some(header.generation);
                if !next || self.format >= 26 {
                    let text = format!(
                        "generation {} where {} was expected; nothing is read from here on",
                        header.generation, self.generation.number
                    );
                    self.stop(start, Stop::Broken(text));
                    return Ok(());
                }
                if self.play(true) {
                    return Ok(());
                }
                self.generation.clear(header.generation);
            }
            if !self.batch(start, &header)? {
                self.stop(start, Stop::Cut);
                return Ok(());
            }
        }
    }

    /// Reads the data of a batch into the generation; false when the file ends within them.
    fn batch(&mut self, start: u64, header: &Header) -> io::Result<bool> {
        let from = self.generation.bytes.len();
        let room = self.limits.bytes.saturating_sub(self.generation.cost());
        let skip = header.kind == EXPERIMENTAL_BATCH || to_u64(room) < header.size;
        let mut data = self.input.by_ref().take(header.size);
        let got = if skip {
            io::copy(&mut data, &mut io::sink())?
        } else {
            to_u64(data.read_to_end(&mut self.generation.bytes)?)
        };
        self.offset += got;
        if !skip {
            let data = from..self.generation.bytes.len();
            let batch = Batch { time: header.time, data, offset: start };
            self.generation.add(header.m, batch, self.format);
        } else if header.kind != EXPERIMENTAL_BATCH && !self.oversized {
            self.oversized = true;
            let text = "this generation is larger than the reader's bound; the rest of it is skipped";
            self.sched.note(start, text);
        }
        Ok(got == header.size)
    }

    fn stop(&mut self, at: u64, stop: Stop) {
        let whole = matches!(stop, Stop::End) && self.format < 26 && self.generation.has_strings();
        match stop {
            Stop::End if self.generation.is_empty() || whole => {}
            Stop::End | Stop::Cut => {
                self.sched.summary.cut = true;
                let number = self.generation.number;
                self.sched.note(at, format!("the file ends within generation {number}"));
            }
            Stop::Broken(text) => {
                self.sched.summary.cut = true;
                self.sched.note(at, text);
            }
        }
        self.play(whole);
    }

    /// Plays the collected generation and empties it; true when enough events are read.
    fn play(&mut self, complete: bool) -> bool {
        if self.generation.is_empty() {
            return false;
        }
        let whole = complete && !self.oversized;
        let number = self.generation.number;
        if let Some(offset) = self.generation.damaged {
            self.sched.note(offset, format!("a table of generation {number} is damaged here"));
        }
        let Some(frequency) = self.generation.frequency.or(self.frequency) else {
            let lost = self.generation.event_bytes();
            let text = format!("generation {number} has no frequency; {lost} bytes of events are lost");
            self.sched.note(self.offset, text);
            self.generation.clear(0);
            return false;
        };
        self.frequency = Some(frequency);
        if self.sched.clock.is_none() && self.sched.summary.events == 0 {
            self.sched.clock = self.generation.clock();
        }
        let all_events = whole || (self.generation.has_tables && !self.oversized);
        self.sched.salvaging = !all_events;
        let before = self.sched.summary.events;
        self.order.play(&mut self.generation, frequency, self.format, &mut self.sched);
        self.sched.summary.generations += u64::from(whole);
        if !whole {
            let events = self.sched.summary.events - before;
            let mut text = format!("{events} events of generation {number} are read all the same");
            if !all_events {
                text.push_str("; events of some threads are lost");
            }
            if !self.generation.has_strings() {
                text.push_str("; names of functions are lost");
            }
            self.sched.note(self.offset, text);
        }
        self.oversized = false;
        self.generation.clear(0);
        let enough = self.sched.summary.events >= self.limits.events;
        if enough && self.input.fill_buf().is_ok_and(|rest| !rest.is_empty()) {
            self.sched.summary.stopped_early = true;
            let text = format!("stopped after generation {number}: enough events for one report");
            self.sched.note(self.offset, text);
        }
        enough
    }

    fn header(&mut self) -> io::Result<Result<Header, Stop>> {
        let at = self.offset;
        let Some(kind) = self.byte()? else {
            return Ok(Err(Stop::End));
        };
        let known = match kind {
            EVENT_BATCH => true,
            EXPERIMENTAL_BATCH => self.format >= 23,
            END_OF_GENERATION if self.format >= 26 => {
                return Ok(Ok(Header { kind, generation: 0, m: 0, time: 0, size: 0 }));
            }
            _ => false,
        };
        if !known {
            let text = format!("byte {kind:#04x} is no batch; nothing is read from here on");
            return Ok(Err(Stop::Broken(text)));
        }
        if kind == EXPERIMENTAL_BATCH && self.byte()?.is_none() {
            return Ok(Err(Stop::Cut));
        }
        let mut fields = [0; 4];
        for field in &mut fields {
            match self.uvarint()? {
                Ok(value) => *field = value,
                Err(stop) => return Ok(Err(stop)),
            }
        }
        let [generation, m, time, size] = fields;
        if generation == 0 || size > MAX_BATCH {
            let text = format!("impossible batch at {at}: generation {generation}, {size} bytes");
            return Ok(Err(Stop::Broken(text)));
        }
        Ok(Ok(Header { kind, generation, m, time, size }))
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.input.fill_buf()?.first().copied();
        if byte.is_some() {
            self.input.consume(1);
            self.offset += 1;
        }
        Ok(byte)
    }

    fn uvarint(&mut self) -> io::Result<Result<u64, Stop>> {
        let mut value = 0u64;
        for index in 0..10 {
            let Some(byte) = self.byte()? else {
                return Ok(Err(Stop::Cut));
            };
            if index == 9 && byte > 1 {
                break;
            }
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                return Ok(Ok(value));
            }
        }
        Ok(Err(Stop::Broken("a number is longer than 64 bits; nothing is read from here on".into())))
    }
}
