//! Tool calls: announced, called, allowed, done.

use super::Session;
use crate::core::Core;
use crate::native::frame::{Denied, Progress};
use crate::native::message::UserFrame;
use crate::tools;
use agent_client_protocol_schema::v1::{SessionUpdate, ToolCallStatus};
use serde_json::{Value, json};

/// The tool calls of a session, each with its input. They are remembered for what background tasks have to say about them.
pub(super) type Tools = sa_acp::RememberedTools<Value>;

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
        let Some(tool) = self.tools.get_mut(id) else {
            return self.new_tool(core, id, name, input, parent);
        };
        if !tool.is_open() {
            return;
        }
        let late_parent = tool.parent.is_none() && parent.is_some();
        if late_parent {
            tool.parent = parent.map(str::to_owned);
        }
        if tool.note == input && !late_parent {
            return;
        }
        let fields = tools::call(name, &input, &self.workspace.cwd).into_fields();
        tool.note = input;
        tool.tell(&mut core.client, &self.conversation.id, id, fields);
    }

    fn new_tool(&mut self, core: &mut Core, id: &str, name: &str, input: Value, parent: Option<&str>) {
        let described = tools::call(name, &input, &self.workspace.cwd);
        self.tools.begin(
            &mut core.client,
            &self.conversation.id,
            id,
            described,
            parent.map(str::to_owned),
            input,
        );
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
        let Some(tool) = self.tools.get_mut(id) else { return };
        // What was written to a file, for example, need not be kept.
        let input = tool.note.take();
        let outcome = tools::result(&tool.name, &input, block, structured, &self.workspace.cwd);
        let succeeded = outcome.status == ToolCallStatus::Completed;
        let plan = succeeded.then(|| self.todos.note(&tool.name, &input, structured)).flatten();
        self.tools.done(&mut core.client, &self.conversation.id, id, outcome);
        if let Some(plan) = plan {
            self.conversation.update(&mut core.client, &SessionUpdate::Plan(plan));
        }
    }

    /// Tells something about a call that the protocol has no place for.
    pub(super) fn tool_remark(&self, core: &mut Core, id: &str, name: &str, value: Value) {
        if let Some(tool) = self.tools.get(id) {
            tool.remark(&mut core.client, &self.conversation.id, id, name, value);
        }
    }

    pub(super) fn tool_progressed(&mut self, core: &mut Core, progress: &Progress) {
        let id = progress.parent_tool_use_id.as_deref().or(progress.tool_use_id.as_deref());
        let Some(id) = id else { return };
        self.tools.runs(&mut core.client, &self.conversation.id, id);
        self.tool_remark(core, id, "elapsedSeconds", json!(progress.elapsed_time_seconds));
    }

    /// The CLI refused a call without asking.
    pub(super) fn tool_denied(&mut self, core: &mut Core, denied: &Denied) {
        let Some(id) = denied.tool_use_id.as_deref() else { return };
        self.tool_remark(core, id, "denied", json!(denied.message));
    }
}
