//! Tool calls: started, printing, done.

use super::Session;
use crate::core::{Core, PROFILE};
use crate::limits::PRINT_KEPT;
use crate::native::item::Body;
use crate::tools;
use agent_client_protocol_schema::v1::{SessionUpdate, ToolCallUpdate, ToolCallUpdateFields};
use sa_acp::{Described, RunningTools};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Those of a session, by the ids of their items.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) running: RunningTools,
    /// Calls of tools of MCP servers, in their order, each with its server.
    served: Vec<(String, String)>,
    /// Threads of sub-agents, each with the call that sent it.
    senders: BTreeMap<String, String>,
    /// Threads of sub-agents that work, each with its turn.
    pub(super) offspring: BTreeMap<String, String>,
}

impl Tools {
    /// The threads of all sub-agents.
    pub(super) fn offspring_threads(&self) -> impl Iterator<Item = &str> {
        self.senders.keys().map(String::as_str)
    }

    /// The call that sent a sub-agent, by its thread.
    pub(super) fn sender_of(&self, thread: &str) -> Option<&str> {
        self.senders.get(thread).map(String::as_str)
    }

    fn note_senders(&mut self, id: &str, body: &Body) {
        for thread in body.receivers() {
            self.senders.entry(thread).or_insert_with(|| id.to_owned());
        }
    }

    /// Finds the call of an MCP server's tool that a question is about. The question may not name the input. Calls that differ in
    /// nothing are as good as each other.
    pub(super) fn call_of(&self, server: &str, name: &str, input: Option<&Value>) -> Option<&str> {
        let is_it = |call: &Described| call.name == name && input.is_none_or(|input| call.input == *input);
        let running = self.served.iter().filter(|(_, own)| own == server);
        let described = running.filter_map(|(id, _)| Some((id, &self.running.get(id)?.described)));
        let calls: Vec<_> = described.filter(|(_, call)| is_it(call)).collect();
        let (id, last) = calls.last()?;
        calls.iter().all(|(_, call)| call.input == last.input).then_some(id.as_str())
    }

    /// The latest call of a tool of that MCP server that runs.
    pub(super) fn latest_of(&self, server: &str) -> Option<&str> {
        let latest = self.served.iter().rfind(|(_, own)| own == server);
        latest.map(|(id, _)| id.as_str())
    }
}

impl Session {
    /// A call begins, or is asked about: some versions ask first.
    pub(super) fn tool_started(&mut self, core: &mut Core, id: &str, body: &Body, parent: Option<&str>) {
        self.tools.note_senders(id, body);
        if self.tools.running.get(id).is_some() {
            return;
        }
        let described = tools::describe(body, &self.workspace.cwd, core.host.disk.as_ref());
        self.tools.running.start(&mut core.io.client, &self.conversation.id, id, described, parent);
        if let Body::McpToolCall(call) = body {
            let server = call["server"].as_str().unwrap_or_default();
            self.tools.served.push((id.to_owned(), server.to_owned()));
        }
    }

    /// A command has printed something.
    pub(super) fn on_output(&mut self, core: &Core, id: &str, text: &str) {
        self.tools.running.printed(id, core.io.now.elapsed, |output| {
            let is_kept = output.len() + text.len() <= PRINT_KEPT;
            if is_kept {
                output.push_str(text);
            }
            is_kept
        });
    }

    pub(super) fn on_tool_progressed(&self, core: &mut Core, progress: &Value) {
        let id = progress["itemId"].as_str().unwrap_or_default();
        if self.tools.running.get(id).is_some() {
            let about = PROFILE.meta(json!({ "progress": progress["message"] }));
            let update = ToolCallUpdate::new(id.to_owned(), ToolCallUpdateFields::new());
            self.conversation.update(&mut core.io.client, &SessionUpdate::ToolCallUpdate(update.meta(about)));
        }
    }

    /// Reports the result of a call. A call that is not known is reported first.
    pub(super) fn tool_completed(&mut self, core: &mut Core, id: &str, body: &Body, parent: Option<&str>) {
        self.tool_started(core, id, body, parent);
        if matches!(body, Body::SubAgent(agent) if agent.kind == "started") {
            // The sub-agent works; another item reports its result.
            return;
        }
        self.tools.served.retain(|(call, _)| call != id);
        self.tools.running.done(&mut core.io.client, &self.conversation.id, id, tools::outcome(id, body));
    }

    /// Nothing stays open behind a turn that was cut off: the CLI does not complete what it leaves.
    pub(super) fn close_tools(&mut self, core: &mut Core, reason: &str) {
        self.tools.served.clear();
        self.tools.running.close(&mut core.io.client, &self.conversation.id, reason);
    }
}
