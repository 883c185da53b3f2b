//! Readers of what a Go process writes about itself: execution traces, pprof profiles and goroutine
//! dumps. They turn bytes into plain data and know nothing of bundles, facts or rules. Input is hostile:
//! no reader panics, and time and memory stay proportional to the input.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::as_conversions)
)]

mod durations;
mod goroutines;
mod goroutines_debug1;
mod goroutines_debug2;
mod heap;
mod levels;
mod names;
mod pprof;
mod pprof_legacy;
mod pprof_proto;
mod pprof_top;
mod recognise;
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
pub use goroutines::{Dump, Group, read_goroutines};
pub use levels::{Bin, Bins};
pub use names::StartFunction;
pub use pprof::{Contention, Mapping, Profile, ProfileError, ProfileKind, SampleType, read_profile};
pub use pprof_legacy::{LegacyKind, LegacyProfile, LegacyStack, read_legacy};
pub use pprof_top::FunctionRow;
pub use recognise::{HEAD, Kind, recognise};
pub use spans::{Span, Spans};
pub use trace::{Limits, MaxRunnable, Note, StateTimes, Times, TraceError, TraceSummary, WallClock, read_trace};
