//! Finds the files of a zip that lost its central directory: an upload that broke off, a disk that filled up. Each file has a header of
//! its own in front of it (PKWARE APPNOTE 4.3.7), from which it is read as far as it goes.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::DeflateDecoder;
use memchr::memmem;

use super::guard::len64;
use super::ledger::{Found, Ledger};
use super::{NoteKind, open, zipped};

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Sizes of 32 bits that stand elsewhere: in the zip64 field, or behind the content.
const ELSEWHERE: u64 = 0xffff_ffff;

/// Walks the files found in `src` from its start.
pub(super) fn walk<R: Read + Seek>(ledger: &mut Ledger, mut src: R, prefix: &str, depth: u8) {
    let end = src.seek(SeekFrom::End(0)).unwrap_or(0);
    let mut at = 0;
    while !ledger.stopped {
        let Some(start) = find(&mut src, LOCAL, at, end) else { break };
        at = match header(&mut src, start) {
            Some(header) => file(ledger, &mut src, header, end, prefix, depth),
            None => start.saturating_add(4),
        };
    }
}

struct Header {
    name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    data: u64,
    mtime: Option<i64>,
}

fn header<R: Read + Seek>(src: &mut R, start: u64) -> Option<Header> {
    src.seek(SeekFrom::Start(start.checked_add(4)?)).ok()?;
    let mut fixed = [0; 26];
    src.read_exact(&mut fixed).ok()?;
    let (name_len, extra_len) = (u16_at(&fixed, 22)?, u16_at(&fixed, 24)?);
    let mut name = vec![0; usize::from(name_len)];
    let mut extra = vec![0; usize::from(extra_len)];
    src.read_exact(&mut name).ok()?;
    src.read_exact(&mut extra).ok()?;
    let data = start.checked_add(30)?.checked_add(u64::from(name_len))?.checked_add(u64::from(extra_len))?;
    let mut header = Header {
        name,
        flags: u16_at(&fixed, 2)?,
        method: u16_at(&fixed, 4)?,
        crc: u32_at(&fixed, 10)?,
        packed: u64::from(u32_at(&fixed, 14)?),
        size: u64::from(u32_at(&fixed, 18)?),
        data,
        mtime: None,
    };
    let mut rest = extra.as_slice();
    while let (Some(id), Some(len)) = (u16_at(rest, 0), u16_at(rest, 2)) {
        let field = rest.get(4..).and_then(|r| r.get(..usize::from(len)))?;
        match id {
            // zip64 (4.5.3): unpacked size, then packed size.
            1 if header.size == ELSEWHERE || header.packed == ELSEWHERE => {
                header.size = u64_at(field, 0)?;
                header.packed = u64_at(field, 8)?;
            }
            // Info-ZIP extended timestamp: a flag byte, then the modification time.
            0x5455 if field.first().is_some_and(|flags| flags & 1 == 1) => {
                header.mtime = u32_at(field, 1).map(i64::from);
            }
            _ => {}
        }
        rest = rest.get(4 + usize::from(len)..)?;
    }
    Some(header)
}

