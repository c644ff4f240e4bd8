//! Tasks that run beside the conversation: sub-agents, and commands in the background.

use super::Session;
use crate::core::Core;
use crate::native::frame::TaskFrame;
use serde_json::{Map, Value, json};

/// What is passed on of a task's news.
const TOLD: [(&str, &str); 8] = [
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
    /// The call that a task belongs to is told of it. What has no call is told for the session.
    pub(super) fn task_changed(&mut self, core: &mut Core, task: TaskFrame) {
        let mut about = Map::new();
        if let Some(id) = &task.task_id {
            about.insert("id".to_owned(), json!(id));
        }
        about.insert("event".to_owned(), json!(task.subtype));
        for (name, member) in TOLD {
            // Updates bring what changed as a patch.
            let value = task.rest.get(name).or_else(|| task.rest.get("patch")?.get(name));
            if let Some(value) = value.filter(|value| !value.is_null() && *value != "") {
                about.insert(member.to_owned(), value.clone());
            }
        }
        let about = Value::Object(about);
        match task.tool_use_id.filter(|id| self.tools.get(id).is_some()) {
            Some(id) => {
                if task.subtype != "task_notification" {
                    self.tools.runs(&mut core.client, &self.conversation.id, &id);
                }
                self.tool_remark(core, &id, "task", about);
            }
            None => core.client.remark(&self.conversation.id, "task", about),
        }
    }
}
