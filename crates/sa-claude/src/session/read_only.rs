//! Plan mode, which changes nothing. The CLI alone does not keep that promise: what a rule allows, and with the mode that
//! never asks in reach everything, runs in plan mode without a question. So each use of a tool is looked at before it runs.

use super::Session;
use super::settings::PLAN;
use crate::core::Core;
use crate::native::frame::HookInput;
use crate::native::line::HookAnswer;
use sa_shell::only_reads;
use serde_json::Value;
use std::path::Path;

/// The message to the model.
pub(super) const REFUSAL: &str = "Plan mode is read-only, and this may change something. Finish the plan and ask to leave plan mode first.";

/// Tools that change nothing, or whose own tools are looked at one by one.
const TOOLS: [&str; 29] = [
    "Agent",
    "AgentOutputTool",
    "AskUserQuestion",
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "LS",
    "LSP",
    "ListMcpResources",
    "ListMcpResourcesTool",
    "NotebookRead",
    "Read",
    "ReadMcpResource",
    "ReadMcpResourceTool",
    "Skill",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskUpdate",
    "TodoRead",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "StructuredOutput",
];

/// Returns whether a use of a tool may change something outside of the conversation. What is not known may.
pub(super) fn changes_something(tool: &str, input: &Value) -> bool {
    match tool {
        "Bash" => !input["command"].as_str().is_some_and(only_reads),
        _ => !TOOLS.contains(&tool),
    }
}

impl Session {
    /// Looks at a tool that is about to run.
    pub(super) fn before_tool(&self, core: &Core, input: &HookInput) -> HookAnswer {
        // A sub-agent has the mode of its own definition, which must not free it from the session's.
        let plans = self.settings.mode() == PLAN || input.permission_mode.as_deref() == Some(PLAN);
        let tool = input.tool_name.as_deref().unwrap_or_default();
        if !plans || !changes_something(tool, &input.tool_input) || self.is_plan_file(core, input) {
            return HookAnswer::go_on();
        }
        HookAnswer::refuse(REFUSAL)
    }

    /// Returns whether a tool works on the file that the plan itself is written to.
    fn is_plan_file(&self, core: &Core, input: &HookInput) -> bool {
        let edits = matches!(input.tool_name.as_deref(), Some("Write" | "Edit" | "MultiEdit"));
        let path = input.tool_input["file_path"].as_str().map(Path::new);
        let climbs = |path: &Path| path.components().any(|part| part == std::path::Component::ParentDir);
        edits && path.is_some_and(|path| path.starts_with(&core.host.plans) && !climbs(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_that_are_not_known_count_as_changing() {
        assert!(changes_something("Write", &json!({})));
        assert!(changes_something("mcp__server__tool", &json!({})));
        assert!(changes_something("Bash", &json!({})));
        assert!(changes_something("Bash", &json!({ "command": "ls; rm a" })));
        assert!(!changes_something("Bash", &json!({ "command": "ls" })));
        assert!(!changes_something("Read", &json!({})));
    }
}
