//! Keys from the terminal.

use bytes::Bytes;
use sa_terminal::{Key, KeyDecoder};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::time::Duration;
use tokio::sync::mpsc;

/// Reads that may wait.
const READS: usize = 16;
const READ_BYTES: usize = 4096;
/// Time after which an escape character is the key and not the beginning of a sequence.
const ESCAPE_TIMEOUT: Duration = Duration::from_millis(50);

/// Reads standard input on a thread of its own: it sits in a read that only a key ends, and must not delay the end of
/// the command.
pub(crate) fn typed_bytes() -> mpsc::Receiver<Bytes> {
    let (sender, reads) = mpsc::channel(READS);
    std::thread::spawn(move || {
        let mut buffer = [0; READ_BYTES];
        while let Ok(length) = io::stdin().lock().read(&mut buffer) {
            let typed = Bytes::copy_from_slice(buffer.get(..length).unwrap_or_default());
            if length == 0 || sender.blocking_send(typed).is_err() {
                return;
            }
        }
    });
    reads
}

/// The keys that are typed.
pub(crate) struct Keyboard {
    reads: mpsc::Receiver<Bytes>,
    decoder: KeyDecoder,
    keys: VecDeque<Key>,
}

impl Keyboard {
    pub(crate) fn open() -> Self {
        Self { reads: typed_bytes(), decoder: KeyDecoder::default(), keys: VecDeque::new() }
    }

    /// Waits for the next key; none at the end of the input. Nothing is lost when the call is dropped.
    pub(crate) async fn next(&mut self) -> Option<Key> {
        loop {
            if let Some(key) = self.keys.pop_front() {
                return Some(key);
            }
            let bytes = if self.decoder.is_waiting() {
                match tokio::time::timeout(ESCAPE_TIMEOUT, self.reads.recv()).await {
                    Ok(bytes) => bytes,
                    Err(_) => {
                        self.keys.extend(self.decoder.flush());
                        continue;
                    }
                }
            } else {
                self.reads.recv().await
            };
            self.keys.extend(self.decoder.push(&bytes?));
        }
    }

    /// Forgets what was typed ahead: it must not answer a question that was not seen.
    pub(crate) fn forget(&mut self) {
        while self.reads.try_recv().is_ok() {}
        self.keys.clear();
        self.decoder = KeyDecoder::default();
    }
}
