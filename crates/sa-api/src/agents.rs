//! Agents: what there is, what of it is installed, what each can do.

use crate::Timestamp;
use crate::sessions::OptionValue;
use sa_api_macros::api;
use serde_json::{Map, Value};

/// The agents that this daemon knows.
#[api]
pub struct AgentList {
    /// Agents in the order of their ids.
    pub agents: Vec<AgentInfo>,
}

/// An agent.
#[api]
pub struct AgentInfo {
    /// Id of the agent.
    pub id: String,
    /// Display name of the agent.
    pub name: String,
    /// Description of the agent.
    pub description: Option<String>,
    /// Way in which the agent is started.
    pub launch: AgentLaunch,
    /// True if the agent can be started without installing anything.
    pub installed: bool,
    /// True if this daemon can install the agent.
    pub installable: bool,
    /// True if the agent is part of the daemon, so that there is nothing to install or remove.
    #[newer]
    pub built_in: bool,
    /// The version that would start; absent if only the program itself knows it.
    pub version: Option<String>,
    /// The program that would start.
    pub path: Option<String>,
    /// Source of the program: a kind of source, `path` for a program of the machine, or `builtin`.
    pub source: Option<String>,
    /// The installed versions, newest first.
    pub versions: Vec<InstalledVersion>,
    /// Availability of a credential for the agent's model.
    #[newer]
    pub credential_status: CredentialStatus,
    /// Use `credentialStatus`. This is true unless that is `missing`, so also if nothing is known.
    #[schema(deprecated)]
    pub credentials_available: bool,
    /// Credentials that were found, without their values.
    pub credentials: Vec<CredentialInfo>,
    /// Capabilities of the agent.
    pub capabilities: AgentCapabilities,
    /// Number of ACP servers that run the agent.
    pub running: usize,
    /// The state of its processes; absent if none runs.
    pub server_status: Option<AgentServerStatus>,
    /// Models, modes and efforts, as ACP's session config options. Only with `?config=true`.
    pub config_options: Option<Vec<AgentConfigOption>>,
    /// Reason why there are no config options. Present only with `config=true`.
    pub config_error: Option<String>,
}

/// Way in which an agent is started.
#[api(Eq)]
#[serde(tag = "kind")]
pub enum AgentLaunch {
    /// By code in the daemon.
    Builtin {
        /// The vendor's program that this code drives.
        program: Option<String>,
    },
    /// By a command that speaks ACP on its standard streams.
    Command {
        /// The program.
        program: String,
        /// Arguments of the program.
        args: Vec<String>,
    },
    /// Not at all: the program can be installed, but does not speak ACP.
    InstallOnly {
        /// The vendor's program.
        program: String,
    },
}

/// One installed version of an agent.
#[api(Eq)]
pub struct InstalledVersion {
    /// Name of the version.
    pub version: String,
    /// Path of the program.
    pub path: String,
    /// Kind of source that the program came from: `vendor`, `github`, `npm`, `registry`, `local`.
    pub source: String,
    /// Size on disk in bytes.
    pub size: u64,
    /// Time at which the version was installed.
    pub installed_at: Timestamp,
    /// True if this version starts when none is named.
    pub current: bool,
}

/// A credential that was found, without its value.
#[api(Eq)]
pub struct CredentialInfo {
    /// Provider of the credential, such as `anthropic`.
    pub provider: String,
    /// Kind of the credential, such as `apiKey` or `oauth`.
    pub kind: String,
    /// Variable or file that holds the credential.
    pub origin: String,
    /// Time at which the credential expires.
    pub expires_at: Option<Timestamp>,
}

/// Availability of a credential for an agent's model.
#[api(Default)]
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

/// Changes to an agent; absent members stay as they are.
#[api(strict, Default, Eq)]
pub struct AgentPatch {
    /// The installed version that starts unless a session names another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true, min_length = 1)]
    pub current_version: Option<String>,
}

/// One of ACP's session config options.
#[api]
pub struct AgentConfigOption {
    /// Id of the option, as `options` of a session takes it.
    pub id: String,
    /// Display name of the option.
    pub name: String,
    /// Description of the option.
    pub description: Option<String>,
    /// Category of the option: `mode`, `model`, `thought_level`, or one of the agent's own.
    pub category: Option<String>,
    /// Kind of the option.
    #[serde(rename = "type")]
    pub kind: AgentConfigKind,
    /// The value that new sessions start with.
    pub current_value: OptionValue,
    /// Values to choose from, for a `select`.
    #[optional]
    pub options: Vec<AgentConfigValue>,
    /// Members that the agent sent beyond these.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Kind of a config option.
#[api]
pub enum AgentConfigKind {
    /// Chosen from `options`.
    Select,
    /// Switched on or off.
    Boolean,
}

/// A value of a config option, or a group of values.
#[api]
pub struct AgentConfigValue {
    /// The value; absent for a group.
    pub value: Option<String>,
    /// Display name.
    #[newer]
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// The id of the group; absent for a value.
    pub group: Option<String>,
    /// The values in the group; absent for a value.
    pub options: Option<Vec<AgentConfigChoice>>,
    /// Members that the agent sent beyond these.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A value in a group of values.
#[api]
pub struct AgentConfigChoice {
    /// The value.
    pub value: String,
    /// Display name.
    #[newer]
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// Members that the agent sent beyond these.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The state of an agent's processes.
#[api(Eq)]
pub struct AgentServerStatus {
    /// State of the processes.
    pub status: AgentServerState,
    /// Milliseconds since the oldest of the processes started.
    pub uptime_ms: u64,
}

/// State of an agent's processes.
#[api(Default)]
pub enum AgentServerState {
    /// At least one of them runs.
    #[default]
    Running,
}

/// Capabilities of an agent.
#[api(Copy, Default, Eq)]
pub struct AgentCapabilities {
    /// Has a mode that only plans.
    pub plan_mode: bool,
    /// Asks before it acts.
    pub permissions: bool,
    /// Asks the user questions.
    pub questions: bool,
    /// Reports its tool calls.
    pub tool_calls: bool,
    /// Reports the results of tools.
    pub tool_results: bool,
    /// Writes text.
    pub text_messages: bool,
    /// Takes images in prompts.
    pub images: bool,
    /// Takes files in prompts.
    pub file_attachments: bool,
    /// Sessions can be listed, loaded or resumed.
    pub session_lifecycle: bool,
    /// Reports errors as such.
    pub error_events: bool,
    /// Reports its reasoning.
    pub reasoning: bool,
    /// Reports its activity.
    pub status: bool,
    /// Reports commands and their output.
    pub command_execution: bool,
    /// Reports changes to files as differences.
    pub file_changes: bool,
    /// Uses tools of MCP servers.
    pub mcp_tools: bool,
    /// Streams its text in pieces.
    pub streaming_deltas: bool,
    /// Reports an item when it starts, not only when it is complete.
    pub item_started: bool,
    /// One process serves several sessions.
    pub shared_process: bool,
}

/// One thing to choose.
#[api(Eq)]
pub struct AgentChoice {
    /// Id of the choice.
    pub id: String,
    /// Display name of the choice.
    pub name: String,
    /// Description of the choice.
    pub description: Option<String>,
}
