//! One line of an agent's CLI through its adapter. The client and the CLI are played here.

pub(crate) mod amp;
pub(crate) mod claude;
pub(crate) mod codex;
pub(crate) mod opencode;

use anyhow::{Context, Result, ensure};
use sa_acp::{Adapter, ChildId, Effect, Machine, Now};
use sa_instructions::PROJECT;
use serde_json::{Value, json};
use std::time::Duration;

/// The length of the text of a streamed line.
const TEXT_BYTES: usize = 32;

/// An adapter between a client and the processes of its CLI.
struct Stage<A: Adapter> {
    machine: Machine<A>,
    /// The processes that were started, in order.
    started: Vec<ChildId>,
    /// Lines to the processes that were not looked at yet.
    written: Vec<Value>,
    output: Vec<u8>,
    last_id: u64,
}

impl<A: Adapter> Stage<A> {
    fn new(core: impl Into<A>) -> Result<Self> {
        let machine = Machine::new(core);
        let mut stage =
            Self { machine, started: Vec::new(), written: Vec::new(), output: Vec::new(), last_id: 0 };
        stage.call("initialize", json!({ "protocolVersion": 1, "clientCapabilities": {} }))?;
        stage.call("session/new", json!({ "cwd": PROJECT, "mcpServers": [] }))?;
        Ok(stage)
    }

    /// The client sends a request.
    fn call(&mut self, method: &str, params: Value) -> Result<()> {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.machine.line(now(), request.to_string().as_bytes());
        self.settle()
    }

    fn prompt(&mut self, session: &str) -> Result<()> {
        let prompt = json!([{ "type": "text", "text": "hello" }]);
        self.call("session/prompt", json!({ "sessionId": session, "prompt": prompt }))
    }

    /// The process that was started last writes a line.
    fn native(&mut self, line: &str) -> Result<()> {
        let child = *self.started.last().context("no process was started")?;
        self.machine.native(now(), child, line.as_bytes());
        self.settle()
    }

    /// Takes the oldest line to a process of which `is` holds.
    fn take(&mut self, is: impl Fn(&Value) -> bool) -> Result<Value> {
        let place = self.written.iter().position(is);
        let place = place.with_context(|| format!("not written: {:?}", self.written))?;
        Ok(self.written.remove(place))
    }

    fn settle(&mut self) -> Result<()> {
        while let Some(effect) = self.machine.next_effect() {
            match effect {
                Effect::Start { child, .. } => self.started.push(child),
                Effect::Write { line, .. } => self.written.push(serde_json::from_slice(&line)?),
                Effect::End { .. } => {}
            }
        }
        self.output.clear();
        self.machine.take_output(&mut self.output);
        Ok(())
    }

    /// The last process writes a line again and again; each must reach the client.
    fn repeat(&mut self, count: usize, line: &Value) -> Result<()> {
        let line = line.to_string();
        for number in 0..count {
            self.native(&line)?;
            ensure!(!self.output.is_empty(), "line {number} did not reach the client: {line}");
        }
        Ok(())
    }
}

fn now() -> Now {
    Now { elapsed: Duration::from_secs(1), unix: Duration::from_secs(1_800_000_000) }
}

fn text() -> String {
    "x".repeat(TEXT_BYTES)
}
