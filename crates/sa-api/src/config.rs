//! Configuration that is kept for a directory: MCP servers and skills.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// An MCP server. Fields that are not listed are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum McpServerConfig {
    /// A command that is started and speaks MCP on its standard streams. `stdio` is another name of this type.
    #[serde(alias = "stdio")]
    Local(McpLocalServer),
    /// An address that is called. `http` and `sse` are other names of this type, which name the transport as well.
    #[serde(alias = "http", alias = "sse")]
    Remote(McpRemoteServer),
}

/// A command that speaks MCP.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct McpLocalServer {
    /// The program.
    pub command: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub args: Vec<String>,
    /// Variables of its environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// Where it is started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// `false`: it is kept, but not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How long it may take to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Anything else.
    #[serde(flatten)]
    #[schema(ignore)]
    pub other: BTreeMap<String, Value>,
}

/// An address that speaks MCP.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct McpRemoteServer {
    /// The address.
    pub url: String,
    /// Headers that are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<BTreeMap<String, String>>,
    /// Headers whose values are in variables of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_headers: Option<BTreeMap<String, String>>,
    /// The variable that holds the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer_token_env_var: Option<String>,
    /// Settings for OAuth, or `false`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oauth: Option<Value>,
    /// `http` or `sse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// `false`: it is kept, but not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// How long it may take to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Anything else.
    #[serde(flatten)]
    #[schema(ignore)]
    pub other: BTreeMap<String, Value>,
}

/// All MCP servers of a directory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct McpConfigList {
    /// By name.
    pub servers: BTreeMap<String, McpServerConfig>,
}

/// Where skills come from. Fields that are not listed are kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SkillsConfig {
    /// Sources of the skills, at least one.
    #[schema(min_items = 1)]
    pub sources: Vec<SkillSource>,
    /// Anything else.
    #[serde(flatten)]
    #[schema(ignore)]
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

/// One source of skills.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SkillSource {
    /// Type of the source: `github`, `git` or `local`.
    #[serde(rename = "type")]
    #[schema(value_type = SkillSourceType)]
    pub kind: String,
    /// `owner/name` on GitHub, the address of a repository, or a directory.
    pub source: String,
    /// Branch, tag or commit.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The directory in the source that holds the skills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subpath: Option<String>,
    /// Only these skills.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<String>>,
    /// Anything else.
    #[serde(flatten)]
    #[schema(ignore)]
    pub other: BTreeMap<String, Value>,
}

/// All sets of skills of a directory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsConfigList {
    /// By name.
    pub skills: BTreeMap<String, SkillsConfig>,
}
