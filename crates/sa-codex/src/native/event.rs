//! What the app-server tells by itself.

use super::answer::{Thread, Turn, TurnError};
use super::item::Item;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

/// A notification.
#[derive(Debug)]
pub(crate) enum Event {
    ThreadStarted(Thread),
    TurnStarted(Turn),
    TurnCompleted(Turn),
    ItemStarted(Item),
    ItemCompleted(Item),
    /// A piece of what the model says, or of the plan that it proposes.
    Said(Delta),
    /// A piece of what the model thinks.
    Thought(Delta),
    /// The next part of a summary begins.
    ThoughtPart(ThoughtPart),
    Printed(Delta),
    McpProgress(McpProgress),
    Plan(Plan),
    Usage(Usage),
    Failed(Failed),
    Named(Named),
    McpStatus(McpStatus),
    /// The thread has nothing to do.
    Idle,
    /// The thread was unloaded.
    ThreadClosed,
    SkillsChanged,
    Resolved(String),
    LoggedIn(LoggedIn),
    /// Words for the log.
    Log(String),
    Ignored,
    Unknown(Value),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Delta {
    pub(crate) item_id: String,
    pub(crate) delta: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThoughtPart {
    pub(crate) item_id: String,
    #[serde(default)]
    pub(crate) summary_index: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct McpProgress {
    pub(crate) item_id: String,
    #[serde(default)]
    pub(crate) message: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Plan {
    #[serde(default)]
    pub(crate) plan: Vec<Step>,
}

/// A step of a list of things to do.
#[derive(Debug, Deserialize)]
pub(crate) struct Step {
    pub(crate) step: String,
    #[serde(default)]
    pub(crate) status: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage {
    #[serde(default)]
    pub(crate) turn_id: Option<String>,
    pub(crate) token_usage: TokenUsage,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TokenUsage {
    /// Of all requests of the thread.
    pub(crate) total: Tokens,
    /// Of the last request.
    pub(crate) last: Tokens,
    pub(crate) model_context_window: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Tokens {
    pub(crate) total_tokens: u64,
    pub(crate) input_tokens: u64,
    pub(crate) cached_input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) reasoning_output_tokens: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failed {
    pub(crate) error: TurnError,
    #[serde(default)]
    pub(crate) will_retry: bool,
    #[serde(default)]
    pub(crate) turn_id: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Named {
    #[serde(default, alias = "name")]
    pub(crate) thread_name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct McpStatus {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) status: String,
    #[serde(default)]
    pub(crate) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct LoggedIn {
    #[serde(default)]
    pub(crate) success: bool,
    #[serde(default)]
    pub(crate) error: Option<String>,
}

/// The thread that a message is about.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct OfThread {
    pub(crate) thread_id: Option<String>,
}

/// Told for other clients than this, or in another form, too.
const IGNORED: [&str; 24] = [
    "account/rateLimits/updated",
    "account/updated",
    "app/list/updated",
    "hook/completed",
    "hook/started",
    "item/commandExecution/terminalInteraction",
    "item/fileChange/outputDelta",
    "item/fileChange/patchUpdated",
    "model/rerouted",
    "model/verification",
    "rawResponseItem/completed",
    "remoteControl/status/changed",
    "thread/archived",
    "thread/compacted",
    "thread/deleted",
    "thread/environment/connected",
    "thread/goal/cleared",
    "thread/goal/updated",
    "thread/queuedMessages/updated",
    "thread/readState/changed",
    "thread/settings/updated",
    "thread/unarchived",
    "turn/diff/updated",
    "turn/moderationMetadata",
];

impl Event {
    /// Reads a notification; one that is not known, or of another shape than expected, is kept as it is.
    pub(crate) fn read(method: &str, params: &str) -> Self {
        Self::known(method, params).unwrap_or_else(|| {
            let params = serde_json::from_str(params).unwrap_or(Value::Null);
            Self::Unknown(serde_json::json!({ "method": method, "params": params }))
        })
    }

    fn known(method: &str, params: &str) -> Option<Self> {
        Some(match method {
            "thread/started" => Self::ThreadStarted(body::<Under<Thread>>(params)?.thread?),
            "turn/started" => Self::TurnStarted(body::<Under<Turn>>(params)?.turn?),
            "turn/completed" => Self::TurnCompleted(body::<Under<Turn>>(params)?.turn?),
            "item/started" => Self::ItemStarted(body::<Under<Item>>(params)?.item?),
            "item/completed" => Self::ItemCompleted(body::<Under<Item>>(params)?.item?),
            "item/agentMessage/delta" | "item/plan/delta" => Self::Said(body(params)?),
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => Self::Thought(body(params)?),
            "item/reasoning/summaryPartAdded" => Self::ThoughtPart(body(params)?),
            "item/commandExecution/outputDelta" => Self::Printed(body(params)?),
            "item/mcpToolCall/progress" => Self::McpProgress(body(params)?),
            "turn/plan/updated" => Self::Plan(body(params)?),
            "thread/tokenUsage/updated" => Self::Usage(body(params)?),
            "error" => Self::Failed(body(params)?),
            "thread/name/updated" => Self::Named(body(params)?),
            "mcpServer/startupStatus/updated" => Self::McpStatus(body(params)?),
            "thread/status/changed" => match body::<Status>(params)?.status.r#type.as_str() {
                "idle" => Self::Idle,
                _ => Self::Ignored,
            },
            "thread/closed" => Self::ThreadClosed,
            "skills/changed" => Self::SkillsChanged,
            "serverRequest/resolved" => Self::Resolved(body::<Resolved>(params)?.request_id.get().to_owned()),
            "account/login/completed" => Self::LoggedIn(body(params)?),
            "warning" | "configWarning" | "deprecationNotice" => Self::Log(params.to_owned()),
            _ if IGNORED.contains(&method) || method.starts_with("codex/event/") => Self::Ignored,
            _ => return None,
        })
    }
}

#[derive(Deserialize)]
struct Status {
    status: StatusKind,
}

#[derive(Deserialize)]
struct StatusKind {
    r#type: String,
}

#[derive(Deserialize)]
struct Under<T> {
    thread: Option<T>,
    turn: Option<T>,
    item: Option<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resolved {
    request_id: Box<RawValue>,
}

fn body<T: DeserializeOwned>(params: &str) -> Option<T> {
    serde_json::from_str(params).ok()
}
