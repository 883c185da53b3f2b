//! Any bytes as an execution trace. Small bounds, so that reaching them is part of what is tried.
#![no_main]

use coroner::golang::{Limits, read_trace};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = read_trace(data, &Limits::default());
    let _ = read_trace(data, &Limits { events: 1000, goroutines: 10, bytes: 4096 });
});
