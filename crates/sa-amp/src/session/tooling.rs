//! Tool calls: called, allowed, done.

use super::Session;
use crate::core::{Core, PROFILE};
use crate::limits::REMEMBERED;
use crate::tools;
use agent_client_protocol_schema::v1::{
    Meta, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use sa_acp::absolute;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A tool call that the client knows of.
#[derive(Debug)]
pub(super) struct Tool {
    name: String,
    parent: Option<String>,
    status: ToolCallStatus,
    /// Whether the CLI told of it itself, so that it will tell its result, too.
    told: bool,
    number: u64,
}

impl Tool {
    fn is_open(&self) -> bool {
        matches!(self.status, ToolCallStatus::Pending | ToolCallStatus::InProgress)
    }

    /// What is told about it beside the protocol.
    fn meta(&self) -> Meta {
        let mut about = Map::from_iter([("toolName".to_owned(), json!(self.name))]);
        if let Some(parent) = &self.parent {
            about.insert("parentToolUseId".to_owned(), json!(parent));
        }
        PROFILE.meta(Value::Object(about))
    }
}

/// The tool calls of a session, by id.
#[derive(Debug, Default)]
pub(super) struct Tools {
    last: u64,
    calls: BTreeMap<String, Tool>,
}

impl Tools {
    fn insert(&mut self, id: &str, name: &str, parent: Option<String>, told: bool) -> Meta {
        if self.calls.len() >= REMEMBERED {
            let done = self.calls.iter().filter(|(_, tool)| !tool.is_open());
            let oldest = done.min_by_key(|(_, tool)| tool.number).map(|(id, _)| id.clone());
            oldest.map(|id| self.calls.remove(&id));
        }
        self.last += 1;
        let (name, status, number) = (name.to_owned(), ToolCallStatus::Pending, self.last);
        let tool = Tool { name, parent, status, told, number };
        let about = tool.meta();
        self.calls.insert(id.to_owned(), tool);
        about
    }

    /// The call of a sub-agent that is under way, if it is the only one.
    fn only_agent(&self) -> Option<String> {
        let mut agents = self.calls.iter().filter(|(_, tool)| tool.is_open() && tools::is_agent(&tool.name));
        let only = agents.next()?;
        agents.next().is_none().then(|| only.0.clone())
    }
}

impl Session {
    /// The model calls a tool.
    pub(super) fn tool_called(
        &mut self,
        core: &mut Core,
        id: &str,
        name: &str,
        input: Value,
        parent: Option<&str>,
    ) {
        match self.tools.calls.get_mut(id) {
            Some(tool) => tool.told = true,
            None => self.new_tool(core, id, name, input, parent.map(str::to_owned), true),
        }
    }

    /// A tool is asked about of which the CLI has not told: a sub-agent's.
    pub(super) fn tool_asked(&mut self, core: &mut Core, id: &str, name: &str, input: &Value) {
        if !self.tools.calls.contains_key(id) {
            let parent = self.tools.only_agent();
            self.new_tool(core, id, name, input.clone(), parent, false);
        }
    }

    fn new_tool(
        &mut self,
        core: &mut Core,
        id: &str,
        name: &str,
        input: Value,
        parent: Option<String>,
        told: bool,
    ) {
        let path = tools::changed_file(name, &input);
        let before = path.and_then(|path| core.host.disk.read(&absolute(path, &self.place.cwd)));
        let about = self.tools.insert(id, name, parent, told);
        let call = tools::call(name, &input, &self.place.cwd, before.as_deref());
        let call = call.into_call(id.to_owned(), name, input);
        self.emit(core, &SessionUpdate::ToolCall(call.meta(about)));
    }

    pub(super) fn tool_done(&mut self, core: &mut Core, id: &str, content: &Value, failed: bool) {
        if !self.tools.calls.contains_key(id) {
            // The call was made before this process was there.
            self.new_tool(core, id, "unknown", json!({}), None, true);
        }
        let Some(tool) = self.tools.calls.get_mut(id) else { return };
        let outcome = tools::outcome(id, &tool.name, content, failed);
        tool.status = outcome.status;
        let about = tool.meta();
        let mut update = outcome.into_update(id.to_owned());
        let mut own = update.meta.take().unwrap_or_default();
        own.extend(about);
        self.emit(core, &SessionUpdate::ToolCallUpdate(update.meta(own)));
    }

    /// Tells that a call runs, unless it is known to run or to be done.
    pub(super) fn tool_runs(&mut self, core: &mut Core, id: &str) {
        let is_pending = |tool: &&mut Tool| tool.status == ToolCallStatus::Pending;
        let Some(tool) = self.tools.calls.get_mut(id).filter(is_pending) else { return };
        tool.status = ToolCallStatus::InProgress;
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
        let update = ToolCallUpdate::new(id.to_owned(), fields).meta(tool.meta());
        self.emit(core, &SessionUpdate::ToolCallUpdate(update));
    }

    /// A call of which the CLI will tell no result was not allowed.
    pub(super) fn tool_refused(&mut self, core: &mut Core, id: &str, reason: &str) {
        if self.tools.calls.get(id).is_some_and(|tool| !tool.told) {
            self.tool_done(core, id, &json!(reason), true);
        }
    }

    /// The turn is over, and with it what was allowed to sub-agents: of that the CLI tells nothing.
    pub(super) fn finish_unseen(&mut self, core: &mut Core) {
        self.end_tools(core, ToolCallStatus::Completed, &Value::Null);
    }

    /// Nothing stays open behind a turn that was cut off.
    pub(super) fn close_tools(&mut self, core: &mut Core, reason: &str) {
        self.end_tools(core, ToolCallStatus::Failed, &json!({ "reason": reason }));
    }

    fn end_tools(&mut self, core: &mut Core, status: ToolCallStatus, output: &Value) {
        let open: Vec<_> =
            self.tools.calls.iter().filter(|(_, tool)| tool.is_open()).map(|(id, _)| id.clone()).collect();
        for id in open {
            let Some(tool) = self.tools.calls.get_mut(&id) else { continue };
            tool.status = status;
            let fields = ToolCallUpdateFields::new()
                .status(status)
                .raw_output(Some(output.clone()).filter(|output| !output.is_null()));
            let update = ToolCallUpdate::new(id, fields).meta(tool.meta());
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }
}
