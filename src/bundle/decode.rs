//! One reader for each compression, all reading concatenated streams the way the format's own tool does, with their memory bounded.

use std::io::{self, BufRead, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Scope;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::guard::KIB;
use super::magic::Codec;

/// Packed bytes are read in blocks of this size.
pub(super) const BLOCK: usize = 128 * 1024;

/// Reads what `src` unpacks to. `window` bounds the dictionary (xz) or window (zstd) in bytes; the other formats' are small and fixed.
pub(super) fn decoder<'a, R: BufRead + 'a>(codec: Codec, src: R, window: u64) -> Box<dyn Read + 'a> {
    match codec {
        Codec::Gz => Box::new(MultiGzDecoder::new(src)),
        Codec::Bz2 => Box::new(MultiBzDecoder::new(src)),
        Codec::Xz => {
            // The decoder counts about 100 KiB of its own tables.
            let kib = u32::try_from(window / KIB).unwrap_or(u32::MAX).saturating_add(256);
            Box::new(XzReader::new_mem_limit(src, true, kib))
        }
        Codec::Zst => Box::new(ZstdReader::new(src, window)),
    }
}

/// zstd frames one after the other. Skippable frames are passed over, checksums compared, and what was unpacked before a cut is
/// yielded before the error; the library's own streaming reader does none of these.
struct ZstdReader<R> {
    src: R,
    frame: FrameDecoder,
    open: bool,
    /// What ended the frame early; told when all that came before it was read.
    failed: Option<io::Error>,
}

impl<R: BufRead> ZstdReader<R> {
    fn new(src: R, window: u64) -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(window);
        ZstdReader { src, frame, open: false, failed: None }
    }

    /// Opens the next frame; false at the end of the input.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.open {
            if self.src.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.frame.reset(&mut self.src) {
                Ok(()) => self.open = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut self.src.by_ref().take(u64::from(length)), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(FrameDecoderError::WindowSizeTooBig { .. }) => return Err(io::ErrorKind::OutOfMemory.into()),
                Err(e) => return Err(io::Error::other(e)),
            }
        }
        Ok(true)
    }

    /// Unpacks until there is something to yield, or the frame is at its end.
    fn unpack(&mut self) -> io::Result<()> {
        let one = || BlockDecodingStrategy::UptoBlocks(1);
        while self.frame.can_collect() == 0 && !self.frame.is_finished() {
            let Err(e) = self.frame.decode_blocks(&mut self.src, one()) else { continue };
            // The decoder keeps a window's worth of content back until it sees the last block: show it an empty one (RFC 8878
            // 3.1.1.2: last, raw, of size 0), with room for a checksum.
            const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];
            self.failed = Some(io::Error::other(e));
            self.frame.decode_blocks(LAST_BLOCK, one()).map_err(io::Error::other)?;
        }
        Ok(())
    }
}

impl<R: BufRead> Read for ZstdReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        while self.next_frame()? {
            self.unpack()?;
            let n = self.frame.read(buf)?;
            if n > 0 {
                return Ok(n);
            }
            if let Some(e) = self.failed.take() {
                return Err(e);
            }
            self.open = false;
            let stated = self.frame.get_checksum_from_data();
            if stated.is_some() && stated != self.frame.get_calculated_checksum() {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "the checksum of a zstd frame does not match"));
            }
        }
        Ok(0)
    }
}

/// Blocks unpacked ahead of the reader.
const AHEAD: usize = 4;

/// Unpacks on a thread of its own, so that unpacking and reading overlap. The thread ends with its reader.
pub(super) fn ahead<'scope, R: BufRead + Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    codec: Codec,
    src: R,
    window: u64,
) -> Ahead {
    let (sender, blocks) = sync_channel(AHEAD);
    scope.spawn(move || unpack_into(decoder(codec, src, window), &sender));
    Ahead { blocks, block: Vec::new(), at: 0 }
}

fn unpack_into(mut src: Box<dyn Read + '_>, sender: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut block = Vec::with_capacity(BLOCK);
        let end = src.by_ref().take(u64::try_from(BLOCK).unwrap_or(0)).read_to_end(&mut block);
        let last = block.is_empty();
        // A reader that went away wants no more.
        if !last && sender.send(Ok(block)).is_err() {
            return;
        }
        match end {
            Err(e) => {
                let _ = sender.send(Err(e));
                return;
            }
            Ok(_) if last => return,
            Ok(_) => {}
        }
    }
}

pub(super) struct Ahead {
    blocks: Receiver<io::Result<Vec<u8>>>,
    block: Vec<u8>,
    at: usize,
}

impl Read for Ahead {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        if self.at >= self.block.len() {
            match self.blocks.recv() {
                Ok(block) => (self.block, self.at) = (block?, 0),
                Err(_) => return Ok(0),
            }
        }
        let n = self.block.get(self.at..).unwrap_or_default().read(buf)?;
        self.at += n;
        Ok(n)
    }
}
