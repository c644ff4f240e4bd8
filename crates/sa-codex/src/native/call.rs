//! What the app-server is asked.

use serde::Serialize;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What no session needs to know.
const UNWANTED: [&str; 3] =
    ["account/rateLimits/updated", "thread/readState/changed", "remoteControl/status/changed"];

/// `initialize`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Initialize {
    client_info: ClientInfo,
    capabilities: Capabilities,
}

#[derive(Debug, Serialize)]
struct ClientInfo {
    name: &'static str,
    title: Option<&'static str>,
    version: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Capabilities {
    experimental_api: bool,
    opt_out_notification_methods: [&'static str; 3],
}

impl Initialize {
    pub(crate) fn new() -> Self {
        let client_info =
            ClientInfo { name: "sandbox-agent", title: None, version: env!("CARGO_PKG_VERSION") };
        Self {
            client_info,
            capabilities: Capabilities { experimental_api: true, opt_out_notification_methods: UNWANTED },
        }
    }
}

/// `account/login/start` with a key.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Login<'a> {
    pub(crate) r#type: &'static str,
    pub(crate) api_key: &'a str,
}

/// `thread/start`, `thread/resume` and `thread/fork`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenThread<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) thread_id: Option<&'a str>,
    pub(crate) cwd: &'a Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) model: Option<&'a str>,
    pub(crate) approval_policy: &'static str,
    pub(crate) sandbox: &'static str,
    pub(crate) config: Map<String, Value>,
}

/// A thread, and nothing else.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OfThread<'a> {
    pub(crate) thread_id: &'a str,
}

/// `thread/read`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadThread<'a> {
    pub(crate) thread_id: &'a str,
    pub(crate) include_turns: bool,
}

/// `thread/list`.
#[derive(Debug, Serialize)]
pub(crate) struct ListThreads<'a> {
    pub(crate) limit: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cursor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<&'a Path>,
}

/// `model/list`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListModels {
    pub(crate) limit: u32,
    pub(crate) include_hidden: bool,
}

/// `skills/list`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListSkills<'a> {
    pub(crate) cwds: [&'a Path; 1],
    pub(crate) force_reload: bool,
}

/// `command/exec`: a command that belongs to no thread.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Exec {
    command: [&'static str; 3],
    cwd: &'static str,
    sandbox_policy: SandboxPolicy,
    timeout_ms: u64,
}

impl Exec {
    /// Does nothing, in the sandbox.
    pub(crate) fn in_sandbox() -> Self {
        let command = ["/bin/sh", "-c", ":"];
        Self { command, cwd: "/", sandbox_policy: SandboxPolicy::ReadOnly, timeout_ms: 5_000 }
    }
}

/// `turn/start`. What is set here stays set for the turns that follow.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartTurn<'a> {
    pub(crate) thread_id: &'a str,
    pub(crate) input: &'a [Input],
    pub(crate) cwd: &'a Path,
    pub(crate) approval_policy: &'static str,
    pub(crate) sandbox_policy: SandboxPolicy,
    pub(crate) model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effort: Option<&'a str>,
    pub(crate) summary: &'static str,
    pub(crate) collaboration_mode: Collaboration<'a>,
}

/// What commands may do without being asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum SandboxPolicy {
    DangerFullAccess,
    ReadOnly,
    WorkspaceWrite { writable_roots: Vec<PathBuf> },
}

/// How the model is told to work.
#[derive(Debug, Serialize)]
pub(crate) struct Collaboration<'a> {
    pub(crate) mode: &'static str,
    pub(crate) settings: CollaborationSettings<'a>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CollaborationSettings<'a> {
    pub(crate) model: &'a str,
    pub(crate) reasoning_effort: Option<&'a str>,
    pub(crate) developer_instructions: Option<&'a str>,
}

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum Input {
    Text { text: String },
    Image { url: String },
    Skill { name: String, path: String },
}

/// `turn/interrupt`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Interrupt<'a> {
    pub(crate) thread_id: &'a str,
    pub(crate) turn_id: &'a str,
}

/// `review/start`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartReview<'a> {
    pub(crate) thread_id: &'a str,
    pub(crate) target: ReviewTarget,
    pub(crate) delivery: &'static str,
}

/// What is to be reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub(crate) enum ReviewTarget {
    UncommittedChanges,
    Custom { instructions: String },
}
