//! Reads the lines of a file one by one, within bounds.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// The longest line that is looked at, in bytes.
pub(super) const MAX_LINE: u64 = 32 << 20;

/// One line of a file.
#[derive(Debug)]
pub(super) struct StoredLine {
    pub(super) offset: u64,
    /// Without its end; empty if it was too long.
    pub(super) bytes: Vec<u8>,
}

/// The lines of a file from some place on.
#[derive(Debug)]
pub(super) struct Lines {
    input: BufReader<File>,
    offset: u64,
}

impl Lines {
    /// Starts at `offset`, which has to be the start of a line.
    pub(super) fn new(mut file: File, offset: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { input: BufReader::new(file), offset })
    }

    /// Returns where the next line starts.
    pub(super) fn position(&self) -> u64 {
        self.offset
    }

    /// The next line; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<StoredLine>> {
        let offset = self.offset;
        let mut bytes = Vec::new();
        let mut count = self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes)? as u64;
        if count == 0 {
            return Ok(None);
        }
        if count == MAX_LINE && bytes.last() != Some(&b'\n') {
            bytes = Vec::new();
            count += self.input.skip_until(b'\n')? as u64;
        }
        self.offset += count;
        bytes.truncate(bytes.trim_ascii_end().len());
        Ok(Some(StoredLine { offset, bytes }))
    }
}
