//! An agent that follows a script, and what it was asked.

use anyhow::{Context, Result};
use sa_testkit::{Daemon, DaemonBuilder, Sandbox, puppet_path};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// The agent `scripted`, one process of which serves all sessions.
pub(crate) struct Script {
    sandbox: Arc<Sandbox>,
}

impl Script {
    /// Creates an agent that takes these steps; see `sa-puppet --play`.
    pub(crate) fn new(steps: &Value) -> Result<Self> {
        let script = Self { sandbox: Arc::new(Sandbox::new()?) };
        std::fs::write(script.path(), steps.to_string())?;
        script.link_program(&puppet_path()?)?;
        Ok(script)
    }

    /// Returns a daemon that has the agent, with more of its configuration.
    pub(crate) fn daemon(&self, config: &str) -> DaemonBuilder {
        let agent = format!(
            "[agents.scripted]\ncommand = {:?}\nargs = [\"--play\", {:?}]\ncapabilities = [\"shared-process\"]\n",
            self.program(),
            self.path()
        );
        Daemon::builder().sandbox(Arc::clone(&self.sandbox)).config(config).config(&agent)
    }

    /// Has the agent's name lead to another file.
    pub(crate) fn link_program(&self, program: &PathBuf) -> Result<()> {
        let link = self.sandbox.path("linked");
        std::os::unix::fs::symlink(program, &link)?;
        std::fs::rename(link, self.program()).context("linking the agent's program")
    }

    /// Returns a file of that name where the agent may write.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.sandbox.path(name)
    }

    fn program(&self) -> PathBuf {
        self.sandbox.path("agent")
    }

    fn path(&self) -> PathBuf {
        self.sandbox.path("script.json")
    }

    /// Returns all that the agent's processes have read: `key`, `pid` and `message`, in order.
    pub(crate) fn journal(&self) -> Vec<Value> {
        let journal = std::fs::read_to_string(self.path().with_extension("log")).unwrap_or_default();
        journal.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    pub(crate) fn heard(&self, key: &str) -> Vec<Value> {
        let entries = self.journal().into_iter().filter(|entry| entry["key"] == key);
        entries.map(|entry| entry["message"].clone()).collect()
    }

    /// Returns the processes that read messages of one key, in order.
    pub(crate) fn readers(&self, key: &str) -> Vec<u64> {
        let entries = self.journal().into_iter().filter(|entry| entry["key"] == key);
        entries.filter_map(|entry| entry["pid"].as_u64()).collect()
    }

    /// Waits until the agent has read so many messages of one key.
    pub(crate) async fn hears(&self, key: &str, count: usize) -> Result<Vec<Value>> {
        sa_e2e::poll(&format!("{count} times {key}"), async || {
            Ok(Some(self.heard(key)).filter(|heard| heard.len() >= count))
        })
        .await
    }
}

/// Returns a request for permission, written by the agent.
pub(crate) fn permission(request: &str, tool_call: &str) -> Value {
    json!({
        "id": request,
        "method": "session/request_permission",
        "params": {
            "sessionId": "$session",
            "toolCall": {"toolCallId": tool_call, "title": "Write it", "kind": "edit", "rawInput": {"path": "a"}},
            "options": [
                {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                {"optionId": "no", "name": "No", "kind": "reject_once"},
            ],
        },
    })
}

/// Returns the agent no longer waits for the answer to that request.
pub(crate) fn cancel(request: &str) -> Value {
    json!({"method": "$/cancel_request", "params": {"requestId": request}})
}

/// Returns the end of the newest turn, written by the agent.
pub(crate) fn end_turn() -> Value {
    json!({"id": "$id session/prompt", "result": {"stopReason": "end_turn"}})
}
