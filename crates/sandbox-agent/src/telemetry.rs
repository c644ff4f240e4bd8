//! The log, written to standard error, and to a collector if there is one.
//!
//! Logging never fails and never blocks the code that logs: a full disk, a closed pipe or a pipe that nobody reads
//! costs log lines, not the daemon. A thread does the writing; the queue in front of it is bounded, and lines that
//! could not be written are counted and reported once the log can be written again.

use crate::args::LogFormat;
use crate::failure::Failure;
use sa_otlp::{Exporter, LogLayer};
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer};

/// Lines that wait for a standard error that takes none at the moment.
const QUEUED_LINES: usize = 4096;
/// Time that the queued lines get when the daemon ends.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

/// Writes out what is still queued when it is dropped, within a bound.
pub(crate) struct LogGuard {
    queue: SyncSender<Entry>,
    exported: Option<LogLayer>,
}

impl LogGuard {
    /// Has the log exported, too.
    pub(crate) fn export(&self, exporter: &Exporter) {
        if let Some(layer) = &self.exported {
            layer.connect(exporter);
        }
    }
}

/// Starts logging.
pub(crate) fn start(
    format: LogFormat,
    filter: &str,
    exported: Option<LogLayer>,
) -> Result<LogGuard, Failure> {
    let parsed = read_filter(filter)?;
    let (queue, entries) = sync_channel(QUEUED_LINES);
    let lost = Arc::new(AtomicU64::new(0));
    let writer = LogWriter { queue: queue.clone(), lost: Arc::clone(&lost) };
    let sink = Sink { stderr: io::stderr(), format, lost };
    std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || sink.drain(&entries))
        .map_err(|error| Failure::Failed(anyhow::Error::new(error).context("cannot start the log")))?;
    // Reporting a failed write on standard error would panic, as that is what failed.
    let lines = tracing_subscriber::fmt::layer().log_internal_errors(false).with_writer(writer);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let log = tracing_subscriber::registry().with(parsed).with(lines).with(exported.clone());
    log.try_init().map_err(|error| Failure::Failed(anyhow::anyhow!("cannot start the log: {error}")))?;
    Ok(LogGuard { queue, exported })
}

/// Reads a level, or pairs of a target and a level. A word that is no level would be the name of a target, and misspelled
/// levels would switch everything else off.
fn read_filter(filter: &str) -> Result<EnvFilter, Failure> {
    // An empty word counts as a level there, too.
    let is_level = |word: &str| !word.trim().is_empty() && word.trim().parse::<LevelFilter>().is_ok();
    // Spans in brackets have commas of their own; the parser knows them.
    let is_meant = filter.contains('[')
        || filter.split(',').all(|part| match part.rsplit_once('=') {
            Some((target, level)) => !target.trim().is_empty() && is_level(level),
            None => is_level(part),
        });
    let parsed = if is_meant { EnvFilter::try_new(filter).ok() } else { None };
    parsed.ok_or_else(|| {
        Failure::usage(format_args!(
            "invalid log filter '{filter}': expected off, error, warn, info, debug or trace, or target=level pairs \
             separated by commas"
        ))
    })
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        let (done, written) = sync_channel(1);
        if self.queue.try_send(Entry::Flush(done)).is_ok() {
            let _ = written.recv_timeout(FLUSH_TIMEOUT);
        }
    }
}

enum Entry {
    Line(Vec<u8>),
    Flush(SyncSender<()>),
}

/// Queues one line per call, as `tracing` hands over whole lines.
struct LogWriter {
    queue: SyncSender<Entry>,
    lost: Arc<AtomicU64>,
}

impl Write for &LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.queue.try_send(Entry::Line(line.to_vec())).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

/// The thread's end of the queue.
struct Sink<W> {
    stderr: W,
    format: LogFormat,
    lost: Arc<AtomicU64>,
}

impl<W: Write> Sink<W> {
    fn drain(mut self, entries: &Receiver<Entry>) {
        while let Ok(entry) = entries.recv() {
            match entry {
                Entry::Line(line) => self.write(&line),
                Entry::Flush(done) => {
                    let _ = done.send(());
                }
            }
        }
    }

    fn write(&mut self, line: &[u8]) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 && self.stderr.write_all(self.loss(lost).as_bytes()).is_err() {
            self.lost.fetch_add(lost + 1, Ordering::Relaxed);
            return;
        }
        if self.stderr.write_all(line).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn loss(&self, lost: u64) -> String {
        let message = format!("{lost} log lines could not be written");
        match self.format {
            LogFormat::Text => format!("WARN {message}\n"),
            LogFormat::Json => format!("{{\"level\":\"WARN\",\"message\":\"{message}\"}}\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Takes nothing while `full`.
    struct Disk<'a> {
        full: &'a std::cell::Cell<bool>,
        text: &'a std::cell::RefCell<Vec<u8>>,
    }

    impl Write for Disk<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.full.get() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.text.borrow_mut().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_that_were_lost_are_counted_and_reported_once() {
        let (full, text) = (std::cell::Cell::new(false), std::cell::RefCell::new(Vec::new()));
        let mut sink =
            Sink { stderr: Disk { full: &full, text: &text }, format: LogFormat::Text, lost: Arc::default() };
        sink.write(b"one\n");
        full.set(true);
        for _ in 0..3 {
            sink.write(b"lost\n");
        }
        full.set(false);
        sink.write(b"two\n");
        sink.write(b"three\n");
        let text = String::from_utf8(text.borrow().clone()).unwrap();
        assert_eq!(text, "one\nWARN 3 log lines could not be written\ntwo\nthree\n");
    }

    #[test]
    fn a_full_queue_never_blocks_the_one_who_logs() {
        let (queue, entries) = sync_channel(1);
        let lost = Arc::new(AtomicU64::new(0));
        let writer = LogWriter { queue, lost: Arc::clone(&lost) };
        for _ in 0..5 {
            (&writer).write_all(b"line\n").unwrap();
        }
        assert_eq!(lost.load(Ordering::Relaxed), 4);
        drop(entries);
        (&writer).write_all(b"line\n").unwrap();
    }
}
