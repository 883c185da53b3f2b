//! Any bytes as a goroutine dump.
#![no_main]

use coroner::golang::{read_goroutines, recognise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    recognise(data);
    read_goroutines(data);
});
