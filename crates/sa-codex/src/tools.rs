//! Codex's items as ACP shows tools: what a call is about, and what became of it. Pure: an item in, tool calls out. Knows
//! neither sessions nor turns.

mod command;
mod other;
mod patch;

pub(crate) use command::script;

use super::native::item::Body;
use agent_client_protocol_schema::v1::ToolCallStatus;
use sa_acp::{Described, Disk, Outcome};
use std::path::Path;

/// Returns what a call is about.
pub(crate) fn describe(body: &Body, cwd: &Path, disk: &dyn Disk) -> Described {
    match body {
        Body::Command(command) => command::describe(command),
        Body::FileChange(change) => patch::describe(change, cwd, disk),
        other => other::describe(other, cwd),
    }
}

/// Returns what became of it.
pub(crate) fn outcome(id: &str, body: &Body) -> Outcome {
    match body {
        Body::Command(command) => command::outcome(id, command),
        Body::FileChange(change) => patch::outcome(change),
        other => other::outcome(other),
    }
}

fn status(word: Option<&str>) -> ToolCallStatus {
    match word {
        Some("failed" | "declined" | "errored" | "interrupted" | "notFound") => ToolCallStatus::Failed,
        Some("inProgress") => ToolCallStatus::InProgress,
        _ => ToolCallStatus::Completed,
    }
}
