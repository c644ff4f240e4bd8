//! A child's stderr: the last part of it kept for error messages, each line of it logged.

use std::collections::VecDeque;
use std::io;

use tokio::net::unix::pipe;

use crate::limits::{STDERR_LINE_BYTES, STDERR_TAIL_BYTES};
use crate::tree::Tree;

const READ_BYTES: usize = 8 * 1024;

/// The end of a stream of bytes.
#[derive(Default)]
pub(crate) struct Tail {
    bytes: VecDeque<u8>,
    cut: bool,
}

impl Tail {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.bytes.extend(chunk);
        let excess = self.bytes.len().saturating_sub(STDERR_TAIL_BYTES);
        if excess > 0 {
            self.bytes.drain(..excess);
            self.cut = true;
        }
    }

    /// Returns the kept text. When its start was lost it begins with a whole line, unless it is one long line.
    pub(crate) fn text(&self) -> String {
        let mut kept: Vec<u8> = self.bytes.iter().copied().collect();
        if self.cut
            && let Some(end) = kept.iter().position(|&byte| byte == b'\n')
            && end + 1 < kept.len()
        {
            kept.drain(..=end);
        }
        String::from_utf8_lossy(&kept).into_owned()
    }
}

/// Cuts what a child writes into lines for the log.
struct LineLog {
    pid: u32,
    partial: Vec<u8>,
}

impl LineLog {
    fn push(&mut self, chunk: &[u8]) {
        if !tracing::enabled!(target: "agent_stderr", tracing::Level::DEBUG) {
            return;
        }
        for piece in chunk.split_inclusive(|&byte| byte == b'\n') {
            let (text, ended) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let room = STDERR_LINE_BYTES.saturating_sub(self.partial.len());
            self.partial.extend(text.iter().take(room));
            if ended {
                self.flush();
            }
        }
    }

    fn flush(&mut self) {
        if !self.partial.is_empty() {
            let line = String::from_utf8_lossy(&self.partial);
            tracing::debug!(target: "agent_stderr", pid = self.pid, "{}", line.trim_end_matches('\r'));
        }
        self.partial = Vec::new();
    }
}

/// The reading end of one child's stderr.
pub(crate) struct Stderr<'tree> {
    pipe: pipe::Receiver,
    tree: &'tree Tree,
    log: LineLog,
}

impl<'tree> Stderr<'tree> {
    pub(crate) fn new(pipe: pipe::Receiver, tree: &'tree Tree) -> Self {
        Stderr { pipe, tree, log: LineLog { pid: tree.pid(), partial: Vec::new() } }
    }

    /// Reads until every holder of the other end is gone. Cancel-safe; a quiet child costs no buffer.
    pub(crate) async fn drain(&mut self) {
        loop {
            if let Err(error) = self.pipe.readable().await {
                tracing::debug!(pid = self.tree.pid(), %error, "stderr cannot be awaited");
                return;
            }
            match self.read_once() {
                Ok(0) => return,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    tracing::debug!(pid = self.tree.pid(), %error, "stderr cannot be read");
                    return;
                }
            }
        }
    }

    /// Logs a last line without its end.
    pub(crate) fn finish(mut self) {
        self.log.flush();
    }

    /// Not async, so that the buffer lives on the stack and not in every waiting task.
    fn read_once(&mut self) -> io::Result<usize> {
        let mut buffer = [0; READ_BYTES];
        let count = self.pipe.try_read(&mut buffer)?;
        let chunk = buffer.get(..count).unwrap_or_default();
        self.tree.tail().push(chunk);
        self.log.push(chunk);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_all_of_a_short_text() {
        let mut tail = Tail::default();
        tail.push(b"one\ntw");
        tail.push(b"o\n");
        assert_eq!(tail.text(), "one\ntwo\n");
    }

    #[test]
    fn starts_at_a_line_when_cut() {
        let mut tail = Tail::default();
        for number in 0..20_000 {
            tail.push(format!("line {number}\n").as_bytes());
        }
        let text = tail.text();
        assert!(text.starts_with("line "), "{:?}", text.lines().next());
        assert!(text.ends_with("line 19999\n"));
        assert!(text.len() <= STDERR_TAIL_BYTES && text.len() > STDERR_TAIL_BYTES - 20);
    }

    #[test]
    fn keeps_one_long_line_and_broken_characters() {
        let mut tail = Tail::default();
        tail.push("é".repeat(STDERR_TAIL_BYTES).as_bytes());
        tail.push(b"x");
        let text = tail.text();
        assert!(text.ends_with("éx"));
        assert!(text.len() > STDERR_TAIL_BYTES / 2);
    }
}
