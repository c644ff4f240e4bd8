//! Notifications of an exact size: many (`flood`) or one (`huge`).

use crate::wire::{self, Reply};
use serde::Deserialize;
use std::thread;
use std::time::Duration;

/// Lines are gathered up to here before they are written.
const BATCH: usize = 64 * 1024;

/// `flood {count, bytes?, label?, everyMs?}`: notifications numbered from 1, each line `bytes` long without its
/// newline (never shorter than the envelope), then the answer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Flood {
    count: u64,
    #[serde(default)]
    bytes: usize,
    /// Distinguishes floods that run at once.
    label: Option<String>,
    /// A pause after each line; then lines are written one by one.
    #[serde(default)]
    every_ms: u64,
}

impl Flood {
    /// Runs on a separate thread: a reader that is held back must not keep the puppet from listening.
    pub(crate) fn start(self, reply: Reply) {
        thread::spawn(move || {
            self.send();
            reply.result(&format!(r#"{{"sent":{}}}"#, self.count));
        });
    }

    fn send(&self) {
        let label = self.label.as_ref().map_or_else(String::new, |label| {
            format!(r#""label":{},"#, serde_json::Value::from(label.as_str()))
        });
        let mut batch = Vec::with_capacity(BATCH + self.bytes);
        for n in 1..=self.count {
            let head = format!(r#"{{"jsonrpc":"2.0","method":"flood","params":{{{label}"n":{n},"pad":""#);
            append(&mut batch, &head, self.bytes);
            if self.every_ms > 0 || batch.len() >= BATCH {
                wire::write(&batch);
                batch.clear();
                thread::sleep(Duration::from_millis(self.every_ms));
            }
        }
        wire::write(&batch);
    }
}

/// `huge {bytes}`: one notification line of that size, then the answer.
#[derive(Deserialize)]
pub(crate) struct Huge {
    bytes: usize,
}

impl Huge {
    /// Writes it and answers.
    pub(crate) fn send(&self, reply: &Reply) {
        let mut line = Vec::with_capacity(self.bytes + 1);
        append(&mut line, r#"{"jsonrpc":"2.0","method":"huge","params":{"pad":""#, self.bytes);
        wire::write(&line);
        reply.result("null");
    }
}

fn append(buffer: &mut Vec<u8>, head: &str, bytes: usize) {
    const TAIL: &str = r#""}}"#;
    buffer.extend_from_slice(head.as_bytes());
    let pad = bytes.saturating_sub(head.len() + TAIL.len());
    buffer.resize(buffer.len() + pad, b'x');
    buffer.extend_from_slice(TAIL.as_bytes());
    buffer.push(b'\n');
}
