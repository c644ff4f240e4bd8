//! Output as text, entry by entry. The system cuts output anywhere, also within a character; such a character is shown
//! whole, with the entry that completes it.

use super::describe;
use super::encoding::to_base64;
use bytes::{Bytes, BytesMut};
use sa_api::{ProcessLogEncoding, ProcessLogEntry, ProcessLogsStream};
use sa_processes::{Entry, Position, Process};

/// The form of output that a client wants.
#[derive(Debug)]
pub(super) enum Writing {
    Base64,
    Text(Characters),
}

/// The characters that are incomplete so far, at most one for each stream.
#[derive(Debug, Default)]
pub(super) struct Characters {
    begun: Vec<Entry>,
}

impl Writing {
    pub(super) fn write(&mut self, entry: &Entry) -> ProcessLogEntry {
        match self {
            Self::Base64 => describe::entry(entry),
            Self::Text(characters) => characters.write(entry),
        }
    }

    /// Writes the characters that will not be completed, each as an entry of the number that it began in.
    pub(super) fn finish(&mut self) -> Vec<ProcessLogEntry> {
        match self {
            Self::Base64 => Vec::new(),
            Self::Text(characters) => {
                characters.begun.drain(..).map(|entry| describe::entry(&entry)).collect()
            }
        }
    }
}

impl Characters {
    /// The state after the entry of this number. A client that resumes there has not seen the character that it ends in.
    pub(super) fn after(process: &Process, sequence: u64, only: Option<ProcessLogsStream>) -> Self {
        let mut characters = Self::default();
        if sequence > 0 {
            let (entries, _) = process.output(Position::After(0), only);
            for entry in entries.iter().filter(|entry| entry.sequence <= sequence) {
                characters.write(entry);
            }
        }
        characters
    }

    fn write(&mut self, entry: &Entry) -> ProcessLogEntry {
        let mut bytes = self.take(entry.stream);
        bytes.extend_from_slice(&entry.data);
        let whole = match std::str::from_utf8(&bytes) {
            Ok(_) => bytes.len(),
            // Only what the end cuts off; anything else is no text.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => {
                return describe::written(entry, to_base64(&bytes), ProcessLogEncoding::Base64);
            }
        };
        let rest = bytes.split_off(whole);
        if !rest.is_empty() {
            let mut begun = entry.clone();
            begun.data = rest.freeze();
            self.begun.push(begun);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        describe::written(entry, text, ProcessLogEncoding::Utf8)
    }

    /// The beginning of a character on this stream.
    fn take(&mut self, stream: ProcessLogsStream) -> BytesMut {
        let at = self.begun.iter().position(|entry| entry.stream == stream);
        let bytes = at.map(|at| self.begun.swap_remove(at).data).unwrap_or_else(Bytes::new);
        BytesMut::from(bytes)
    }
}
