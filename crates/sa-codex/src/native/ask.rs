//! Requests of the app-server, and the replies to them.

use super::item::Action;
use sa_acp::FormReply;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A request of the app-server.
#[derive(Debug)]
pub(crate) enum ServerRequest {
    Command(Box<CommandApproval>),
    Patch(PatchApproval),
    /// Questions to the user: a list, and the item that they belong to.
    Questions(Value),
    Server(Box<Elicitation>),
    Permissions(PermissionApproval),
    /// One that is not known, or of another shape than expected.
    Other,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CommandApproval {
    pub(crate) item_id: String,
    pub(crate) command: Option<String>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) command_actions: Option<Vec<Action>>,
    pub(crate) reason: Option<String>,
    /// The connection that a command wants to make; the question is about that, not about the command.
    pub(crate) network_approval_context: Option<Value>,
    /// Set if the question is about a part of what the item runs.
    pub(crate) approval_id: Option<String>,
    /// Permissions that it wants beyond the sandbox.
    pub(crate) additional_permissions: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PatchApproval {
    pub(crate) item_id: String,
    pub(crate) reason: Option<String>,
    /// A directory in which everything may be written from then on.
    pub(crate) grant_root: Option<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Elicitation {
    pub(crate) server_name: String,
    pub(crate) mode: Option<String>,
    pub(crate) message: String,
    pub(crate) requested_schema: Option<Value>,
    pub(crate) url: Option<String>,
    pub(crate) elicitation_id: Option<String>,
    #[serde(rename = "_meta")]
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
    pub(crate) reason: Option<String>,
}

impl ServerRequest {
    pub(crate) fn read(method: &str, params: &str) -> Self {
        let known = match method {
            "item/commandExecution/requestApproval" => {
                serde_json::from_str(params).ok().map(|body| Self::Command(Box::new(body)))
            }
            "item/fileChange/requestApproval" => serde_json::from_str(params).ok().map(Self::Patch),
            "item/tool/requestUserInput" => serde_json::from_str(params)
                .ok()
                .filter(|asked: &Value| asked["questions"].is_array())
                .map(Self::Questions),
            "mcpServer/elicitation/request" => {
                serde_json::from_str(params).ok().map(|body| Self::Server(Box::new(body)))
            }
            "item/permissions/requestApproval" => serde_json::from_str(params).ok().map(Self::Permissions),
            _ => None,
        };
        known.unwrap_or(Self::Other)
    }
}

/// Returns the answer to a question about a command or a change.
pub(crate) fn decision(decision: &str) -> Value {
    json!({ "decision": decision })
}

/// Returns the answer to an MCP server's form.
pub(crate) fn form(reply: FormReply) -> Value {
    json!({ "action": reply.action, "content": reply.content })
}

/// Returns the answer to questions that nobody answers.
pub(crate) fn no_answers() -> Value {
    json!({ "answers": {} })
}

/// Returns the answer to a wish for more than the sandbox allows.
pub(crate) fn permissions(permissions: &Value, scope: &str) -> Value {
    json!({ "permissions": permissions, "scope": scope })
}
