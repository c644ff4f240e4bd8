//! Items: what a turn is made of.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::path::PathBuf;

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) body: Body,
}

/// What it is.
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
    McpToolCall(McpToolCall),
    WebSearch(WebSearch),
    ImageView {
        path: String,
    },
    Compaction,
    Collab(Collab),
    SubAgent(SubAgent),
    /// The review is the answer to the prompt; it is told when the mode is left.
    ReviewEntered,
    ReviewLeft {
        review: String,
    },
    /// Words that are said to the model in the user's place.
    Hook,
    /// A kind that is not known, or one of another shape than expected.
    Other(Value),
}

/// A command.
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

/// What the CLI takes a part of a command for.
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

/// What is changed in one file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Change {
    pub(crate) path: String,
    pub(crate) kind: ChangeKind,
    /// The whole file where it is added or deleted, hunks where it is updated.
    pub(crate) diff: String,
}

/// How a file is changed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ChangeKind {
    pub(crate) r#type: String,
    pub(crate) move_path: Option<String>,
}

/// A call of a tool of an MCP server.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct McpToolCall {
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) status: Option<String>,
    pub(crate) result: Option<McpResult>,
    pub(crate) error: Option<McpError>,
}

/// What a tool of an MCP server gave.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct McpResult {
    pub(crate) content: Vec<Value>,
    pub(crate) structured_content: Value,
}

/// Why a tool of an MCP server failed.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct McpError {
    pub(crate) message: String,
}

/// A search of the web, or a page that is looked at.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct WebSearch {
    pub(crate) query: String,
    pub(crate) action: Option<Value>,
}

/// An order to another agent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Collab {
    pub(crate) tool: String,
    pub(crate) status: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) receiver_thread_ids: Vec<String>,
    pub(crate) agents_states: Value,
}

/// What another agent is about.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SubAgent {
    pub(crate) agent_path: String,
    pub(crate) agent_thread_id: String,
    pub(crate) kind: String,
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let id = value["id"].as_str().unwrap_or_default().to_owned();
        let body = Body::read(&value).unwrap_or_else(|| Body::Other(value));
        Ok(Self { id, body })
    }
}

impl Body {
    /// The threads of the agents that this sends or is about.
    pub(crate) fn receivers(&self) -> Vec<String> {
        match self {
            Self::Collab(collab) => collab.receiver_thread_ids.clone(),
            Self::SubAgent(agent) => vec![agent.agent_thread_id.clone()],
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
            "mcpToolCall" => Self::McpToolCall(McpToolCall::deserialize(value).ok()?),
            "webSearch" => Self::WebSearch(WebSearch::deserialize(value).ok()?),
            "imageView" => Self::ImageView { path: text("path") },
            "contextCompaction" => Self::Compaction,
            "collabAgentToolCall" => Self::Collab(Collab::deserialize(value).ok()?),
            "subAgentActivity" => Self::SubAgent(SubAgent::deserialize(value).ok()?),
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
