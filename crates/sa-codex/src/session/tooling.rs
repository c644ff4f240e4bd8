//! Tool calls: started, printing, done.

use super::Session;
use crate::core::{Core, PROFILE};
use crate::limits::{PRINT_EVERY, PRINT_KEPT, PRINT_TAIL};
use crate::native::event::McpProgress;
use crate::native::item::Body;
use crate::tools::{self, Described};
use agent_client_protocol_schema::v1::{
    Meta, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

/// A tool call that is not done.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) described: Described,
    /// The server of an MCP tool.
    server: Option<String>,
    parent: Option<String>,
    /// What a command has printed.
    output: String,
    /// Whether there is more of it than was told.
    has_news: bool,
    number: u64,
}

/// Those of a session, by the ids of their items.
#[derive(Debug, Default)]
pub(super) struct Tools {
    last: u64,
    open: BTreeMap<String, Tool>,
    /// When what commands have printed is told next.
    print_at: Option<Duration>,
    /// Threads of sub-agents, each with the call that sent it.
    senders: BTreeMap<String, String>,
}

impl Tools {
    pub(super) fn get(&self, id: &str) -> Option<&Tool> {
        self.open.get(id)
    }

    pub(super) fn deadline(&self) -> Option<Duration> {
        self.print_at
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

    /// The latest call of a tool of that MCP server.
    pub(super) fn latest_of(&self, server: &str) -> Option<&str> {
        let calls = self.open.iter().filter(|(_, tool)| tool.server.as_deref() == Some(server));
        calls.max_by_key(|(_, tool)| tool.number).map(|(id, _)| id.as_str())
    }
}

/// What is told about a call beside the protocol.
fn about(parent: Option<&str>) -> Option<Meta> {
    parent.map(|parent| PROFILE.meta(json!({ "parentToolUseId": parent })))
}

impl Session {
    /// A call begins, or is asked about: some versions ask first.
    pub(super) fn tool_started(&mut self, core: &mut Core, id: &str, body: &Body, parent: Option<&str>) {
        self.tools.note_senders(id, body);
        if self.tools.open.contains_key(id) {
            return;
        }
        let described = tools::describe(body, &self.place.cwd, core.host.disk.as_ref());
        let call = described.clone().into_call(id.to_owned()).status(ToolCallStatus::InProgress);
        self.emit(core, &SessionUpdate::ToolCall(call.meta(about(parent))));
        let server = match body {
            Body::McpToolCall(call) => Some(call.server.clone()),
            _ => None,
        };
        self.tools.last += 1;
        let tool = Tool {
            described,
            server,
            parent: parent.map(str::to_owned),
            output: String::new(),
            has_news: false,
            number: self.tools.last,
        };
        self.tools.open.insert(id.to_owned(), tool);
    }

    /// A command has printed something.
    pub(super) fn printed(&mut self, core: &Core, id: &str, text: &str) {
        let Some(tool) = self.tools.open.get_mut(id) else { return };
        if tool.output.len() + text.len() <= PRINT_KEPT {
            tool.output.push_str(text);
            tool.has_news = true;
            self.tools.print_at.get_or_insert(core.now.elapsed + PRINT_EVERY);
        }
    }

    /// Tells what running commands have printed, if it is time to. The CLI drops pieces of it on the way, so that clients
    /// that draw terminals get the output when it is whole.
    pub(super) fn tell_printed(&mut self, core: &mut Core) {
        if self.tools.print_at.is_none_or(|at| at > core.now.elapsed) {
            return;
        }
        self.tools.print_at = None;
        let mut updates = Vec::new();
        for (id, tool) in &mut self.tools.open {
            if std::mem::take(&mut tool.has_news) {
                let fields = ToolCallUpdateFields::new().content(sa_acp::printed(tail(&tool.output)));
                updates.push(ToolCallUpdate::new(id.clone(), fields).meta(about(tool.parent.as_deref())));
            }
        }
        for update in updates {
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }

    pub(super) fn tool_progressed(&self, core: &mut Core, progress: &McpProgress) {
        if self.tools.open.contains_key(&progress.item_id) {
            let about = PROFILE.meta(json!({ "progress": progress.message }));
            let update = ToolCallUpdate::new(progress.item_id.clone(), ToolCallUpdateFields::new());
            self.emit(core, &SessionUpdate::ToolCallUpdate(update.meta(about)));
        }
    }

    /// A call is done. One that nobody was told of is told of first.
    pub(super) fn tool_completed(&mut self, core: &mut Core, id: &str, body: &Body, parent: Option<&str>) {
        self.tool_started(core, id, body, parent);
        if matches!(body, Body::SubAgent(agent) if agent.kind == "started") {
            // The agent is on its way; another item tells when it is done.
            return;
        }
        let Some(tool) = self.tools.open.remove(id) else { return };
        let mut update = tools::outcome(id, body).into_update(id.to_owned());
        if let Some(parent) = about(tool.parent.as_deref()) {
            update.meta.get_or_insert_default().extend(parent);
        }
        self.emit(core, &SessionUpdate::ToolCallUpdate(update));
    }

    /// Tells that a call runs that was waiting for permission.
    pub(super) fn tool_runs(&self, core: &mut Core, id: &str) {
        if let Some(tool) = self.tools.open.get(id) {
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
            let update = ToolCallUpdate::new(id.to_owned(), fields).meta(about(tool.parent.as_deref()));
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }

    /// Nothing stays open behind a turn that was cut off: the CLI does not complete what it leaves.
    pub(super) fn close_tools(&mut self, core: &mut Core, reason: &str) {
        self.tools.print_at = None;
        for (id, tool) in std::mem::take(&mut self.tools.open) {
            let fields = ToolCallUpdateFields::new()
                .status(ToolCallStatus::Failed)
                .raw_output(json!({ "reason": reason }));
            let update = ToolCallUpdate::new(id, fields).meta(about(tool.parent.as_deref()));
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }
}

/// The last characters of a text.
fn tail(text: &str) -> &str {
    let skipped = text.chars().count().saturating_sub(PRINT_TAIL);
    text.char_indices().nth(skipped).and_then(|(start, _)| text.get(start..)).unwrap_or_default()
}
