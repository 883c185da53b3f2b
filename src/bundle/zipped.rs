//! Walks a zip by its central directory. Content that nobody wants is not unpacked; sizes and checksums are compared, not trusted.

use std::cell::Cell;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::rc::Rc;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use zip::read::ZipFile;
use zip::{CompressionMethod, ExtraField, ZipArchive, ZipReadOptions};

use super::decode::BLOCK;
use super::guard::{human, len_usize, len64};
use super::ledger::{Found, Ledger};
use super::{NoteKind, open, salvage};

/// Walks the zip in `src`; one whose central directory does not read is salvaged.
pub(super) fn walk<R: Read + Seek>(ledger: &mut Ledger, src: R, prefix: &str, depth: u8) {
    let mut src = Near::new(src);
    let left = Rc::new(Cell::new(Some(ledger.limits.zip_directory_bytes)));
    let why = match ZipArchive::new(Gate { src: &mut src, left: Rc::clone(&left) }) {
        Ok(mut archive) => {
            left.set(None);
            return entries(ledger, &mut archive, prefix, depth);
        }
        Err(_) if left.get() == Some(0) => {
            format!("its directory is larger than {}", human(ledger.limits.zip_directory_bytes))
        }
        Err(e) => e.to_string(),
    };
    ledger.note(
        "directory",
        NoteKind::Lost,
        prefix,
        format!("the zip's directory does not read ({why}); files are found by their own headers"),
    );
    salvage::walk(ledger, src, prefix, depth);
}

/// What the directory says of one entry.
struct Listing {
    raw: Vec<u8>,
    dos: bool,
    folder: bool,
    link: bool,
    encrypted: bool,
    method: CompressionMethod,
    size: u64,
    crc: u32,
}

fn entries<R: Read + Seek>(ledger: &mut Ledger, archive: &mut ZipArchive<R>, prefix: &str, depth: u8) {
    if archive.has_duplicate_names() {
        ledger.note(
            "duplicate",
            NoteKind::Odd,
            prefix,
            "the zip lists some names more than once; the last of each is read",
        );
    }
    let overlapping = overlapping(archive);
    for index in 0..archive.len() {
        if ledger.stopped {
            return;
        }
        let Some(listing) = listing(archive, index) else { continue };
        if listing.folder {
            ledger.pass_over(prefix);
            continue;
        }
        let Some(path) = ledger.admit(prefix, &listing.raw, listing.dos) else { continue };
        if overlapping.get(index) == Some(&true) {
            ledger.note(
                "overlap",
                NoteKind::Refused,
                &path,
                "shares its bytes with another entry, as zip bombs do, and is not read",
            );
        } else if listing.encrypted {
            ledger.note(
                "encrypted",
                NoteKind::Refused,
                &path,
                "is encrypted and cannot be read; unpack it with its password and give the folder",
            );
        } else if listing.link {
            let mut target = Vec::new();
            let limit = len64(ledger.limits.name_bytes);
            if let Ok(file) = archive.by_index(index) {
                // A target that does not read leaves a link that leads nowhere.
                let _ = file.take(limit).read_to_end(&mut target);
            }
            ledger.link(prefix, path, &target, false);
        } else if ledger.is_first(&path) {
            entry(ledger, archive, index, &listing, path, depth);
        }
    }
}

fn entry<R: Read + Seek>(
    ledger: &mut Ledger,
    archive: &mut ZipArchive<R>,
    index: usize,
    listing: &Listing,
    path: String,
    depth: u8,
) {
    // The library refuses content longer than the directory states; unpacking it here keeps such content.
    let opened = match listing.method {
        CompressionMethod::Stored | CompressionMethod::Deflated => archive.by_index_raw(index),
        CompressionMethod::Deflate64 => archive.by_index_with_options(index, ZipReadOptions::new().ignore_crc32(true)),
        other => {
            let text =
                format!("is packed with {other:?}, which is not read; repack with `zip` or give the unpacked folder");
            ledger.note("method", NoteKind::Refused, &path, text);
            return;
        }
    };
    let file: ZipFile<'_, R> = match opened {
        Ok(file) => file,
        Err(e) => {
            ledger.note("entry", NoteKind::Lost, &path, format!("cannot be read: {e}"));
            return;
        }
    };
    // Only the extended timestamp says which instant it means; the DOS time of every entry has no time zone.
    let mtime = file.extra_data_fields().find_map(|field| match field {
        ExtraField::ExtendedTimestamp(t) => t.mod_time().map(i64::from),
        _ => None,
    });
    let found = Found { path: path.clone(), size: Some(listing.size), exact: true, mtime };
    let sum = if listing.method == CompressionMethod::Deflated {
        summed(ledger, found, DeflateDecoder::new(file), depth)
    } else {
        summed(ledger, found, file, depth)
    };
    sum.compare(ledger, &path, listing.size, listing.crc);
}

