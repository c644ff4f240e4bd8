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

const LACKING: [Row; 31] = [
    (&["demo"], &["parallel_tools"], "The demo agent does one thing after the other"),
    (
        &["demo"],
        &["subagent", "subagent_permission", "background_task"],
        "The demo agent has neither other agents nor tasks",
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
    (&CODEX, &["cost"], "Codex does not tell what its work costs"),
    (
        &CODEX,
        &["background_task"],
        "Codex tells how a command in the background ends, but says nothing by itself then",
    ),
    (&["codex_0_144_0"], &["load_tools"], "This version of Codex does not store the commands that it ran"),
    (&["opencode"], &["background_task"], "OpenCode has no commands in the background"),
    (
        &["amp"],
        &["streaming", "cancel_text", "crash"],
        "Amp tells whole messages, so nothing is heard while the model still speaks",
    ),
    (&["amp"], &["cost"], "Amp does not tell what its work costs"),
    (&["amp"], &["compaction"], "Amp does not summarize conversations on request"),
    (&["amp"], &["commands"], "Amp's own commands are those of its screen"),
    (&["amp"], &["parallel_tools"], "Amp runs one command after the other"),
    (&["amp"], &["todo"], "Amp keeps no list of what there is to do"),
    (&["amp"], &["subagent"], "Amp does not tell what its sub-agents do"),
    (&["amp"], &["background_task"], "Amp has no commands in the background"),
    (
        &["amp"],
        &["question", "question_without_forms", "question_rejected"],
        "Amp has no tool that asks the user questions",
    ),
    (
        &["amp"],
        &["plan_accepted", "plan_rejected"],
        "Amp's model cannot ask to leave plan mode; the client leaves it",
    ),
    (
        &["amp"],
        &["model_switch", "effort_switch", "unknown_model"],
        "Amp has agent modes, which choose the model",
    ),
    (&["amp"], &["fork"], "Amp does not copy threads"),
    (&["amp"], &["retry_told"], "Amp does not tell that it tries again"),
    (&["amp"], &["error_401"], "Amp tries once more with credentials that are wrong"),
    (&["amp"], &["error_529_retried"], "Amp does not try again when the model is overloaded"),
    (&["amp"], &["refusal", "max_tokens"], "Amp does not tell why the model stopped; the prompt fails"),
    (&["gemini", "copilot"], &["streaming"], "It does not tell which pieces make one message"),
    (&["copilot"], &["permission_reject"], "Copilot ends the turn when something is rejected"),
    (&["gemini"], &["cancel_tool"], "Gemini CLI takes a command that was cancelled for completed"),
    (&["gemini"], &["permission_reject"], "Gemini CLI says no more of a call that was rejected"),
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
