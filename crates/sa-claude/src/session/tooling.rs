//! Tool calls: announced, called, allowed, done. Also tasks that run next to the conversation: sub-agents, and commands in the
//! background.

use super::Session;
use crate::core::Core;
use crate::tools;
use agent_client_protocol_schema::v1::{SessionUpdate, ToolCallStatus};
use serde_json::{Map, Value, json};

/// The tool calls of a session, each with its input. They are remembered for what background tasks have to say about them.
pub(super) type Tools = sa_acp::RememberedTools<Value>;

/// The members of a task's news that are passed on, and their names for the client.
const REPORTED: [(&str, &str); 8] = [
    ("task_type", "type"),
    ("description", "description"),
    ("status", "status"),
    ("summary", "summary"),
    ("output_file", "outputFile"),
    ("subagent_type", "subagentType"),
    ("last_tool_name", "lastToolName"),
    ("usage", "usage"),
];

impl Session {
    /// The model has begun to write a call; its input is not known yet.
    pub(super) fn tool_announced(&mut self, core: &mut Core, id: &str, name: &str) {
        self.new_tool(core, id, name, json!({}), None);
    }

    /// Reports a call with its input. Calls of sub-agents are new here.
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
        tool.report(&mut core.io.client, &self.conversation.id, id, fields);
    }

    fn new_tool(&mut self, core: &mut Core, id: &str, name: &str, input: Value, parent: Option<&str>) {
        let described = tools::call(name, &input, &self.workspace.cwd);
        self.tools.begin(
            &mut core.io.client,
            &self.conversation.id,
            id,
            described,
            parent.map(str::to_owned),
            input,
        );
    }

    /// The results that a line brings.
    pub(super) fn tool_results(&mut self, core: &mut Core, user: &Value) {
        let blocks = user["message"]["content"].as_array().into_iter().flatten();
        let results = blocks.filter(|block| block["type"] == "tool_result");
        let results: Vec<_> =
            results.filter_map(|block| Some((block["tool_use_id"].as_str()?, block))).collect();
        for (id, block) in &results {
            // The structured result belongs to the only result of a line.
            let structured = user.get("tool_use_result");
            let structured = structured.filter(|result| results.len() == 1 && !result.is_null());
            if self.tools.get(id).is_none() {
                // The call was made before this process was there.
                self.new_tool(core, id, "unknown", json!({}), user["parent_tool_use_id"].as_str());
            }
            self.tool_done(core, id, block, structured);
        }
    }

    fn tool_done(&mut self, core: &mut Core, id: &str, block: &Value, structured: Option<&Value>) {
        let Some(tool) = self.tools.get_mut(id) else { return };
        // Inputs may be large, and are not needed any more.
        let input = tool.note.take();
        let outcome = tools::result(&tool.name, &input, block, structured, &self.workspace.cwd);
        let succeeded = outcome.status == ToolCallStatus::Completed;
        let plan = succeeded.then(|| self.todos.note(&tool.name, &input, structured)).flatten();
        self.tools.done(&mut core.io.client, &self.conversation.id, id, outcome);
        if let Some(plan) = plan {
            self.conversation.update(&mut core.io.client, &SessionUpdate::Plan(plan));
        }
    }

    /// Reports something about a call that the protocol has no field for.
    pub(super) fn tool_remark(&self, core: &mut Core, id: &str, name: &str, value: Value) {
        if let Some(tool) = self.tools.get(id) {
            tool.remark(&mut core.io.client, &self.conversation.id, id, name, value);
        }
    }

    pub(super) fn on_tool_progress(&mut self, core: &mut Core, progress: &Value) {
        // The other id is that of the report, not of a tool call.
        let id = progress["parent_tool_use_id"].as_str().or(progress["tool_use_id"].as_str());
        let Some(id) = id else { return };
        self.tools.runs(&mut core.io.client, &self.conversation.id, id);
        self.tool_remark(core, id, "elapsedSeconds", json!(progress["elapsed_time_seconds"].as_f64()));
    }

    /// The CLI refused a call without asking.
    pub(super) fn on_tool_denied(&mut self, core: &mut Core, denied: &Value) {
        let Some(id) = denied["tool_use_id"].as_str() else { return };
        self.tool_remark(core, id, "denied", denied["message"].clone());
    }

    /// Reports a task at the call that it belongs to; without one, for the session.
    pub(super) fn on_task(&mut self, core: &mut Core, task: &Value) {
        let mut about = Map::new();
        if task["task_id"].is_string() {
            about.insert("id".to_owned(), task["task_id"].clone());
        }
        about.insert("event".to_owned(), task["subtype"].clone());
        for (name, member) in REPORTED {
            // Updates bring what changed as a patch.
            let value = task.get(name).or_else(|| task["patch"].get(name));
            if let Some(value) = value.filter(|value| !value.is_null() && *value != "") {
                about.insert(member.to_owned(), value.clone());
            }
        }
        let about = Value::Object(about);
        match task["tool_use_id"].as_str().filter(|id| self.tools.get(id).is_some()) {
            Some(id) => {
                if task["subtype"] != "task_notification" {
                    self.tools.runs(&mut core.io.client, &self.conversation.id, id);
                }
                self.tool_remark(core, id, "task", about);
            }
            None => core.io.client.remark(&self.conversation.id, "task", about),
        }
    }
}
