//! Lines of the CLI: one frame each.

use sa_acp::ModelTokens;
use sa_shell::Names;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(crate) enum Frame {
    /// The CLI introduces itself.
    Init(Value),
    State(String),
    Status(Value),
    /// An event of the model's own stream.
    Stream(Value),
    /// A whole block of the model, or words that the CLI puts into its mouth.
    Assistant(Value),
    /// Input of the model: results of tools, and messages of the CLI in the user's name.
    User(Value),
    Result(Box<TurnResult>),
    /// A question of the CLI.
    Request(Value),
    /// A question of the CLI is void.
    Withdrawn(String),
    /// The answer to a question of ours, or the echo of an answer of ours.
    Answered(Value),
    /// A request to the model failed and is tried again.
    Retry(Value),
    /// A tool was refused without asking.
    Denied(Value),
    /// News of a task that runs next to the conversation.
    Task(Value),
    /// A sign of life of a long command.
    Progress(Value),
    Compacted(Value),
    Title(String),
    /// A message of the CLI to the user.
    Information(Value),
    Commands(Vec<Value>),
    /// Known, and of no interest to a client.
    Ignored,
    /// Not known, or not as it is known: kept as it is.
    Unknown(Value),
}

#[derive(Debug, Deserialize)]
pub(crate) struct TurnResult {
    pub(crate) subtype: Option<String>,
    #[serde(default)]
    pub(crate) is_error: bool,
    pub(crate) result: Option<String>,
    #[serde(default)]
    pub(crate) errors: Vec<Value>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) terminal_reason: Option<String>,
    pub(crate) api_error_status: Option<i64>,
    /// Of this turn.
    pub(crate) usage: Option<ModelTokens>,
    /// Of the process so far.
    #[serde(rename = "modelUsage", default)]
    pub(crate) model_usage: BTreeMap<String, Value>,
    /// Of the process so far.
    pub(crate) total_cost_usd: Option<f64>,
    #[serde(default)]
    pub(crate) origin: Value,
    /// The prompts that this turn answered; absent from older versions.
    pub(crate) user_message_uuids: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CanUseTool {
    pub(crate) tool_name: String,
    #[serde(default)]
    pub(crate) input: Value,
    pub(crate) tool_use_id: Option<String>,
    pub(crate) permission_suggestions: Option<Vec<Value>>,
    pub(crate) decision_reason: Option<String>,
    pub(crate) suppress_always_allow_rule: Option<bool>,
}

/// Signs of life, the CLI's own queue, and lines that only its own screens show.
const IGNORED: Names = Names(
    "auth_status command_lifecycle keep_alive prompt_suggestion rate_limit_event streamlined_text \
     streamlined_tool_use_summary tool_use_summary",
);

/// News of the system that are of no interest to a client.
const IGNORED_NEWS: Names = Names(
    "background_tasks_changed elicitation_complete files_persisted hook_progress hook_response hook_started \
     memory_recall model_refusal_no_fallback post_turn_summary thinking_tokens",
);

impl Frame {
    /// Reads a line; an error for bytes that are not one JSON object.
    pub(crate) fn read(line: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if !value.is_object() {
            return Err("not a JSON object".to_owned());
        }
        Ok(Self::of(value))
    }

    fn of(value: Value) -> Self {
        let kind = value["type"].as_str().unwrap_or_default();
        match kind {
            "stream_event" => with(value, "event", Self::Stream),
            "assistant" if value["message"]["content"].is_array() => Self::Assistant(value),
            "user" => with(value, "message", Self::User),
            "result" => typed(value, |result| Self::Result(Box::new(result))),
            // Whatever it asks, the CLI waits for an answer. Without an id nobody could give one.
            "control_request" if value["request_id"].is_string() => Self::Request(value),
            "control_response" => with(value, "response", Self::Answered),
            "control_cancel_request" => text(value, "request_id", Self::Withdrawn),
            "tool_progress" => Self::Progress(value),
            "system" => Self::system(value),
            _ if IGNORED.contains(kind) => Self::Ignored,
            _ => Self::Unknown(value),
        }
    }

    fn system(value: Value) -> Self {
        let subtype = value["subtype"].as_str().unwrap_or_default();
        match subtype {
            "init" => Self::Init(value),
            "session_state_changed" => text(value, "state", Self::State),
            "status" => Self::Status(value),
            "api_retry" => Self::Retry(value),
            "permission_denied" => Self::Denied(value),
            "compact_boundary" => Self::Compacted(value),
            "informational" => Self::Information(value),
            "session_title_changed" => text(value, "title", Self::Title),
            "commands_changed" => match value["commands"].as_array() {
                Some(commands) => Self::Commands(commands.clone()),
                None => Self::Unknown(value),
            },
            "task_started" | "task_progress" | "task_updated" | "task_notification" => Self::Task(value),
            _ if IGNORED_NEWS.contains(subtype) => Self::Ignored,
            _ => Self::Unknown(value),
        }
    }
}

fn typed<T: DeserializeOwned>(value: Value, frame: impl FnOnce(T) -> Frame) -> Frame {
    match T::deserialize(&value) {
        Ok(read) => frame(read),
        Err(_) => Frame::Unknown(value),
    }
}

/// Takes a frame whose body is an object.
fn with(value: Value, body: &str, frame: impl FnOnce(Value) -> Frame) -> Frame {
    if value[body].is_object() { frame(value) } else { Frame::Unknown(value) }
}

fn text(value: Value, field: &str, frame: impl FnOnce(String) -> Frame) -> Frame {
    match value[field].as_str() {
        Some(text) => frame(text.to_owned()),
        None => Frame::Unknown(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_another_shape_are_kept_as_unknown() {
        for line in [
            r#"{"type":"assistant","message":{"content":"Hello"}}"#,
            r#"{"type":"assistant"}"#,
            r#"{"type":"control_request","request_id":7,"request":{"subtype":"can_use_tool","tool_name":"Bash"}}"#,
        ] {
            assert!(matches!(Frame::read(line.as_bytes()), Ok(Frame::Unknown(_))), "{line}");
        }
    }
}
