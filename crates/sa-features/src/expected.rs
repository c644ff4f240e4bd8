//! The expectations for each subject: everything works, except for the entries of this table.

use crate::feature::Feature;
use crate::subject::Subject;

/// The expected end of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Works,
    /// The agent cannot do it; why.
    Lacks(&'static str),
}

/// Names of subjects, what they lack, and why.
type Row = (&'static [&'static str], &'static [&'static str], &'static str);

const CODEX: [&str; 2] = ["codex", "codex_0_144_0"];

const LACKING: [Row; 35] = [
    (&["demo"], &["parallel_tools"], "The demo agent runs commands one at a time"),
    (
        &["demo"],
        &["subagent", "subagent_permission", "background_task"],
        "The demo agent has no sub-agents and no background commands",
    ),
    (
        &["demo"],
        &["mcp_stdio", "mcp_http", "mcp_sse", "mcp_slow"],
        "The demo agent does not connect to MCP servers",
    ),
    (&["demo"], &["auth_required"], "The demo agent needs no credentials"),
    (
        &["demo"],
        &[
            "error_401",
            "error_429",
            "error_529_retried",
            "retry_told",
            "cut_stream",
            "hanging_model",
            "unknown_model",
        ],
        "There is no model behind the demo agent",
    ),
    (&["demo"], &["crash"], "The demo agent drives no other program"),
    (&CODEX, &["mcp_sse"], "Codex reaches MCP servers over standard streams and HTTP only"),
    (&CODEX, &["cost"], "Codex does not report cost"),
    (
        &CODEX,
        &["background_task"],
        "Codex reports how a background command ends, but does not continue on its own",
    ),
    (&["codex_0_144_0"], &["load_tools"], "This version of Codex does not store the commands it ran"),
    (&["opencode"], &["background_task"], "OpenCode has no background commands"),
    (
        &["amp"],
        &["streaming", "cancel_text", "crash"],
        "Amp reports whole messages, so no text arrives while the model is still writing",
    ),
    (&["amp"], &["cost"], "Amp does not report cost"),
    (&["amp"], &["compaction"], "Amp does not summarize conversations on request"),
    (&["amp"], &["commands"], "Amp's own commands exist only in its terminal interface"),
    (&["amp"], &["parallel_tools"], "Amp runs commands one at a time"),
    (&["amp", "pi"], &["todo"], "The agent has no to-do list"),
    (&["amp"], &["subagent"], "Amp does not report the work of its sub-agents"),
    (&["amp"], &["background_task"], "Amp has no background commands"),
    (
        &["amp", "pi"],
        &["question", "question_without_forms", "question_rejected"],
        "The agent has no tool that asks the user questions",
    ),
    (
        &["amp", "pi"],
        &["plan_accepted", "plan_rejected"],
        "The model cannot ask to leave plan mode; the client leaves it",
    ),
    (
        &["amp"],
        &["model_switch", "effort_switch", "unknown_model"],
        "Amp has agent modes, which choose the model",
    ),
    (&["amp"], &["fork"], "Amp does not copy threads"),
    (&["amp"], &["retry_told"], "Amp does not report retries"),
    (&["amp"], &["error_401"], "Amp retries once with wrong credentials"),
    (&["amp"], &["error_529_retried"], "Amp does not retry when the model is overloaded"),
    (&["amp"], &["refusal", "max_tokens"], "Amp does not report why the model stopped; the prompt fails"),
    (&["pi"], &["mcp_stdio", "mcp_http", "mcp_sse", "mcp_slow"], "Pi has no support for MCP servers"),
    (
        &["pi"],
        &["compaction"],
        "Pi keeps recent messages when it summarizes, so a short conversation stays unchanged",
    ),
    (&["pi"], &["refusal"], "Pi reports a refusal of the model as an unknown error"),
    (
        &["pi"],
        &["subagent", "subagent_permission", "background_task"],
        "Pi has no sub-agents and no background commands",
    ),
    (&["gemini", "copilot"], &["streaming"], "The agent does not report which pieces belong to one message"),
    (&["copilot"], &["permission_reject"], "Copilot ends the turn when a call is rejected"),
    (&["gemini"], &["cancel_tool"], "Gemini CLI reports a cancelled command as completed"),
    (&["gemini"], &["permission_reject"], "Gemini CLI reports nothing more about a rejected call"),
];

/// Returns the expected end of this trial.
pub(crate) fn expected(subject: &Subject, feature: &Feature) -> Expected {
    let row = LACKING
        .iter()
        .find(|(subjects, features, _)| subjects.contains(&subject.name) && features.contains(&feature.id));
    row.map_or(Expected::Works, |(_, _, why)| Expected::Lacks(why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FEATURES, SUBJECTS};

    #[test]
    fn the_table_names_what_there_is() {
        for (subjects, features, _) in LACKING {
            for name in subjects {
                assert!(SUBJECTS.iter().any(|subject| subject.name == *name), "no subject {name}");
            }
            for id in features {
                assert!(FEATURES.iter().any(|feature| feature.id == *id), "no feature {id}");
            }
        }
    }
}
