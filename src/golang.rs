//! Readers of what a Go process writes about itself: execution traces, pprof profiles and goroutine
//! dumps. They turn bytes into plain data and know nothing of bundles, facts or rules. Input is hostile:
//! no reader panics, and time and memory stay proportional to the input.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::as_conversions)
)]

mod durations;
mod heap;
mod levels;
mod names;
mod sched;
mod spans;
mod trace;
mod trace_v1;
mod trace_v1_merge;
mod trace_v1_wire;
mod trace_v2;
mod trace_v2_events;
mod trace_v2_generation;
mod trace_v2_order;
mod wire;

pub use durations::Waits;
pub use levels::{Bin, Bins};
pub use names::StartFunction;
pub use spans::{Span, Spans};
pub use trace::{Limits, MaxRunnable, Note, StateTimes, Times, TraceError, TraceSummary, WallClock, read_trace};
