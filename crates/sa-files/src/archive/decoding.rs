//! Compressed archives: detected by their first bytes, unpacked as a stream, stopped at the limit.

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use thiserror::Error;

const BUFFER: usize = 64 * 1024;
/// The most memory of a zstd stream; `zstd` itself needs 8 MiB up to its level 19.
const ZSTD_WINDOW: u64 = 32 * 1024 * 1024;
/// Archives that unpack to less than this may do so at any ratio.
const HARMLESS_BYTES: u64 = 64 * 1024 * 1024;

/// More comes out of an archive than may.
#[derive(Debug, Clone, Error)]
#[error("{0}")]
pub(super) struct Oversized(pub(super) String);

/// The number of bytes that may still be unpacked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    pub(super) bytes: u64,
    pub(super) ratio: u64,
}

/// Returns the tar stream inside of whatever came, which `taken` counts as it is read.
pub(super) fn decoded<'a>(
    input: impl Read + 'a,
    taken: Arc<AtomicU64>,
    allowance: Allowance,
) -> io::Result<impl Read + 'a> {
    let mut input = BufReader::with_capacity(BUFFER, input);
    let start = input.fill_buf()?;
    let plain: Box<dyn Read + 'a> = if start.starts_with(&[0x1f, 0x8b]) {
        Box::new(MultiGzDecoder::new(input))
    } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || is_skippable(start) {
        Box::new(Zstd::new(input))
    } else {
        Box::new(input)
    };
    Ok(Metered { input: plain, taken, allowance, given: 0 })
}

/// Returns whether this begins a frame of zstd without data; archives made in parallel begin with one.
fn is_skippable(start: &[u8]) -> bool {
    matches!(start, [first, 0x2a, 0x4d, 0x18, ..] if first & 0xf0 == 0x50)
}

/// Counts what comes out and compares it with what went in.
struct Metered<R> {
    input: R,
    taken: Arc<AtomicU64>,
    allowance: Allowance,
    given: u64,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.given += read as u64;
        let Allowance { bytes, ratio } = self.allowance;
        if self.given > bytes {
            return Err(oversized(format!(
                "the archive unpacks to more than {bytes} bytes; see files.archive-bytes"
            )));
        }
        let taken = self.taken.load(Ordering::Relaxed);
        if self.given > HARMLESS_BYTES && self.given > taken.saturating_mul(ratio) {
            return Err(oversized(format!(
                "the archive unpacks to more than {ratio} times its size; see files.archive-ratio"
            )));
        }
        Ok(read)
    }
}

fn oversized(why: String) -> io::Error {
    io::Error::other(Oversized(why))
}

/// Several frames of zstd, one after the other.
struct Zstd<R> {
    input: BufReader<R>,
    decoder: FrameDecoder,
    in_frame: bool,
}

impl<R: Read> Zstd<R> {
    fn new(input: BufReader<R>) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(ZSTD_WINDOW);
        Self { input, decoder, in_frame: false }
    }

    /// Begins the next frame with data in it; false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => {
                    self.in_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    io::copy(&mut (&mut self.input).take(u64::from(length)), &mut io::sink())?;
                }
                Err(error) => return Err(broken(&error)),
            }
        }
        Ok(false)
    }

    fn end(&mut self) -> io::Result<()> {
        self.in_frame = false;
        let stored = self.decoder.get_checksum_from_data();
        if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a checksum of zstd is wrong"));
        }
        Ok(())
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.in_frame && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.input, one).map_err(|error| broken(&error))?;
            }
            if self.decoder.can_collect() > 0 || buffer.is_empty() {
                return self.decoder.read(buffer);
            }
            self.end()?;
        }
    }
}

fn broken(error: &FrameDecoderError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string())
}
