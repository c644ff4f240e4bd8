//! The items of a turn.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::PathBuf;

#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) body: Body,
}

#[derive(Debug, Clone)]
pub(crate) enum Body {
    UserMessage {
        content: Vec<Value>,
    },
    AgentMessage {
        text: String,
    },
    Reasoning {
        text: String,
    },
    /// A plan that is to be approved.
    Plan {
        text: String,
    },
    Command(Command),
    FileChange(FileChange),
    McpToolCall(Value),
    /// A search of the web, or a page that is looked at.
    WebSearch(Value),
    ImageView {
        path: String,
    },
    Compaction,
    /// An order to another agent.
    Collab(Value),
    SubAgent(SubAgent),
    /// The review is the answer to the prompt; it comes with `ReviewLeft`.
    ReviewEntered,
    ReviewLeft {
        review: String,
    },
    /// A message to the model in the user's place.
    Hook,
    /// A kind that is not known, or one of another shape than expected.
    Other(Value),
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Command {
    pub(crate) command: String,
    pub(crate) cwd: PathBuf,
    pub(crate) status: Option<String>,
    pub(crate) command_actions: Vec<Action>,
    pub(crate) aggregated_output: Option<String>,
    pub(crate) exit_code: Option<i64>,
    pub(crate) duration_ms: Option<u64>,
}

/// The CLI's classification of a part of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(crate) struct Action {
    pub(crate) r#type: String,
    pub(crate) path: Option<String>,
    pub(crate) query: Option<String>,
}

/// Files that are changed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FileChange {
    pub(crate) changes: Vec<Change>,
    pub(crate) status: Option<String>,
}

/// The change of one file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) kind: ChangeKind,
    /// The whole file where it is added or deleted, hunks where it is updated.
    pub(crate) diff: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChangeKind {
    pub(crate) r#type: String,
    pub(crate) move_path: Option<String>,
}

/// The activity of a sub-agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct SubAgent {
    pub(crate) path: String,
    pub(crate) thread: String,
    pub(crate) kind: String,
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::of)
    }
}

impl Item {
    pub(crate) fn of(value: Value) -> Self {
        let id = value["id"].as_str().unwrap_or_default().to_owned();
        let body = Body::read(&value).unwrap_or_else(|| Body::Other(value));
        Self { id, body }
    }
}

impl Body {
    /// Returns whether it is a tool call.
    pub(crate) fn is_tool(&self) -> bool {
        !matches!(
            self,
            Self::UserMessage { .. }
                | Self::AgentMessage { .. }
                | Self::Reasoning { .. }
                | Self::Plan { .. }
                | Self::Compaction
                | Self::ReviewEntered
                | Self::ReviewLeft { .. }
                | Self::Hook
        )
    }

    /// The threads of the agents that this sends or is about.
    pub(crate) fn receivers(&self) -> Vec<String> {
        match self {
            Self::Collab(order) => {
                let threads = order["receiverThreadIds"].as_array().into_iter().flatten();
                threads.filter_map(Value::as_str).map(str::to_owned).collect()
            }
            Self::SubAgent(agent) => vec![agent.thread.clone()],
            _ => Vec::new(),
        }
    }

    fn read(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        Some(match value["type"].as_str()? {
            "userMessage" => Self::UserMessage { content: value["content"].as_array()?.clone() },
            "agentMessage" => Self::AgentMessage { text: text("text") },
            "reasoning" => Self::Reasoning { text: thoughts(value) },
            "plan" => Self::Plan { text: text("text") },
            "commandExecution" => Self::Command(Command::deserialize(value).ok()?),
            "fileChange" => Self::FileChange(FileChange::deserialize(value).ok()?),
            "mcpToolCall" => Self::McpToolCall(value.clone()),
            "webSearch" => Self::WebSearch(value.clone()),
            "imageView" => Self::ImageView { path: text("path") },
            "contextCompaction" => Self::Compaction,
            "collabAgentToolCall" => Self::Collab(value.clone()),
            "subAgentActivity" => Self::SubAgent(SubAgent {
                path: text("agentPath"),
                thread: text("agentThreadId"),
                kind: text("kind"),
            }),
            "enteredReviewMode" => Self::ReviewEntered,
            "exitedReviewMode" => Self::ReviewLeft { review: text("review") },
            "hookPrompt" => Self::Hook,
            _ => return None,
        })
    }
}

/// The parts of a summary, or without one the thoughts themselves, as one text.
fn thoughts(value: &Value) -> String {
    let parts = |name: &str| {
        let parts = value[name].as_array().map(Vec::as_slice).unwrap_or_default();
        parts.iter().filter_map(Value::as_str).collect::<Vec<_>>()
    };
    let summary = parts("summary");
    if summary.is_empty() { parts("content").concat() } else { summary.join("\n\n") }
}
