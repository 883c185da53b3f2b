//! Walks a tar as a stream. Damage to one header costs the entries up to the next header that reads, and a cut costs what follows it;
//! what came before always counts.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use tar::{Archive, EntryType};

use super::guard::{human, len_usize, len64};
use super::ledger::{Found, Ledger, is_over_budget, join};
use super::{NoteKind, open};

const BLOCK: u64 = 512;

/// Walks the tar that `src` yields. True if `src` ended early or failed, which is noted.
pub(super) fn walk(ledger: &mut Ledger, src: &mut dyn Read, prefix: &str, depth: u8) -> bool {
    let state = Rc::new(State::default());
    let mut gate = Gate { src, state: Rc::clone(&state) };
    let mut lost = Damage::default();
    let broken = loop {
        match entries(ledger, &mut gate, &state, prefix, depth, lost.headers > 0) {
            End::Header(e) => {
                if lost.headers == 0 {
                    lost.first = Some((state.at.get(), e));
                }
                lost.headers += 1;
                // The next header, if there is one, begins at a block.
                state.header_left.set(None);
                let into = state.at.get() % BLOCK;
                if into > 0 && io::copy(&mut (&mut gate).take(BLOCK - into), &mut io::sink()).is_err() {
                    break true;
                }
            }
            End::Marker => break drain(ledger, &mut gate, &state, prefix),
            End::Stream => break true,
            End::Stopped => break false,
        }
    };
    if let Some((at, e)) = lost.first {
        let text =
            format!("damaged near byte {at} of the tar ({e}): entries from there to the next readable header are lost");
        ledger.note("damaged", NoteKind::Lost, prefix, text);
    }
    broken
}

#[derive(Default)]
struct Damage {
    headers: u64,
    first: Option<(u64, io::Error)>,
}

enum End {
    /// The end-of-archive marker.
    Marker,
    /// A header that does not read; the stream behind it does.
    Header(io::Error),
    /// The stream ended or failed, which is noted.
    Stream,
    /// A bound was hit.
    Stopped,
}

fn entries(ledger: &mut Ledger, gate: &mut Gate, state: &State, prefix: &str, depth: u8, resync: bool) -> End {
    let mut archive = Archive::new(gate);
    // Looking for the next header after damage, zeros are content rather than the end.
    archive.set_ignore_zeros(resync);
    let mut entries = match archive.entries() {
        Ok(entries) => entries,
        Err(e) => return End::Header(e),
    };
    let mut unread = 0;
    loop {
        if ledger.stopped {
            return End::Stopped;
        }
        state.header_left.set(Some(ledger.limits.tar_header_bytes.saturating_add(unread)));
        let next = entries.next();
        state.header_left.set(None);
        let mut entry = match next {
            Some(Ok(entry)) => entry,
            None if state.ended.get() => {
                if !resync {
                    ledger.note(
                        "cut",
                        NoteKind::Lost,
                        prefix,
                        "ends without an end mark: the archive is cut, and entries may be missing",
                    );
                }
                return End::Stream;
            }
            None => return End::Marker,
            Some(Err(e)) if state.failed.get() || state.ended.get() => {
                let at = human(state.at.get());
                ledger.broke(
                    "cut",
                    prefix,
                    &format!("the archive is cut or damaged after {at} unpacked; what follows is lost"),
                    &e,
                );
                return End::Stream;
            }
            Some(Err(e)) => return End::Header(e),
        };
        let (kind, size) = (entry.header().entry_type(), entry.size());
        let sparse = kind == EntryType::GNUSparse;
        unread = if sparse { entry.header().entry_size().unwrap_or(0) } else { 0 };
        let raw = entry.path_bytes().into_owned();
        let mut broken = false;
        match kind {
            EntryType::Directory | EntryType::XGlobalHeader | EntryType::__Nonexhaustive(b'V' | b'M' | b'D') => {
                ledger.pass_over(prefix)
            }
            // Tars from before ustar mark a directory by its name alone.
            _ if raw.last() == Some(&b'/') => ledger.pass_over(prefix),
            EntryType::Symlink | EntryType::Link => {
                let target = entry.link_name_bytes().unwrap_or_default().into_owned();
                if let Some(path) = ledger.admit(prefix, &raw, false) {
                    ledger.link(prefix, path, &target, kind == EntryType::Link);
                }
            }
            EntryType::Char | EntryType::Block | EntryType::Fifo => {
                if let Some(path) = ledger.admit(prefix, &raw, false) {
                    ledger.note("device", NoteKind::Odd, &path, "is a device or a pipe and is not read");
                }
            }
            _ => {
                if let Some(path) = ledger.admit(prefix, &raw, false).filter(|path| ledger.is_first(path)) {
                    let mtime = entry.header().mtime().ok().and_then(|t| i64::try_from(t).ok());
                    let found = Found { path, size: Some(size), exact: true, mtime };
                    broken = open::file(ledger, found, &mut entry, depth + 1);
                }
            }
        }
        if !sparse {
            broken |= io::copy(&mut entry, &mut io::sink()).is_err();
        }
        if broken && (state.failed.get() || state.ended.get()) && !ledger.stopped {
            let name = join(prefix, &String::from_utf8_lossy(&raw));
            ledger.note(
                "rest",
                NoteKind::Lost,
                prefix,
                format!("what followed {} in the archive is lost", name.replace(char::is_control, "\u{fffd}")),
            );
            return End::Stream;
        }
    }
}

/// Reads to the end of the stream behind the end mark, so that a damaged trailer is told.
fn drain(ledger: &mut Ledger, gate: &mut Gate, state: &State, prefix: &str) -> bool {
    let mut buf = vec![0; 64 * 1024];
    let mut data = 0;
    loop {
        match gate.read(&mut buf) {
            Ok(0) => break,
            Ok(n) => data += len64(buf.get(..n).unwrap_or_default().iter().filter(|b| **b != 0).count()),
            Err(e) => {
                if is_over_budget(&e) {
                    ledger.stop(prefix, &e.to_string());
                } else {
                    ledger.note(
                        "trailer",
                        NoteKind::Odd,
                        prefix,
                        format!("the archive's last entry is whole, but behind it: {e}"),
                    );
                }
                break;
            }
        }
    }
    if data > 0 {
        ledger.note("trailing", NoteKind::Odd, prefix, "data behind the archive's end mark is not read");
    }
    state.failed.get()
}

#[derive(Default)]
struct State {
    /// Bytes read so far.
    at: Cell<u64>,
    ended: Cell<bool>,
    failed: Cell<bool>,
    /// While a header is read: how many bytes it may still take.
    header_left: Cell<Option<u64>>,
}

/// The tar library reads long names and extended headers into memory whatever their size: this bounds them, and remembers how the
/// stream ended, which the library does not tell.
struct Gate<'a> {
    src: &'a mut dyn Read,
    state: Rc<State>,
}

impl Read for Gate<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        let state = &self.state;
        let mut want = buf.len();
        if let Some(left) = state.header_left.get() {
            want = want.min(len_usize(left));
            if want == 0 {
                return Err(io::Error::other("an entry's header is over-long"));
            }
        }
        match self.src.read(buf.get_mut(..want).unwrap_or_default()) {
            Ok(0) => {
                state.ended.set(true);
                Ok(0)
            }
            Ok(n) => {
                state.at.set(state.at.get().saturating_add(len64(n)));
                state.header_left.set(state.header_left.get().map(|left| left.saturating_sub(len64(n))));
                Ok(n)
            }
            Err(e) => {
                state.failed.set(e.kind() != io::ErrorKind::Interrupted);
                Err(e)
            }
        }
    }
}
