//! The daemon's output, kept for failing tests, and the line with its address.

use crate::wait::POLL;
use parking_lot::Mutex;
use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Bytes kept of each stream; a daemon that logs without end must not fill the memory of the test.
const KEPT: usize = 4 * 1024 * 1024;

/// Time for output that comes after the daemon's end.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// The line that says where it listens begins like this.
const READY: &str = "listening on ";

/// Both output streams, read by two threads until they end.
#[derive(Debug, Default)]
pub(super) struct Log {
    stdout: Arc<Mutex<Kept>>,
    stderr: Arc<Mutex<Kept>>,
    readers: Vec<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Kept {
    text: String,
    cut: bool,
}

impl Kept {
    fn push(&mut self, line: &str) {
        if self.text.len() + line.len() > KEPT {
            self.text.clear();
            self.cut = true;
        }
        self.text.push_str(line);
    }
}

impl Log {
    /// Starts reading. The address comes through the channel; it closes without one when the output ends.
    pub(super) fn read(
        stdout: impl Read + Send + 'static,
        stderr: impl Read + Send + 'static,
    ) -> (Self, oneshot::Receiver<String>) {
        let (sender, ready) = oneshot::channel();
        let mut sender = Some(sender);
        let mut log = Self::default();
        let announce = move |line: &str| {
            let address = line.strip_prefix(READY).and_then(|rest| rest.split_whitespace().next());
            if let (Some(address), Some(sender)) = (address, sender.take_if(|_| line.starts_with(READY))) {
                // Nobody waits any more when the start has failed in another way.
                let _unheard = sender.send(address.to_owned());
            }
        };
        log.readers.push(keep(stdout, Arc::clone(&log.stdout), announce));
        log.readers.push(keep(stderr, Arc::clone(&log.stderr), |_| ()));
        (log, ready)
    }

    pub(super) fn stdout(&self) -> String {
        self.stdout.lock().text.clone()
    }

    pub(super) fn stderr(&self) -> String {
        self.stderr.lock().text.clone()
    }

    /// Gives the readers a moment for the rest of the output. Not more: a process that escaped may hold a stream.
    pub(super) fn finish(&self) {
        let started = Instant::now();
        while self.readers.iter().any(|reader| !reader.is_finished()) && started.elapsed() < LAST_OUTPUT {
            thread::sleep(POLL);
        }
    }
}

fn keep(
    stream: impl Read + Send + 'static,
    kept: Arc<Mutex<Kept>>,
    mut each: impl FnMut(&str) + Send + 'static,
) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(stream.read_until(b'\n', &mut line), Ok(read) if read > 0) {
            let text = String::from_utf8_lossy(&line);
            each(&text);
            kept.lock().push(&text);
            line.clear();
        }
    })
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, kept) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            let kept = kept.lock();
            let cut = if kept.cut { " (the beginning was dropped)" } else { "" };
            writeln!(f, "--- daemon {name}{cut}\n{}", kept.text)?;
        }
        Ok(())
    }
}