/// Reads one file; returns where to look for the next.
fn file<R: Read + Seek>(ledger: &mut Ledger, src: &mut R, header: Header, end: u64, prefix: &str, depth: u8) -> u64 {
    let Header { data, .. } = header;
    let streamed = header.flags & 8 != 0 && header.packed == 0;
    let stored = header.method == 0;
    let packed = match (streamed, stored) {
        (false, _) => Some(header.packed),
        (true, true) => descriptor(src, data, end).map(|at| at.saturating_sub(data)),
        (true, false) => None,
    };
    let there = end.saturating_sub(data);
    // A length that passes the end is wrong or cut off; the next header is looked for in what is there.
    let behind = packed.filter(|n| *n <= there).map_or(data, |n| data.saturating_add(n));
    if header.name.last() == Some(&b'/') {
        ledger.pass_over(prefix);
        return behind;
    }
    let Some(path) = ledger.admit(prefix, &header.name, false) else { return behind };
    if header.flags & 1 != 0 {
        ledger.note("encrypted", NoteKind::Refused, &path, "is encrypted and cannot be read");
        return behind;
    }
    if !stored && header.method != 8 {
        ledger.note(
            "method",
            NoteKind::Refused,
            &path,
            format!("is packed with method {}, which is not salvaged", header.method),
        );
        return behind;
    }
    if !ledger.is_first(&path) || src.seek(SeekFrom::Start(data)).is_err() {
        return behind;
    }
    let found =
        Found { path: path.clone(), size: Some(header.size).filter(|_| !streamed), exact: true, mtime: header.mtime };
    let limit = src.by_ref().take(packed.unwrap_or(there).min(there));
    let (sum, behind) = if stored {
        let cut = (streamed && packed.is_none()).then(cut_off);
        (zipped::summed(ledger, found, limit.chain(open::Failing(cut)), depth), behind)
    } else {
        let mut inflate = Inflate {
            stream: DeflateDecoder::new(BufReader::with_capacity(32 * 1024, limit)),
            end: streamed.then_some(there),
        };
        let sum = zipped::summed(ledger, found, &mut inflate, depth);
        match packed {
            Some(_) => (sum, behind),
            None => {
                // Only the end of the stream tells where the next file begins.
                let _ = io::copy(&mut ledger.metered(&mut inflate), &mut io::sink());
                (sum, data.saturating_add(inflate.stream.total_in()).min(end))
            }
        }
    };
    match described(src, behind).filter(|_| streamed) {
        Some((size, crc)) => sum.compare(ledger, &path, size, crc),
        None if !streamed => sum.compare(ledger, &path, header.size, header.crc),
        None => {}
    }
    behind
}

fn cut_off() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the zip ends in this file")
}

/// Size and checksum as the data descriptor at `at` states them (4.3.9). One without its optional signature is not recognised.
fn described<R: Read + Seek>(src: &mut R, at: u64) -> Option<(u64, u32)> {
    let mut bytes = [0; 16];
    src.seek(SeekFrom::Start(at)).ok()?;
    src.read_exact(&mut bytes).ok()?;
    bytes.starts_with(DESCRIPTOR).then_some(())?;
    Some((u64::from(u32_at(&bytes, 12)?), u32_at(&bytes, 4)?))
}

/// A deflate stream; where its length is unknown, one that takes all there is was cut, since a descriptor should follow it.
struct Inflate<R> {
    stream: DeflateDecoder<BufReader<R>>,
    end: Option<u64>,
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.stream.read(buf)?;
        if n == 0 && !buf.is_empty() && self.end.is_some_and(|end| self.stream.total_in() >= end) {
            return Err(cut_off());
        }
        Ok(n)
    }
}

/// Where stored content of unknown length ends: at a data descriptor that states just this length, or before the next header.
fn descriptor<R: Read + Seek>(src: &mut R, data: u64, end: u64) -> Option<u64> {
    let mut at = data;
    while let Some(sign) = find(src, b"PK", at, end) {
        let mut next = [0; 16];
        src.seek(SeekFrom::Start(sign)).ok()?;
        src.read_exact(&mut next).ok()?;
        let length = sign.saturating_sub(data);
        let described = next.starts_with(DESCRIPTOR) && u32_at(&next, 8).map(u64::from) == Some(length);
        if described || next.starts_with(LOCAL) || next.starts_with(CENTRAL) {
            return Some(sign);
        }
        at = sign.saturating_add(2);
    }
    None
}

/// The first place of `needle` at or behind `from`. The next header is mostly near.
fn find<R: Read + Seek>(src: &mut R, needle: &[u8], from: u64, end: u64) -> Option<u64> {
    let mut at = from;
    let mut span = 64;
    let mut window = Vec::new();
    while at < end {
        src.seek(SeekFrom::Start(at)).ok()?;
        window.clear();
        src.by_ref().take(span).read_to_end(&mut window).ok()?;
        if let Some(i) = memmem::find(&window, needle) {
            return at.checked_add(len64(i));
        }
        let step = window.len().checked_sub(needle.len() - 1).filter(|n| *n > 0)?;
        at = at.checked_add(len64(step))?;
        span = 64 * 1024;
    }
    None
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}
