//! Plan mode, which changes nothing. The CLI alone does not keep that promise: what a rule allows, and with the mode that
//! never asks in reach everything, runs in plan mode without a question. So each use of a tool is looked at before it runs.

use super::Session;
use super::settings::PLAN;
use crate::core::Core;
use sa_shell::{Names, only_reads};
use serde_json::{Value, json};
use std::path::Path;

/// The message to the model.
pub(super) const REFUSAL: &str = "Plan mode is read-only, and this may change something. Finish the plan and ask to leave plan mode first.";

/// Tools that change nothing, or whose own tools are looked at one by one.
const TOOLS: Names = Names(
    "Agent AgentOutputTool AskUserQuestion BashOutput EnterPlanMode ExitPlanMode Glob Grep LS LSP \
     ListMcpResources ListMcpResourcesTool NotebookRead Read ReadMcpResource ReadMcpResourceTool Skill \
     Task TaskCreate TaskGet TaskList TaskOutput TaskUpdate TodoRead TodoWrite ToolSearch WebFetch \
     WebSearch StructuredOutput",
);

/// Returns whether a use of a tool may change something outside of the conversation. Unknown tools may.
pub(super) fn changes_something(tool: &str, input: &Value) -> bool {
    match tool {
        "Bash" => !input["command"].as_str().is_some_and(only_reads),
        _ => !TOOLS.contains(tool),
    }
}

impl Session {
    /// Looks at a tool that is about to run, and returns the decision. The model gets the reason of a refusal.
    pub(super) fn before_tool(&self, core: &Core, input: &Value) -> Value {
        // A sub-agent has the mode of its own definition, which must not free it from the session's.
        let plans = self.settings.mode() == PLAN || input["permission_mode"] == PLAN;
        let tool = input["tool_name"].as_str().unwrap_or_default();
        if !plans || !changes_something(tool, &input["tool_input"]) || self.is_plan_file(core, input) {
            return json!({ "continue": true });
        }
        let verdict = json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": REFUSAL,
        });
        json!({ "continue": true, "hookSpecificOutput": verdict })
    }

    /// Returns whether a tool works on the file that the plan itself is written to.
    fn is_plan_file(&self, core: &Core, input: &Value) -> bool {
        let edits = matches!(input["tool_name"].as_str(), Some("Write" | "Edit" | "MultiEdit"));
        let path = input["tool_input"]["file_path"].as_str().map(Path::new);
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

    #[test]
    fn no_harmful_command_counts_as_reading_and_common_ones_do() {
        sa_testkit::harm::assert_judged(|line| changes_something("Bash", &json!({ "command": line })));
    }
}
