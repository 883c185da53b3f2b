//! Go execution traces, formats 11, 19, 21 (events grouped by processor) and 22, 23, 25, 26 (grouped
//! by thread, in generations of about a second), summed up into one [`TraceSummary`]. The numbers are
//! those of Go's own reader: times are nanoseconds, an event that is not later than the one before it
//! is moved one nanosecond after it.

use std::io::{self, Read};

use super::durations::Waits;
use super::levels::Bins;
use super::names::StartFunction;
use super::spans::Spans;
use super::{trace_v1, trace_v2};

const HEADER: usize = 16;

/// Bounds on what one trace may cost.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Read whole generations until this many events are read. Format 21 and older stop right there.
    pub events: u64,
    /// Goroutines alive at one time; more are counted but not followed.
    pub goroutines: usize,
    /// Bytes held at one time: of a generation, or of a whole trace of format 21 and older.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { events: 20_000_000, goroutines: 2_000_000, bytes: 256 << 20 }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("not a Go execution trace")]
    NotATrace,
    #[error("Go execution trace of unknown format 1.{0}; known are 11, 19, 21, 22, 23, 25, 26")]
    UnknownFormat(u32),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Something that was lost, skipped or doubtful, and at which byte of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub offset: u64,
    pub text: String,
}

/// One moment on the trace's clock and on two others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    pub trace_ns: u64,
    /// `CLOCK_MONOTONIC`.
    pub monotonic_ns: u64,
    pub unix_ns: i64,
}

impl WallClock {
    /// Unix time in nanoseconds at `trace_ns`.
    pub fn unix_ns(&self, trace_ns: u64) -> i128 {
        i128::from(self.unix_ns) - i128::from(self.trace_ns) + i128::from(trace_ns)
    }
}

/// The most goroutines that were ready to run at one moment without a processor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaxRunnable {
    pub goroutines: u64,
    /// After the first event.
    pub at_ns: u64,
    /// Goroutines running at that moment.
    pub running: u64,
    /// The moment lies where threads' events are lost: some of them may have been running.
    pub upper_bound: bool,
}

/// Time in each state, summed over goroutines, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StateTimes {
    pub runnable_ns: u64,
    pub running_ns: u64,
    pub syscall_ns: u64,
    pub waiting_ns: u64,
}

/// What a trace says. Times are in [`Times`], which is missing when the trace was cut before it says
/// how long a tick is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceSummary {
    /// The 26 in `go 1.26 trace`: a format, which several Go versions share.
    pub format: u32,
    /// Whole generations read; 0 for format 21 and older, which have none.
    pub generations: u64,
    /// Events, without synchronisation points.
    pub events: u64,
    pub cpu_samples: u64,
    /// Events that no order of the threads allowed; above 0, doubt every number.
    pub forced: u64,
    /// The file ends before the trace does.
    pub cut: bool,
    /// The reader stopped at [`Limits::events`].
    pub stopped_early: bool,
    pub notes: Vec<Note>,
    pub clock: Option<WallClock>,
    /// The highest GOMAXPROCS, or the number of processors seen where it is not told.
    pub gomaxprocs: u64,
    /// Nanoseconds after the first event, and the value from then on.
    pub gomaxprocs_changes: Vec<(u64, u64)>,
    pub procs_seen: u64,
    /// Idle to Running.
    pub proc_starts: u64,
    /// Processors taken from a thread in a system call; `None` where the format does not tell.
    pub proc_steals: Option<u64>,
    pub goroutines_seen: u64,
    pub goroutines_created: u64,
    pub goroutines_ended: u64,
    /// Beyond [`Limits::goroutines`], not followed.
    pub goroutines_dropped: u64,
    pub runnable_at_end: u64,
    pub max_running: u64,
    pub max_runnable: MaxRunnable,
    /// Changes from Runnable to Running whose beginning was seen.
    pub wait_count: u64,
    /// Ends of a Runnable state that are not among the waits, since their beginning was not seen.
    pub waits_unknown_start: u64,
    /// Waits counted as user waits for want of a start function.
    pub waits_unnamed: u64,
    pub max_heap_live_bytes: Option<u64>,
    pub max_heap_goal_bytes: Option<u64>,
    pub times: Option<Times>,
}

/// The part of a [`TraceSummary`] that is time, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Of the first event, on the trace's clock.
    pub start_ns: u64,
    pub end_ns: u64,
    pub states: StateTimes,
    /// Scheduling latency of all goroutines.
    pub waits: Waits,
    /// The same without goroutines whose start function begins with `runtime.`. `None` when the trace
    /// was cut and the start function of more than a tenth of them is lost.
    pub user_waits: Option<Waits>,
    /// Time with more goroutines Runnable than GOMAXPROCS, than 4 x and than 10 x GOMAXPROCS.
    pub runnable_above_procs_ns: u64,
    pub runnable_above_4x_procs_ns: u64,
    pub runnable_above_10x_procs_ns: u64,
    /// By time Runnable, the longest first.
    pub by_start_function: Vec<StartFunction>,
    pub gc: Spans,
    pub stop_the_world: Spans,
    pub mark_assists: u64,
    /// Summed over goroutines, from begin to end of each assist.
    pub mark_assist_ns: u64,
    pub bins: Bins,
}

impl Times {
    pub fn duration_ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.start_ns)
    }
}

/// The format in the header, whether known or not.
pub(super) fn format_of(head: &[u8]) -> Option<u32> {
    let digits = head.get(..HEADER)?.strip_prefix(b"go 1.")?.strip_suffix(b" trace\0\0\0")?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Reads a trace, a generation at a time where the format has them.
///
/// # Errors
/// When the first 16 bytes are not the header of a known format, or the input fails. A cut or damaged
/// trace is no error: the summary says what is missing.
pub fn read_trace(mut input: impl Read, limits: &Limits) -> Result<TraceSummary, TraceError> {
    let mut head = Vec::with_capacity(HEADER);
    input.by_ref().take(16).read_to_end(&mut head)?;
    let format = format_of(&head).ok_or(TraceError::NotATrace)?;
    let mut summary = match format {
        11 | 19 | 21 => trace_v1::read(input, format, limits)?,
        22 | 23 | 25 | 26 => trace_v2::read(input, format, limits)?,
        _ => return Err(TraceError::UnknownFormat(format)),
    };
    summary.format = format;
    if summary.forced > 0 {
        let text = format!("{} events fit no order of the threads", summary.forced);
        summary.notes.push(Note { offset: 0, text });
    }
    if summary.goroutines_dropped > 0 {
        let text = format!("{} goroutines beyond the bound were not followed", summary.goroutines_dropped);
        summary.notes.push(Note { offset: 0, text });
    }
    Ok(summary)
}
