//! What the CLI writes: one frame per line.

use super::message::{AssistantFrame, StreamFrame, Tokens, UserFrame};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A line of the CLI.
#[derive(Debug)]
pub(crate) enum Frame {
    Init(Init),
    State(State),
    Status(Status),
    Stream(StreamFrame),
    Assistant(AssistantFrame),
    User(UserFrame),
    Result(Box<TurnResult>),
    Asked(Asked),
    /// A question of the CLI is void.
    Withdrawn(String),
    Answered(Answered),
    Retry(Retry),
    Denied(Denied),
    Task(TaskFrame),
    Progress(Progress),
    Compacted(Compacted),
    Title(String),
    Information(Information),
    Commands(Vec<Value>),
    /// Known, and of no interest to a client.
    Ignored,
    /// Not known, or not as it is known: kept as it is.
    Unknown(Value),
}

#[derive(Debug, Deserialize)]
pub(crate) struct Init {
    pub(crate) session_id: Option<String>,
    pub(crate) model: Option<String>,
    #[serde(rename = "permissionMode")]
    pub(crate) permission_mode: Option<String>,
    pub(crate) claude_code_version: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct State {
    pub(crate) state: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    pub(crate) status: Option<String>,
    #[serde(rename = "permissionMode")]
    pub(crate) permission_mode: Option<String>,
    pub(crate) compact_result: Option<String>,
    pub(crate) compact_error: Option<String>,
}

/// The end of a turn.
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
    pub(crate) usage: Option<Tokens>,
    /// Of the process so far.
    #[serde(rename = "modelUsage", default)]
    pub(crate) model_usage: BTreeMap<String, ModelUsage>,
    /// Of the process so far.
    pub(crate) total_cost_usd: Option<f64>,
    pub(crate) origin: Option<Origin>,
    /// The prompts that this turn answered; absent from older versions.
    pub(crate) user_message_uuids: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelUsage {
    pub(crate) context_window: Option<u64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Origin {
    pub(crate) kind: Option<String>,
}

/// A question of the CLI to whoever drives it.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    pub(crate) request_id: String,
    pub(crate) request: Question,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(crate) enum Question {
    CanUseTool(Box<CanUseTool>),
    HookCallback {
        #[serde(default)]
        input: HookInput,
    },
    Elicitation(Box<ServerForm>),
    RequestUserDialog {},
    #[serde(other)]
    Other,
}

/// A tool is about to run.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct HookInput {
    pub(crate) permission_mode: Option<String>,
    pub(crate) tool_name: Option<String>,
    #[serde(default)]
    pub(crate) tool_input: Value,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CanUseTool {
    pub(crate) tool_name: String,
    #[serde(default)]
    pub(crate) input: Value,
    pub(crate) tool_use_id: Option<String>,
    #[serde(default)]
    pub(crate) permission_suggestions: Option<Vec<Value>>,
    pub(crate) decision_reason: Option<String>,
    #[serde(default)]
    pub(crate) suppress_always_allow_rule: Option<bool>,
}

/// An MCP server wants the user to fill in something.
#[derive(Debug, Deserialize)]
pub(crate) struct ServerForm {
    pub(crate) mcp_server_name: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) requested_schema: Option<Value>,
    pub(crate) url: Option<String>,
    pub(crate) elicitation_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Answered {
    pub(crate) response: Response,
}

/// The answer to a question of ours, or the echo of an answer of ours.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    pub(crate) request_id: Option<String>,
    pub(crate) subtype: Option<String>,
    #[serde(default)]
    pub(crate) response: Value,
    pub(crate) error: Option<String>,
}

/// A request to the model failed and is tried again.
#[derive(Debug, Deserialize)]
pub(crate) struct Retry {
    pub(crate) attempt: Option<u64>,
    pub(crate) max_retries: Option<u64>,
    pub(crate) retry_delay_ms: Option<f64>,
    pub(crate) error_status: Option<i64>,
    pub(crate) error: Option<String>,
}

/// The CLI has something to tell the user.
#[derive(Debug, Deserialize)]
pub(crate) struct Information {
    pub(crate) content: String,
    pub(crate) level: Option<String>,
}

/// A tool was refused without asking.
#[derive(Debug, Deserialize)]
pub(crate) struct Denied {
    pub(crate) tool_use_id: Option<String>,
    pub(crate) message: Option<String>,
}

/// News of a task that runs beside the conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct TaskFrame {
    pub(crate) subtype: String,
    pub(crate) task_id: Option<String>,
    pub(crate) tool_use_id: Option<String>,
    #[serde(flatten)]
    pub(crate) rest: Map<String, Value>,
}

/// A sign of life of a long command.
#[derive(Debug, Deserialize)]
pub(crate) struct Progress {
    /// Not the id of a tool call but of the report.
    pub(crate) tool_use_id: Option<String>,
    /// The tool call.
    pub(crate) parent_tool_use_id: Option<String>,
    pub(crate) elapsed_time_seconds: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Compacted {
    pub(crate) compact_metadata: Option<CompactMetadata>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CompactMetadata {
    pub(crate) post_tokens: Option<u64>,
}

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
            "stream_event" => typed(value, Self::Stream),
            "assistant" => typed(value, Self::Assistant),
            "user" => typed(value, Self::User),
            "result" => typed(value, |result| Self::Result(Box::new(result))),
            "control_request" => typed(value, Self::Asked),
            "control_response" => typed(value, Self::Answered),
            "control_cancel_request" => text(value, "request_id", Self::Withdrawn),
            "tool_progress" => typed(value, Self::Progress),
            "system" => Self::system(value),
            // Signs of life, the CLI's own queue, and what only its own screens show.
            "keep_alive"
            | "command_lifecycle"
            | "rate_limit_event"
            | "auth_status"
            | "tool_use_summary"
            | "prompt_suggestion"
            | "streamlined_text"
            | "streamlined_tool_use_summary" => Self::Ignored,
            _ => Self::Unknown(value),
        }
    }

    fn system(value: Value) -> Self {
        let subtype = value["subtype"].as_str().unwrap_or_default();
        match subtype {
            "init" => typed(value, Self::Init),
            "session_state_changed" => typed(value, Self::State),
            "status" => typed(value, Self::Status),
            "api_retry" => typed(value, Self::Retry),
            "permission_denied" => typed(value, Self::Denied),
            "compact_boundary" => typed(value, Self::Compacted),
            "informational" => typed(value, Self::Information),
            "session_title_changed" => text(value, "title", Self::Title),
            "commands_changed" => match value["commands"].as_array() {
                Some(commands) => Self::Commands(commands.clone()),
                None => Self::Unknown(value),
            },
            "task_started" | "task_progress" | "task_updated" | "task_notification" => {
                typed(value, Self::Task)
            }
            "thinking_tokens"
            | "model_refusal_no_fallback"
            | "background_tasks_changed"
            | "hook_started"
            | "hook_progress"
            | "hook_response"
            | "files_persisted"
            | "memory_recall"
            | "post_turn_summary"
            | "elicitation_complete" => Self::Ignored,
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

fn text(value: Value, field: &str, frame: impl FnOnce(String) -> Frame) -> Frame {
    match value[field].as_str() {
        Some(text) => frame(text.to_owned()),
        None => Frame::Unknown(value),
    }
}
