//! Tells by its first bytes what a file of a Go process is. Names of files say nothing: they are
//! whatever the collector called them.

use std::io::Read;

use flate2::read::GzDecoder;

use super::pprof_legacy::{LegacyKind, read_legacy, text_header};
use super::pprof_proto::begins_profile;
use super::{goroutines_debug1, goroutines_debug2, trace};

/// Bytes of a file that are enough for [`recognise`].
pub const HEAD: usize = 4096;

/// A dump begins within this many lines; a log in which one stands further down is a log.
const FIRST_LINES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// With the format in its header, which may be one that no reader knows.
    Trace(u32),
    /// In protobuf form, gzip or plain.
    Profile,
    LegacyProfile(LegacyKind),
    /// `goroutine?debug=1`.
    Goroutines1,
    /// `goroutine?debug=2`.
    Goroutines2,
}

/// What the file with these first bytes is, if it is of a Go process; 4 KiB are enough.
pub fn recognise(head: &[u8]) -> Option<Kind> {
    if head.starts_with(&[0x1f, 0x8b]) {
        let mut plain = Vec::new();
        // The head of a gzip stream ends in the middle; what came out before counts.
        let _ = GzDecoder::new(head).take(4096).read_to_end(&mut plain);
        return begins_profile(&plain).then_some(Kind::Profile);
    }
    if let Some(format) = trace::format_of(head) {
        return Some(Kind::Trace(format));
    }
    if begins_profile(head) {
        return Some(Kind::Profile);
    }
    if head.contains(&0) {
        return read_legacy(head)
            .filter(|profile| profile.kind == LegacyKind::Cpu)
            .map(|p| Kind::LegacyProfile(p.kind));
    }
    let text = String::from_utf8_lossy(head);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines.take(FIRST_LINES) {
        if goroutines_debug1::is_header(line) {
            return Some(Kind::Goroutines1);
        }
        if goroutines_debug2::header(line, 0).is_some() {
            return Some(Kind::Goroutines2);
        }
        if let Some(profile) = text_header(line) {
            return Some(Kind::LegacyProfile(profile.kind));
        }
    }
    None
}
