//! What the app-server asks, and the answers that it takes.

use super::item::Action;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A request of the app-server.
#[derive(Debug)]
pub(crate) enum Asked {
    Command(Box<CommandApproval>),
    Patch(PatchApproval),
    Questions(UserInput),
    Server(Box<Elicitation>),
    Permissions(PermissionApproval),
    /// One that is not known, or of another shape than expected.
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommandApproval {
    #[serde(default)]
    pub(crate) item_id: String,
    #[serde(default)]
    pub(crate) command: Option<String>,
    #[serde(default)]
    pub(crate) cwd: Option<PathBuf>,
    #[serde(default)]
    pub(crate) command_actions: Option<Vec<Action>>,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// The connection that a command wants to make; the question is about that, not about the command.
    #[serde(default)]
    pub(crate) network_approval_context: Option<Value>,
    /// Set if the question is about a part of what the item runs.
    #[serde(default)]
    pub(crate) approval_id: Option<String>,
    /// Permissions that it wants beyond the sandbox.
    #[serde(default)]
    pub(crate) additional_permissions: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PatchApproval {
    pub(crate) item_id: String,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// A directory in which everything may be written from then on.
    #[serde(default)]
    pub(crate) grant_root: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserInput {
    #[serde(default)]
    pub(crate) item_id: String,
    pub(crate) questions: Vec<Question>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) header: String,
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) is_other: bool,
    #[serde(default)]
    pub(crate) is_secret: bool,
    #[serde(default)]
    pub(crate) options: Option<Vec<Choice>>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    pub(crate) label: String,
    #[serde(default)]
    pub(crate) description: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Elicitation {
    #[serde(default)]
    pub(crate) server_name: String,
    #[serde(default)]
    pub(crate) mode: Option<String>,
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default)]
    pub(crate) requested_schema: Option<Value>,
    #[serde(default)]
    pub(crate) url: Option<String>,
    #[serde(default)]
    pub(crate) elicitation_id: Option<String>,
    #[serde(default, rename = "_meta")]
    pub(crate) meta: Option<Value>,
}

impl Elicitation {
    /// Returns whether it asks if a tool may run, rather than being a form of the server's own.
    pub(crate) fn is_approval(&self) -> bool {
        self.meta.as_ref().is_some_and(|meta| meta["codex_approval_kind"] == "mcp_tool_call")
    }

    /// Returns the tool that is asked about. The CLI names it in its words for people only.
    pub(crate) fn tool(&self) -> Option<&str> {
        let (_, tool) = self.message.strip_suffix("\"?")?.rsplit_once("tool \"")?;
        Some(tool).filter(|tool| !tool.is_empty() && !tool.contains('"'))
    }

    /// Returns the tool's input, if the CLI says so.
    pub(crate) fn input(&self) -> Option<&Value> {
        self.meta.as_ref()?.get("tool_params").filter(|input| !input.is_null())
    }

    /// Returns whether an approval can be made to last that long: `session` or `always`.
    pub(crate) fn may_persist(&self, scope: &str) -> bool {
        let scopes = self.meta.as_ref().and_then(|meta| meta["persist"].as_array());
        scopes.is_some_and(|scopes| scopes.iter().any(|known| known == scope))
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PermissionApproval {
    #[serde(default)]
    pub(crate) item_id: String,
    pub(crate) permissions: Value,
    #[serde(default)]
    pub(crate) reason: Option<String>,
}

impl Asked {
    pub(crate) fn read(method: &str, params: &str) -> Self {
        let known = match method {
            "item/commandExecution/requestApproval" => {
                serde_json::from_str(params).ok().map(|body| Self::Command(Box::new(body)))
            }
            "item/fileChange/requestApproval" => serde_json::from_str(params).ok().map(Self::Patch),
            "item/tool/requestUserInput" => serde_json::from_str(params).ok().map(Self::Questions),
            "mcpServer/elicitation/request" => {
                serde_json::from_str(params).ok().map(|body| Self::Server(Box::new(body)))
            }
            "item/permissions/requestApproval" => serde_json::from_str(params).ok().map(Self::Permissions),
            _ => None,
        };
        known.unwrap_or(Self::Other)
    }
}

/// The answer.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Decision { decision: &'static str },
    Answers { answers: BTreeMap<String, Words> },
    Form(FormAnswer),
    Permissions { permissions: Value, scope: &'static str },
}

/// The answer to one question.
#[derive(Debug, Serialize)]
pub(crate) struct Words {
    pub(crate) answers: Vec<String>,
}

/// The answer to an MCP server.
#[derive(Debug, Serialize)]
pub(crate) struct FormAnswer {
    pub(crate) action: &'static str,
    pub(crate) content: Option<Value>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Map<String, Value>>,
}

impl Answer {
    pub(crate) fn decision(decision: &'static str) -> Self {
        Self::Decision { decision }
    }

    /// A form that nobody fills in.
    pub(crate) fn form(action: &'static str) -> Self {
        Self::Form(FormAnswer { action, content: None, meta: None })
    }
}
