//! Notifications of the app-server.

use super::answer::{Thread, Turn, TurnError};
use super::item::Item;
use sa_shell::Names;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

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
    ThoughtPart(Value),
    Printed(Delta),
    McpProgress(Value),
    /// The list of things to do.
    Plan(Value),
    Usage(Usage),
    Failed(Failed),
    Named(String),
    McpStatus(Value),
    /// The thread has nothing to do.
    Idle,
    ThreadClosed,
    SkillsChanged,
    Resolved(String),
    LoggedIn(Value),
    /// Text for the log.
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
pub(crate) struct Usage {
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
    pub(crate) turn_id: Option<String>,
}

/// The thread that a message is about.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct About {
    pub(crate) thread_id: Option<String>,
}

/// The end of a request of the CLI. Requests are known by the text of their ids.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resolution {
    request_id: Box<RawValue>,
}

/// Notifications for other clients than this, or of known facts in another form.
const IGNORED: Names = Names(
    "account/rateLimits/updated account/updated app/list/updated hook/completed hook/started \
     item/commandExecution/terminalInteraction item/fileChange/outputDelta item/fileChange/patchUpdated \
     model/rerouted model/verification rawResponseItem/completed remoteControl/status/changed \
     thread/archived thread/compacted thread/deleted thread/environment/connected thread/goal/cleared \
     thread/goal/updated thread/queuedMessages/updated thread/readState/changed thread/settings/updated \
     thread/unarchived turn/diff/updated turn/moderationMetadata",
);

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
            "thread/started" => Self::ThreadStarted(Thread::deserialize(member(params, "thread")?).ok()?),
            "turn/started" => Self::TurnStarted(Turn::deserialize(member(params, "turn")?).ok()?),
            "turn/completed" => Self::TurnCompleted(Turn::deserialize(member(params, "turn")?).ok()?),
            "item/started" => Self::ItemStarted(Item::of(member(params, "item")?)),
            "item/completed" => Self::ItemCompleted(Item::of(member(params, "item")?)),
            "item/agentMessage/delta" | "item/plan/delta" => Self::Said(body(params)?),
            "item/reasoning/summaryTextDelta" | "item/reasoning/textDelta" => Self::Thought(body(params)?),
            "item/reasoning/summaryPartAdded" => Self::ThoughtPart(body(params)?),
            "item/commandExecution/outputDelta" => Self::Printed(body(params)?),
            "item/mcpToolCall/progress" => Self::McpProgress(body(params)?),
            "turn/plan/updated" => Self::Plan(member(params, "plan")?),
            "thread/tokenUsage/updated" => Self::Usage(body(params)?),
            "error" => Self::Failed(body(params)?),
            "thread/name/updated" => {
                let name = body::<Value>(params)?;
                Self::Named(
                    name["threadName"].as_str().or(name["name"].as_str()).unwrap_or_default().to_owned(),
                )
            }
            "mcpServer/startupStatus/updated" => Self::McpStatus(body(params)?),
            "thread/status/changed" => match body::<Value>(params)?["status"]["type"].as_str()? {
                "idle" => Self::Idle,
                _ => Self::Ignored,
            },
            "thread/closed" => Self::ThreadClosed,
            "skills/changed" => Self::SkillsChanged,
            "serverRequest/resolved" => {
                Self::Resolved(body::<Resolution>(params)?.request_id.get().to_owned())
            }
            "account/login/completed" => Self::LoggedIn(body(params)?),
            "warning" | "configWarning" | "deprecationNotice" => Self::Log(params.to_owned()),
            _ if IGNORED.contains(method) || method.starts_with("codex/event/") => Self::Ignored,
            _ => return None,
        })
    }
}

/// Reads one member of the parameters.
fn member(params: &str, name: &str) -> Option<Value> {
    Some(body::<Value>(params)?.get_mut(name)?.take()).filter(|value| !value.is_null())
}

fn body<T: DeserializeOwned>(params: &str) -> Option<T> {
    serde_json::from_str(params).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resolved_request_is_named_as_it_was_written() {
        let params = r#"{"requestId":"a\/b\u00e9"}"#;
        let event = Event::read("serverRequest/resolved", params);
        assert!(matches!(event, Event::Resolved(id) if id == r#""a\/b\u00e9""#));
    }
}
