//! The adapters between a client and the processes of a CLI, both played by the input. Whatever the CLI prints, an
//! adapter continues, and each line to the client is one JSON document.

use sa_acp::{Adapter, ChildId, Effect, Ended, Machine, Now};
use sa_instructions::{Folder, PROJECT, amp, claude, codex, opencode};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::time::Duration;

/// Stands for the id of the oldest request to the CLI that was not answered.
const OLDEST: &str = "\"@id\"";

/// Panics if an adapter does, or if it writes something else than JSON. The first byte chooses the adapter. Of the lines
/// after it, `>` is one of the client, `!` the end of a process, `+` a minute that passes, and all others are the CLI's.
pub(crate) fn lines_of_the_cli_harm_nobody(data: &[u8]) {
    let (first, script) = data.split_first().unwrap_or((&0, &[]));
    match first % 5 {
        0 => Stage::<sa_claude::Core>::play(claude(), script),
        1 => Stage::<sa_codex::Core>::play(codex(), script),
        2 => Stage::<sa_opencode::Core>::play(opencode(), script),
        3 => Stage::<sa_amp::Core>::play(amp(), script),
        _ => Stage::<sa_pi::Core>::play(pi(), script),
    }
}

/// An adapter between a client and the processes of its CLI.
struct Stage<A: Adapter> {
    machine: Machine<A>,
    /// The process that was started last.
    child: Option<ChildId>,
    /// Ids of requests that were written to the process.
    asked: Vec<Value>,
    minutes: u64,
}

impl<A: Adapter> Stage<A> {
    fn play(core: impl Into<A>, script: &[u8]) {
        let mut stage = Self { machine: Machine::new(core), child: None, asked: Vec::new(), minutes: 0 };
        let begin = [
            json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": 1, "clientCapabilities": {} } }),
            json!({ "jsonrpc": "2.0", "id": 2, "method": "session/new", "params": { "cwd": PROJECT, "mcpServers": [] } }),
        ];
        for request in begin {
            stage.machine.line(stage.now(), request.to_string().as_bytes());
            stage.settle();
        }
        for line in script.split(|byte| *byte == b'\n') {
            stage.step(line);
            stage.settle();
        }
    }

    fn step(&mut self, line: &[u8]) {
        match (line.split_first(), self.child) {
            (Some((b'>', line)), _) => self.machine.line(self.now(), line),
            (Some((b'+', _)), _) => {
                self.minutes += 1;
                self.machine.tick(self.now());
            }
            (Some((b'!', _)), Some(child)) => {
                self.machine.ended(self.now(), child, &Ended { code: Some(1), ..Ended::default() });
            }
            (_, Some(child)) => {
                let text = String::from_utf8_lossy(line);
                if text.contains(OLDEST) && !self.asked.is_empty() {
                    let line = text.replace(OLDEST, &self.asked.remove(0).to_string());
                    self.machine.native(self.now(), child, line.as_bytes());
                } else {
                    self.machine.native(self.now(), child, line);
                }
            }
            (_, None) => {}
        }
    }

    fn settle(&mut self) {
        while let Some(effect) = self.machine.next_effect() {
            match effect {
                Effect::Start { child, .. } => self.child = Some(child),
                Effect::Write { line, .. } => {
                    let line: Value = serde_json::from_slice(&line).unwrap_or_default();
                    let ids = [&line["id"], &line["request_id"]].into_iter();
                    self.asked.extend(ids.filter(|id| !id.is_null()).cloned());
                }
                Effect::End { .. } => {}
            }
        }
        let mut output = Vec::new();
        self.machine.take_output(&mut output);
        for line in output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let read = serde_json::from_slice::<Value>(line);
            assert!(read.is_ok(), "not JSON to the client: {}", String::from_utf8_lossy(line));
        }
    }

    fn now(&self) -> Now {
        let elapsed = Duration::from_secs(60 * self.minutes);
        Now { elapsed, unix: Duration::from_secs(1_800_000_000) + elapsed }
    }
}

/// No stored conversations.
#[derive(Debug)]
struct NoSessions;

impl sa_pi::SessionFiles for NoSessions {
    fn list(&self, _: Option<&Path>) -> Vec<sa_pi::StoredSession> {
        Vec::new()
    }

    fn find(&self, _: &str) -> Option<sa_pi::StoredSession> {
        None
    }

    fn delete(&self, _: &str) -> io::Result<()> {
        Ok(())
    }
}

fn pi() -> sa_pi::Host {
    sa_pi::Host {
        disk: Box::new(Folder),
        files: Box::new(NoSessions),
        allow_bypass: false,
        limits: sa_pi::Limits::USUAL,
    }
}
