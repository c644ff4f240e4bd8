//! The two APIs through which an agent can be used, and what only one of them has.

use crate::feature::Feature;
use crate::subject::Subject;

/// An API of the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `/v1/acp/{server_id}`: ACP as it is.
    Acp,
    /// `/v1/sessions`: universal sessions.
    Sessions,
}

/// Subjects that are tried through both.
const BOTH: [&str; 4] = ["demo", "claude", "codex", "opencode"];

/// Features that universal sessions leave out by design.
const ACP_ONLY: [&str; 9] = [
    // The daemon itself opens, lists and forgets sessions.
    "list",
    "load",
    "load_tools",
    "resume",
    "close",
    "delete",
    // The daemon's own client shows forms, and has a word for "cancelled" only for whole turns.
    "question_without_forms",
    "permission_cancelled",
    // `/v1/agents` says how to log in.
    "auth_required",
];

/// Features that are tried through universal sessions with real agents whose sessions share one process: everything that has
/// its own events there. The tests of the SDK drive the same API with the same agents through all features, so nothing here
/// starts an agent for one trial; `SA_FEATURES=all` tries everything.
const TOLD: [&str; 25] = [
    "text",
    "streaming",
    "reasoning",
    "usage",
    "tool_call",
    "tool_result",
    "diff_create",
    "diff_edit",
    "terminal",
    "todo",
    "permission_once",
    "permission_always",
    "permission_reject",
    "bypass",
    "question",
    "question_rejected",
    "plan_accepted",
    "plan_rejected",
    "image",
    "mcp_stdio",
    "mcp_http",
    "model_switch",
    "cancel_text",
    "cancel_permission",
    "fork",
];

/// Features that the demo agent simulates where its client has neither files nor terminals for it.
const MADE_UP: [&str; 12] = [
    "bypass",
    "cancel_tool",
    "diff_create",
    "diff_edit",
    "failing_tool",
    "permission_always",
    "permission_once",
    "plan_accepted",
    "several_sessions",
    "terminal",
    "tool_result",
    "user_settings",
];

impl Way {
    /// Returns the reason why this feature cannot work here although it does elsewhere.
    pub(crate) fn lacks(self, subject: &Subject, feature: &Feature) -> Option<&'static str> {
        let made_up = self == Self::Sessions && subject.name == "demo" && MADE_UP.contains(&feature.id);
        made_up.then_some(
            "The demo agent works on files of its client, and a universal session's client has none",
        )
    }

    /// Both.
    pub const ALL: [Self; 2] = [Self::Acp, Self::Sessions];

    /// Returns whether this feature of that subject is tried here.
    pub fn tries(self, subject: &Subject, feature: &Feature) -> bool {
        match self {
            Self::Acp => subject.tries(feature),
            Self::Sessions => {
                let all = !subject.has_model()
                    || std::env::var_os("SA_FEATURES").is_some_and(|which| which == "all");
                let told = all || (subject.shares_process() && TOLD.contains(&feature.id));
                BOTH.contains(&subject.name) && told && !ACP_ONLY.contains(&feature.id)
            }
        }
    }

    /// Returns whether universal sessions are tried with a subject.
    pub fn has_sessions(subject: &Subject) -> bool {
        BOTH.contains(&subject.name)
    }

    pub fn trial(self, subject: &Subject, feature: &Feature) -> String {
        match self {
            Self::Acp => format!("{}::{}", subject.name, feature.id),
            Self::Sessions => format!("sessions::{}::{}", subject.name, feature.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FEATURES;

    #[test]
    fn the_lists_name_what_there_is() {
        for id in ACP_ONLY.iter().chain(&TOLD).chain(&MADE_UP) {
            assert!(FEATURES.iter().any(|feature| feature.id == *id), "no feature {id}");
        }
    }
}
