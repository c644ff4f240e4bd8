//! Tool calls: announced, called, allowed, done.

use super::Session;
use crate::core::{Core, PROFILE};
use crate::native::frame::{Denied, Progress};
use crate::native::message::UserFrame;
use crate::tools;
use agent_client_protocol_schema::v1::{
    Meta, SessionUpdate, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Calls that are remembered after they are done, for what background tasks have to say about them.
const REMEMBERED: usize = 256;

/// A tool call that the client knows of.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) parent: Option<String>,
    pub(super) status: ToolCallStatus,
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
    pub(super) fn get(&self, id: &str) -> Option<&Tool> {
        self.calls.get(id)
    }

    /// Notes a call and gives what is told about it beside the protocol.
    fn insert(&mut self, id: &str, name: &str, input: Value, parent: Option<&str>) -> Meta {
        if self.calls.len() >= REMEMBERED {
            let done = self.calls.iter().filter(|(_, tool)| !tool.is_open());
            let oldest = done.min_by_key(|(_, tool)| tool.number).map(|(id, _)| id.clone());
            oldest.map(|id| self.calls.remove(&id));
        }
        self.last += 1;
        let tool = Tool {
            name: name.to_owned(),
            input,
            parent: parent.map(str::to_owned),
            status: ToolCallStatus::Pending,
            number: self.last,
        };
        let about = tool.meta();
        self.calls.insert(id.to_owned(), tool);
        about
    }
}

impl Session {
    /// The model has begun to write a call; its input is not known yet.
    pub(super) fn tool_announced(&mut self, core: &mut Core, id: &str, name: &str) {
        self.new_tool(core, id, name, json!({}), None);
    }

    /// A call with its input. Sub-agents' calls are told for the first time by this.
    pub(super) fn tool_called(
        &mut self,
        core: &mut Core,
        id: &str,
        name: &str,
        input: Value,
        parent: Option<&str>,
    ) {
        let Some(tool) = self.tools.calls.get_mut(id) else {
            return self.new_tool(core, id, name, input, parent);
        };
        if !tool.is_open() {
            return;
        }
        let late_parent = tool.parent.is_none() && parent.is_some();
        if late_parent {
            tool.parent = parent.map(str::to_owned);
        }
        if tool.input == input && !late_parent {
            return;
        }
        tool.input = input.clone();
        let about = tool.meta();
        let fields = tools::call(name, &input, &self.place.cwd).into_fields(name, input);
        let update = ToolCallUpdate::new(id.to_owned(), fields).meta(about);
        self.emit(core, &SessionUpdate::ToolCallUpdate(update));
    }

    fn new_tool(&mut self, core: &mut Core, id: &str, name: &str, input: Value, parent: Option<&str>) {
        let about = self.tools.insert(id, name, input.clone(), parent);
        let call = tools::call(name, &input, &self.place.cwd).into_call(id.to_owned(), name, input);
        self.emit(core, &SessionUpdate::ToolCall(call.meta(about)));
    }

    /// The results that a line brings.
    pub(super) fn tool_results(&mut self, core: &mut Core, user: &UserFrame) {
        let several = user.message.results().nth(1).is_some();
        for (id, block) in user.message.results() {
            // The structured result belongs to the only result of a line.
            let structured = user.tool_use_result.as_ref().filter(|_| !several);
            if self.tools.get(id).is_none() {
                // The call was made before this process was there.
                self.new_tool(core, id, "unknown", json!({}), user.parent_tool_use_id.as_deref());
            }
            self.tool_done(core, id, block, structured);
        }
    }

    fn tool_done(&mut self, core: &mut Core, id: &str, block: &Value, structured: Option<&Value>) {
        let Some(tool) = self.tools.calls.get_mut(id) else { return };
        let outcome = tools::result(&tool.name, &tool.input, block, structured, &self.place.cwd);
        tool.status = outcome.status;
        let succeeded = outcome.status == ToolCallStatus::Completed;
        let plan = succeeded.then(|| self.todos.note(&tool.name, &tool.input, structured)).flatten();
        // What was written to a file, for example, need not be kept.
        tool.input = Value::Null;
        let mut update = outcome.into_update(id.to_owned());
        let about = tool.meta();
        update.meta = Some(match update.meta.take() {
            Some(own) => merge(own, about),
            None => about,
        });
        self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        if let Some(plan) = plan {
            self.emit(core, &SessionUpdate::Plan(plan));
        }
    }

    /// Tells that a call runs, unless it is known to run or to be done.
    pub(super) fn tool_runs(&mut self, core: &mut Core, id: &str) {
        let Some(tool) = self.tools.calls.get_mut(id) else { return };
        if tool.status == ToolCallStatus::Pending {
            tool.status = ToolCallStatus::InProgress;
            let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
            let update = ToolCallUpdate::new(id.to_owned(), fields).meta(tool.meta());
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }

    /// Tells something about a call that the protocol has no place for.
    pub(super) fn tool_remark(&self, core: &mut Core, id: &str, name: &str, value: Value) {
        let Some(tool) = self.tools.get(id) else { return };
        let about = merge(tool.meta(), PROFILE.meta(json!({ name: value })));
        let update = ToolCallUpdate::new(id.to_owned(), ToolCallUpdateFields::new()).meta(about);
        self.emit(core, &SessionUpdate::ToolCallUpdate(update));
    }

    pub(super) fn tool_progressed(&mut self, core: &mut Core, progress: &Progress) {
        let id = progress.parent_tool_use_id.as_deref().or(progress.tool_use_id.as_deref());
        let Some(id) = id else { return };
        self.tool_runs(core, id);
        self.tool_remark(core, id, "elapsedSeconds", json!(progress.elapsed_time_seconds));
    }

    /// The CLI refused a call without asking.
    pub(super) fn tool_denied(&mut self, core: &mut Core, denied: &Denied) {
        let Some(id) = denied.tool_use_id.as_deref() else { return };
        self.tool_remark(core, id, "denied", json!(denied.message));
    }

    /// Nothing stays open behind a turn that was cut off.
    pub(super) fn close_tools(&mut self, core: &mut Core, reason: &str) {
        let open: Vec<_> =
            self.tools.calls.iter().filter(|(_, tool)| tool.is_open()).map(|(id, _)| id.clone()).collect();
        for id in open {
            let Some(tool) = self.tools.calls.get_mut(&id) else { continue };
            tool.status = ToolCallStatus::Failed;
            let fields = ToolCallUpdateFields::new()
                .status(ToolCallStatus::Failed)
                .raw_output(json!({ "reason": reason }));
            let update = ToolCallUpdate::new(id, fields).meta(tool.meta());
            self.emit(core, &SessionUpdate::ToolCallUpdate(update));
        }
    }
}

/// Two remarks as one, those under the agent's own name included.
fn merge(mut first: Meta, second: Meta) -> Meta {
    for (name, value) in second {
        match (first.get_mut(&name), value) {
            (Some(Value::Object(own)), Value::Object(more)) => own.extend(more),
            (_, value) => {
                first.insert(name, value);
            }
        }
    }
    first
}
