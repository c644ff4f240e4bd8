//! Configuration that is kept for a directory: MCP servers and skills.

mod entry;
mod field;
mod mcp;
mod skills;

pub(crate) use entry::by_name;
pub use entry::{ConfigEntry, InvalidEntry};
use sa_api_macros::api;
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// An MCP server. Unknown members are kept.
#[api]
#[serde(tag = "type")]
pub enum McpServerConfig {
    /// An MCP server that the agent starts as a command. `stdio` is an alias of this type.
    Local(McpLocalServer),
    /// An MCP server at an address. `http` and `sse` are aliases of this type that also set the transport.
    Remote(McpRemoteServer),
}

/// An MCP server that the agent starts as a command.
#[api(secret, Default)]
pub struct McpLocalServer {
    /// The program.
    pub command: String,
    /// Arguments of the program.
    #[optional]
    pub args: Vec<String>,
    /// Environment variables of the program.
    pub env: Option<BTreeMap<String, String>>,
    /// Working directory of the program.
    pub cwd: Option<String>,
    /// `false` keeps the server, but does not use it.
    pub enabled: Option<bool>,
    /// Timeout of the server in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Unknown members.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// An MCP server at an address.
#[api(secret, Default)]
pub struct McpRemoteServer {
    /// Address of the server.
    #[schema(min_length = 1)]
    pub url: String,
    /// Headers to send.
    pub headers: Option<BTreeMap<String, String>>,
    /// Headers to send, with the names of environment variables that have their values.
    pub env_headers: Option<BTreeMap<String, String>>,
    /// Name of the environment variable that has the bearer token.
    pub bearer_token_env_var: Option<String>,
    /// OAuth settings, or `false`.
    pub oauth: Option<Value>,
    /// Transport: `http` or `sse`.
    pub transport: Option<String>,
    /// `false` keeps the server, but does not use it.
    pub enabled: Option<bool>,
    /// Timeout of the server in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Unknown members.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// The MCP servers of a directory.
#[api(Default)]
pub struct McpConfigList {
    /// MCP servers by name.
    pub servers: BTreeMap<String, McpServerConfig>,
}

/// A set of skills. Unknown members are kept.
#[api(Default)]
pub struct SkillsConfig {
    /// Sources of the skills, at least one.
    #[schema(min_items = 1)]
    pub sources: Vec<SkillSource>,
    /// Unknown members.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// Type of a source of skills.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[allow(dead_code, reason = "only the schema is used")]
pub(crate) enum SkillSourceType {
    Github,
    Git,
    Local,
}

/// A source of skills.
#[api(Default)]
pub struct SkillSource {
    /// Type of the source: `github`, `git` or `local`.
    #[serde(rename = "type")]
    #[schema(value_type = SkillSourceType)]
    pub kind: String,
    /// `owner/name` on GitHub, the address of a repository, or a directory.
    #[schema(min_length = 1)]
    pub source: String,
    /// Branch, tag or commit.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Directory in the source that has the skills.
    pub subpath: Option<String>,
    /// Names of the skills to use. Defaults to all.
    pub skills: Option<Vec<String>>,
    /// Unknown members.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// The sets of skills of a directory.
#[api(Default)]
pub struct SkillsConfigList {
    /// Sets of skills by name.
    pub skills: BTreeMap<String, SkillsConfig>,
}
