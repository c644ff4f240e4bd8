//! What is expected of each subject: everything works, but for what this table lists.

use crate::feature::Feature;
use crate::subject::Subject;

/// How a trial should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Works,
    /// The agent cannot do it; why.
    Lacks(&'static str),
}

/// Names of subjects, what they lack, and why.
type Row = (&'static [&'static str], &'static [&'static str], &'static str);

const CODEX: [&str; 2] = ["codex", "codex_0_144_0"];

const LACKING: [Row; 10] = [
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
];

/// How this trial should end.
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
