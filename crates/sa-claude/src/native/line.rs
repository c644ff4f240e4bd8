//! What is written to the CLI. A line that it cannot read ends it, so lines are made here and nowhere else.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// A line for the CLI.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line<'a> {
    User { message: UserMessage<'a>, parent_tool_use_id: Option<&'a str>, session_id: &'a str, uuid: &'a str },
    ControlRequest { request_id: &'a str, request: &'a Request },
    ControlResponse { response: Response<'a> },
}

impl Line<'_> {
    /// The line with its end.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let written = serde_json::to_vec(self);
        debug_assert!(written.is_ok(), "a line has no JSON form: {written:?}");
        let mut bytes = written.unwrap_or_default();
        if !bytes.is_empty() {
            bytes.push(b'\n');
        }
        bytes
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct UserMessage<'a> {
    pub(crate) role: &'static str,
    pub(crate) content: &'a UserContent,
}

/// What the user says. A single text is sent as a string: only so is a slash command taken for one in every version.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum UserContent {
    Text(String),
    Blocks(Vec<UserBlock>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum UserBlock {
    Text { text: String },
    Image { source: ImageSource },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ImageSource {
    Base64 { media_type: String, data: String },
    Url { url: String },
}

/// A question or an order to the CLI.
#[derive(Debug, Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(crate) enum Request {
    Initialize {
        hooks: Hooks,
    },
    Interrupt,
    SetPermissionMode {
        mode: String,
    },
    SetModel {
        model: String,
    },
    SetMaxThinkingTokens {
        max_thinking_tokens: Option<u32>,
        thinking_display: &'static str,
    },
    ApplyFlagSettings {
        settings: FlagSettings,
    },
    #[serde(rename = "apply_flag_settings")]
    ApplyToken {
        settings: TokenSettings,
    },
    McpSetServers {
        servers: BTreeMap<String, McpServer>,
    },
    McpStatus,
    GetSettings,
    GetBinaryVersion,
}

/// What the CLI asks about beside permissions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Hooks {
    pre_tool_use: [Hook; 1],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Hook {
    hook_callback_ids: [&'static str; 1],
}

impl Hooks {
    /// Every use of a tool is told before it runs, also one that needs no permission.
    pub(crate) fn before_tools() -> Self {
        Self { pre_tool_use: [Hook { hook_callback_ids: ["before-tool"] }] }
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FlagSettings {
    /// `None` takes the setting back.
    pub(crate) effort_level: Option<String>,
}

/// Settings that have the CLI use one credential and no other.
#[derive(Serialize)]
pub(crate) struct TokenSettings {
    #[serde(rename = "apiKeyHelper")]
    pub(crate) api_key_helper: &'static str,
    pub(crate) env: BTreeMap<String, String>,
}

/// Values are secrets.
impl fmt::Debug for TokenSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.env.keys()).finish()
    }
}

/// How to reach an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum McpServer {
    Stdio { command: String, args: Vec<String>, env: BTreeMap<String, String> },
    Http { url: String, headers: BTreeMap<String, String> },
    Sse { url: String, headers: BTreeMap<String, String> },
}

/// The answer to a question of the CLI.
#[derive(Debug, Serialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub(crate) enum Response<'a> {
    Success { request_id: &'a str, response: Answer },
    Error { request_id: &'a str, error: &'a str },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Tool(ToolAnswer),
    Hook(HookAnswer),
    Form(FormAnswer),
    Dialog { behavior: &'static str },
}

/// What to do about a tool that is about to run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HookAnswer {
    #[serde(rename = "continue")]
    go_on: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<HookVerdict>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct HookVerdict {
    hook_event_name: &'static str,
    permission_decision: &'static str,
    permission_decision_reason: String,
}

impl HookAnswer {
    /// Nothing is to be said about it.
    pub(crate) fn go_on() -> Self {
        Self { go_on: true, hook_specific_output: None }
    }

    /// The tool must not run; the model is told why.
    pub(crate) fn refuse(reason: impl Into<String>) -> Self {
        let verdict = HookVerdict {
            hook_event_name: "PreToolUse",
            permission_decision: "deny",
            permission_decision_reason: reason.into(),
        };
        Self { go_on: true, hook_specific_output: Some(verdict) }
    }
}

/// A tool that waits for permission.
#[derive(Debug, Serialize)]
#[serde(tag = "behavior", rename_all = "snake_case")]
pub(crate) enum ToolAnswer {
    #[serde(rename_all = "camelCase")]
    Allow {
        /// Older versions insist on it.
        updated_input: Value,
        /// What is permitted from now on, until the session ends.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        updated_permissions: Vec<Value>,
    },
    Deny {
        message: String,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        interrupt: bool,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct FormAnswer {
    pub(crate) action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Value>,
}
