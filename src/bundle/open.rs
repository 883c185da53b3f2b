//! Opens whatever a file turns out to be: an archive is walked, a packed log is unpacked, anything else is offered as it is.

use std::io::{self, BufReader, Cursor, Read, Seek};

use super::decode::{BLOCK, ahead, decoder};
use super::guard::{HEAD_BYTES, human, len64};
use super::ledger::{Found, Ledger};
use super::magic::{Codec, Kind, is_text, kind};
use super::{Container, NoteKind, tarball, zipped};

/// The input itself, when it is one file.
pub(super) fn top<R: Read + Seek + Send>(ledger: &mut Ledger, found: Found, mut src: R) -> io::Result<Container> {
    let (head, failed) = peek(&mut src, HEAD_BYTES);
    if let Some(e) = failed.filter(|_| head.is_empty()) {
        return Err(e);
    }
    src.rewind()?;
    match kind(&head) {
        Kind::Zip => {
            zipped::walk(ledger, src, "", 0);
            return Ok(Container::Zip);
        }
        Kind::Tar => {
            let mut src = ledger.metered(BufReader::with_capacity(BLOCK, src));
            tarball::walk(ledger, &mut src, "", 0);
            return Ok(Container::Tar);
        }
        Kind::Packed(codec) => {
            let (packed, _) = peek(&mut src, codec.first_block());
            src.rewind()?;
            if kind(&first_unpacked(codec, &packed, ledger.limits.window).0) == Kind::Tar {
                std::thread::scope(|scope| {
                    let window = ledger.limits.window;
                    let mut src = ledger.metered(ahead(scope, codec, BufReader::with_capacity(BLOCK, src), window));
                    tarball::walk(ledger, &mut src, "", 0);
                });
                return Ok(Container::tar(codec));
            }
        }
        Kind::Foreign(_) | Kind::Plain => {}
    }
    file(ledger, found, &mut src, 0);
    Ok(Container::Single)
}

/// A file with `depth` archives or folders around it. `src` yields its content. True if its end could not be reached, which is noted.
pub(super) fn file(ledger: &mut Ledger, found: Found, src: &mut dyn Read, depth: u8) -> bool {
    let (head, failed) = peek(src, HEAD_BYTES);
    let mut src = (&*head).chain(Failing(failed)).chain(src);
    let open = depth <= ledger.limits.nesting;
    match kind(&head) {
        Kind::Zip if open => zip_inside(ledger, found, &mut src, depth),
        Kind::Tar if open => tarball::walk(ledger, &mut src, &found.path, depth),
        Kind::Packed(codec) => packed(ledger, found, codec, &head, &mut src, depth),
        Kind::Zip | Kind::Tar => {
            too_deep(ledger, &found.path);
            ledger.offer(found, &head, &mut src)
        }
        Kind::Foreign(format) => {
            let text = format!("is a {format} archive, which is not read; unpack it and give the folder");
            ledger.note("foreign", NoteKind::Refused, &found.path, text);
            ledger.offer(found, &head, &mut src)
        }
        Kind::Plain => ledger.offer(found, &head, &mut src),
    }
}

/// A compressed stream: a tar in it is walked, text in it is handed on unpacked, and anything else as it was, for formats such as
/// pprof are gzip by definition.
fn packed(ledger: &mut Ledger, found: Found, codec: Codec, head: &[u8], src: &mut dyn Read, depth: u8) -> bool {
    let window = ledger.limits.window_at(depth);
    let (first, failed) = peek(src, codec.first_block());
    let (inside, why) = first_unpacked(codec, &first, window);
    let mut src = (&*first).chain(Failing(failed)).chain(src);
    let is_tar = kind(&inside) == Kind::Tar;
    if is_tar && depth > ledger.limits.nesting {
        too_deep(ledger, &found.path);
    } else if is_tar {
        let mut src = ledger.metered(decoder(codec, BufReader::with_capacity(BLOCK, src), window));
        return tarball::walk(ledger, &mut src, &found.path, depth);
    } else if !inside.is_empty() && is_text(&inside) {
        let mut src = ledger.metered(decoder(codec, BufReader::with_capacity(BLOCK, src), window));
        let found = Found { size: None, exact: false, ..found };
        return ledger.offer(found, &inside, &mut src);
    } else if inside.is_empty() {
        let why = match why {
            Some(e) if e.kind() == io::ErrorKind::OutOfMemory => {
                format!(": it asks for a dictionary of more than {}", human(window))
            }
            Some(e) => format!(": {e}"),
            None => String::new(),
        };
        ledger.note(
            "unpackable",
            NoteKind::Lost,
            &found.path,
            format!("looks like {} but does not unpack{why}", codec.name()),
        );
    }
    ledger.offer(found, head, &mut src)
}

/// A zip that cannot be sought in: held in memory.
fn zip_inside(ledger: &mut Ledger, found: Found, src: &mut dyn Read, depth: u8) -> bool {
    let max = ledger.limits.nested_zip_bytes;
    if found.size.is_some_and(|size| size > max) {
        return zip_too_large(ledger, found, src);
    }
    let mut bytes = Vec::new();
    let read = src.take(max.saturating_add(1)).read_to_end(&mut bytes);
    if len64(bytes.len()) > max {
        return zip_too_large(ledger, found, &mut (&*bytes).chain(src));
    }
    let broken = match &read {
        Ok(_) => found.exact && found.size.is_some_and(|size| len64(bytes.len()) < size),
        Err(e) => {
            ledger.broke("cut", &found.path, "this archive inside the bundle is cut", e);
            true
        }
    };
    zipped::walk(ledger, Cursor::new(bytes), &found.path, depth);
    broken
}

fn zip_too_large(ledger: &mut Ledger, found: Found, src: &mut dyn Read) -> bool {
    let max = human(ledger.limits.nested_zip_bytes);
    let text = format!(
        "is a zip of more than {max} inside another archive and is not opened; unpack it and analyze it by itself"
    );
    ledger.note("large zip", NoteKind::Refused, &found.path, text);
    ledger.offer(found, b"PK\x03\x04", src)
}

fn too_deep(ledger: &mut Ledger, path: &str) {
    let text = format!("is an archive more than {} archives deep and is not opened", ledger.limits.nesting);
    ledger.note("nesting", NoteKind::Refused, path, text);
}

/// What the first packed bytes of a stream unpack to, and what ended it.
fn first_unpacked(codec: Codec, packed: &[u8], window: u64) -> (Vec<u8>, Option<io::Error>) {
    peek(&mut decoder(codec, packed, window), HEAD_BYTES)
}

/// Up to `max` bytes, fewer only at the end of the content or where reading fails.
fn peek(src: &mut dyn Read, max: usize) -> (Vec<u8>, Option<io::Error>) {
    let mut head = Vec::with_capacity(max.min(HEAD_BYTES));
    let failed = src.take(len64(max)).read_to_end(&mut head).err();
    (head, failed)
}

/// Yields an error, once, where it belongs in the content.
pub(super) struct Failing(pub Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
