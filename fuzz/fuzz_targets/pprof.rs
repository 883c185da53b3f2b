//! Any bytes as a profile, in protobuf or an older form.
#![no_main]

use coroner::golang::{read_legacy, read_profile, recognise};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    recognise(data);
    read_legacy(data);
    if let Ok(profile) = read_profile(data) {
        profile.top(profile.default_type);
        profile.labels(profile.default_type);
        profile.contention();
    }
});