/// Opens an entry's content, counting and summing what is read of it.
pub(super) fn summed<R: Read>(ledger: &mut Ledger, found: Found, src: R, depth: u8) -> Sum {
    let mut src = Summed { src: ledger.metered(src), crc: Crc::new(), size: 0, ended: false };
    open::file(ledger, found, &mut src, depth + 1);
    Sum { size: src.size, crc: src.crc.sum(), ended: src.ended }
}

/// What was read of an entry.
pub(super) struct Sum {
    size: u64,
    crc: u32,
    ended: bool,
}

impl Sum {
    /// Says so if the entry was read to its end and is not what its header states. A short entry was said to be cut already.
    pub fn compare(&self, ledger: &mut Ledger, path: &str, size: u64, crc: u32) {
        if self.ended && self.size > size {
            let text = format!("is {} long where the zip says {}", human(self.size), human(size));
            ledger.note("size", NoteKind::Odd, path, text);
        } else if self.ended && self.size == size && self.crc != crc {
            ledger.note("checksum", NoteKind::Odd, path, "does not match its checksum: some of its bytes are damaged");
        }
    }
}

struct Summed<R> {
    src: R,
    crc: Crc,
    size: u64,
    ended: bool,
}

impl<R: Read> Read for Summed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.src.read(buf)?;
        self.ended |= n == 0 && !buf.is_empty();
        self.size = self.size.saturating_add(len64(n));
        self.crc.update(buf.get(..n).unwrap_or_default());
        Ok(n)
    }
}

fn listing<R: Read + Seek>(archive: &ZipArchive<R>, index: usize) -> Option<Listing> {
    let file = archive.by_index_data(index).ok()?;
    let raw = file.name_raw().to_vec();
    let dos = matches!(file.system(), zip::System::Dos | zip::System::VFAT | zip::System::WindowsNTFS);
    let ends_as_folder = raw.last().is_some_and(|b| *b == b'/' || (dos && *b == b'\\'));
    Some(Listing {
        folder: ends_as_folder || file.is_dir(),
        link: file.is_symlink(),
        encrypted: file.encrypted(),
        method: file.compression(),
        size: file.size(),
        crc: file.crc32(),
        raw,
        dos,
    })
}

/// Which entries share bytes with one that begins before them. Local headers are taken as short as they can be.
fn overlapping<R: Read + Seek>(archive: &ZipArchive<R>) -> Vec<bool> {
    const LOCAL_HEADER: u64 = 30;
    let mut spans: Vec<(u64, u64, usize)> = (0..archive.len())
        .filter_map(|index| {
            let file = archive.by_index_data(index).ok()?;
            let length =
                LOCAL_HEADER.saturating_add(len64(file.name_raw().len())).saturating_add(file.compressed_size());
            Some((file.header_start(), file.header_start().saturating_add(length), index))
        })
        .collect();
    spans.sort_unstable();
    let mut shared = vec![false; archive.len()];
    let mut taken = 0;
    for (start, end, index) in spans {
        if let Some(shared) = shared.get_mut(index).filter(|_| start < taken) {
            *shared = true;
        }
        taken = taken.max(end);
    }
    shared
}

/// Bounds what the zip library reads of a directory into memory.
struct Gate<R> {
    src: R,
    left: Rc<Cell<Option<u64>>>,
}

impl<R: Read> Read for Gate<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some(left) = self.left.get() else { return self.src.read(buf) };
        let want = buf.len().min(len_usize(left));
        if want == 0 && !buf.is_empty() {
            return Err(io::Error::other("over-large directory"));
        }
        let n = self.src.read(buf.get_mut(..want).unwrap_or_default())?;
        self.left.set(Some(left.saturating_sub(len64(n))));
        Ok(n)
    }
}

impl<R: Seek> Seek for Gate<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.src.seek(to)
    }
}

/// A buffered reader that keeps its buffer when sought in nearby, which is all a zip read in order does.
pub(super) struct Near<R> {
    buf: BufReader<R>,
    at: u64,
}

impl<R: Read + Seek> Near<R> {
    /// `src` stands at its start.
    pub fn new(src: R) -> Self {
        Near { buf: BufReader::with_capacity(BLOCK, src), at: 0 }
    }
}

impl<R: Read> Read for Near<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.buf.read(buf)?;
        self.at = self.at.saturating_add(len64(n));
        Ok(n)
    }
}

impl<R: Read + Seek> Seek for Near<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(n) => Some(n),
            SeekFrom::Current(n) => self.at.checked_add_signed(n),
            SeekFrom::End(_) => None,
        };
        match target.map(|t| (t, i64::try_from(t), i64::try_from(self.at))) {
            Some((t, Ok(to), Ok(from))) => {
                self.buf.seek_relative(to.saturating_sub(from))?;
                self.at = t;
            }
            _ => self.at = self.buf.seek(to)?,
        }
        Ok(self.at)
    }
}
