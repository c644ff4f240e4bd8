//! Agents: what there is, what of it is installed, what each can do.

use crate::Timestamp;
use crate::sessions::OptionValue;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Every agent this daemon knows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentList {
    /// In the order of their ids.
    pub agents: Vec<AgentInfo>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// What `?agent=` takes.
    pub id: String,
    /// For people.
    pub name: String,
    /// A sentence about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
    /// How it is started.
    pub launch: AgentLaunch,
    /// Whether it can be started now, without installing anything.
    pub installed: bool,
    /// Whether this daemon can install it.
    pub installable: bool,
    /// Whether the whole agent is part of the daemon, so that there is nothing to install or to remove.
    #[serde(default)]
    #[schema(required = true)]
    pub built_in: bool,
    /// The version that would start; absent if only the program itself could tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub version: Option<String>,
    /// The program that would start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
    /// Where that program came from: a kind of source, `path` for one that was on the machine, `builtin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub source: Option<String>,
    /// The installed versions, newest first.
    pub versions: Vec<InstalledVersion>,
    /// Whether it has a credential for its model.
    #[serde(default)]
    #[schema(required = true)]
    pub credential_status: CredentialStatus,
    /// Use `credentialStatus`. This is true unless that is `missing`, so also if nothing is known.
    #[schema(deprecated)]
    pub credentials_available: bool,
    /// Which were found; never their values.
    pub credentials: Vec<CredentialInfo>,
    /// What it can do.
    pub capabilities: AgentCapabilities,
    /// How many ACP servers run it now.
    pub running: usize,
    /// The state of its processes; absent if none runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub server_status: Option<AgentServerStatus>,
    /// Models, modes and efforts, as ACP's session config options. Only with `?config=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub config_options: Option<Vec<AgentConfigOption>>,
    /// Why there are no config options. Only with `?config=true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub config_error: Option<String>,
}

/// How an agent is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum AgentLaunch {
    /// Its code is in the daemon's binary.
    Builtin {
        /// The vendor's program that this code drives.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        program: Option<String>,
    },
    /// A command that speaks ACP on its standard streams.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// It can be installed; its program does not speak ACP and nothing here drives it.
    InstallOnly {
        /// The vendor's program.
        program: String,
    },
}

/// One installed version of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstalledVersion {
    /// Its name.
    pub version: String,
    /// The program.
    pub path: String,
    /// The kind of source it came from: `vendor`, `github`, `npm`, `registry`, `local`.
    pub source: String,
    /// Its size on disk in bytes.
    pub size: u64,
    /// When it was installed.
    pub installed_at: Timestamp,
    /// Whether it is the one that starts when no version is asked for.
    pub current: bool,
}

/// A credential that was found, without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CredentialInfo {
    /// Whose it is, such as `anthropic`.
    pub provider: String,
    /// What it is, such as `apiKey` or `oauth`.
    pub kind: String,
    /// The variable or file that holds it.
    pub origin: String,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expires_at: Option<Timestamp>,
}

/// Whether an agent has a credential for its model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum CredentialStatus {
    /// A credential was found that the agent can use.
    Available,
    /// None was found in any place where the agent looks.
    Missing,
    /// The daemon does not know where the agent looks.
    #[default]
    Unknown,
    /// The agent works without one.
    NotNeeded,
}

impl CredentialStatus {
    /// Its name in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Missing => "missing",
            Self::Unknown => "unknown",
            Self::NotNeeded => "notNeeded",
        }
    }
}

/// Changes to an agent; absent members stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentPatch {
    /// The installed version that starts unless a session names another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1)]
    pub current_version: Option<String>,
}

/// One of ACP's session config options.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfigOption {
    /// Its id, which `options` of a session takes.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
    /// What it is about: `mode`, `model`, `thought_level`, or a word of the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub category: Option<String>,
    /// Whether it is chosen from a list or switched.
    #[serde(rename = "type")]
    pub kind: AgentConfigKind,
    /// The value that new sessions start with.
    pub current_value: OptionValue,
    /// What it can be set to, for a `select`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub options: Vec<AgentConfigValue>,
    /// Members that the agent sent beyond these.
    #[serde(flatten)]
    #[schema(ignore)]
    pub extra: Map<String, Value>,
}

/// How a config option is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum AgentConfigKind {
    /// Chosen from `options`.
    Select,
    /// Switched on or off.
    Boolean,
}

/// A value of a config option, or a group of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfigValue {
    /// The value; absent for a group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub value: Option<String>,
    /// Its name for people.
    #[serde(default)]
    #[schema(required = true)]
    pub name: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
    /// The id of the group; absent for a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub group: Option<String>,
    /// The values in the group; absent for a value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub options: Option<Vec<AgentConfigChoice>>,
    /// Members that the agent sent beyond these.
    #[serde(flatten)]
    #[schema(ignore)]
    pub extra: Map<String, Value>,
}

/// A value in a group of values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConfigChoice {
    /// The value.
    pub value: String,
    /// Its name for people.
    #[serde(default)]
    #[schema(required = true)]
    pub name: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
    /// Members that the agent sent beyond these.
    #[serde(flatten)]
    #[schema(ignore)]
    pub extra: Map<String, Value>,
}

/// The state of an agent's processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentServerStatus {
    /// What they do.
    pub status: AgentServerState,
    /// How long the oldest of them has run.
    pub uptime_ms: u64,
}

/// What an agent's processes do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum AgentServerState {
    /// At least one of them runs.
    #[default]
    Running,
}

/// What an agent can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentCapabilities {
    /// Has a mode that only plans.
    pub plan_mode: bool,
    /// Asks before it acts.
    pub permissions: bool,
    /// Asks the user questions.
    pub questions: bool,
    /// Tells of its tool calls.
    pub tool_calls: bool,
    /// Tells what they returned.
    pub tool_results: bool,
    /// Speaks in text.
    pub text_messages: bool,
    /// Takes images in prompts.
    pub images: bool,
    /// Takes files in prompts.
    pub file_attachments: bool,
    /// Sessions can be listed, loaded or resumed.
    pub session_lifecycle: bool,
    /// Tells of errors as such.
    pub error_events: bool,
    /// Tells what it thinks.
    pub reasoning: bool,
    /// Tells what it is busy with.
    pub status: bool,
    /// Tells of commands it runs, and their output.
    pub command_execution: bool,
    /// Tells of changes to files as differences.
    pub file_changes: bool,
    /// Uses tools of MCP servers.
    pub mcp_tools: bool,
    /// Streams its text in pieces.
    pub streaming_deltas: bool,
    /// Tells of an item when it starts, not only when it is done.
    pub item_started: bool,
    /// One process serves several sessions.
    pub shared_process: bool,
}

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentChoice {
    /// What to say to choose it.
    pub id: String,
    /// For people.
    pub name: String,
    /// More about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
}
