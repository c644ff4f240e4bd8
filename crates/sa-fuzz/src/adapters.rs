//! The adapters between a client and the processes of a CLI, both played by the input. Whatever the CLI prints, an
//! adapter continues, and each line to the client is one JSON document.

use agent_client_protocol_schema::v1::{Error, ListSessionsResponse, SessionUpdate};
use sa_acp::{Adapter, ChildId, Disk, Effect, Ended, Machine, Now};
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directory of the session.
const PROJECT: &str = "/project";
const SESSION: &str = "00000000-0000-4000-8000-000000000001";
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

/// A disk with the directory of the session and no files.
#[derive(Debug)]
struct Folder;

impl Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with(PROJECT)
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }
}

impl sa_claude::Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with(PROJECT)
    }

    fn list(&self, _: Option<&Path>, _: Option<&str>) -> Result<ListSessionsResponse, Error> {
        Ok(ListSessionsResponse::new(Vec::new()))
    }

    fn read(&self, _: &str, _: &Path) -> Result<Option<Vec<SessionUpdate>>, Error> {
        Ok(None)
    }

    fn mode(&self, _: &str, _: &Path) -> Option<String> {
        None
    }

    fn conversation(&self, _: &str) -> Option<String> {
        None
    }

    fn moved(&self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn delete(&self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

impl sa_amp::Disk for Folder {
    fn is_directory(&self, path: &Path) -> bool {
        path.starts_with(PROJECT)
    }

    fn read(&self, _: &Path) -> Option<String> {
        None
    }

    fn has_login(&self) -> bool {
        false
    }

    fn settings(&self) -> Result<Map<String, Value>, String> {
        Ok(Map::new())
    }

    fn project_rules(&self, _: &Path) -> Option<PathBuf> {
        None
    }
}

impl sa_pi::SessionFiles for Folder {
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

#[derive(Debug)]
struct OneEndpoint;

impl sa_opencode::Endpoints for OneEndpoint {
    fn next(&mut self) -> sa_opencode::Endpoint {
        sa_opencode::Endpoint { port: 1, password: "secret".to_owned() }
    }
}

fn claude() -> sa_claude::Host {
    sa_claude::Host {
        new_id: Box::new(|| SESSION.to_owned()),
        disk: Box::new(Folder),
        plans: "/plans".into(),
        allow_bypass: false,
        is_root: false,
        any_model: false,
        token: None,
        limits: sa_claude::Limits::USUAL,
    }
}

fn codex() -> sa_codex::Host {
    sa_codex::Host { options: sa_codex::Options::new("codex", "/home/.codex"), disk: Box::new(Folder) }
}

fn opencode() -> sa_opencode::Host {
    sa_opencode::Host {
        disk: Box::new(Folder),
        endpoints: Box::new(OneEndpoint),
        home: "/home/user".into(),
        allow_bypass: false,
        limits: sa_opencode::LIMITS,
    }
}

fn amp() -> sa_amp::Host {
    sa_amp::Host {
        disk: Box::new(Folder),
        has_key: true,
        helper: "/helper".into(),
        allow_bypass: false,
        limits: sa_amp::LIMITS,
    }
}

fn pi() -> sa_pi::Host {
    sa_pi::Host {
        disk: Box::new(Folder),
        files: Box::new(Folder),
        allow_bypass: false,
        limits: sa_pi::Limits::USUAL,
    }
}
