//! Making and changing a session.

use super::{OptionValue, PermissionMode, PermissionReplyKind, Webhook};
use crate::config::by_name;
use crate::{McpServerConfig, SkillsConfig};
use sa_api_macros::api;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// MCP servers by name.
pub type McpServers = BTreeMap<String, McpServerConfig>;

/// Settings of a new session.
#[api(strict, secret, Default)]
pub struct CreateSession {
    /// Id of the agent.
    #[schema(min_length = 1)]
    pub agent: String,
    /// Task of the agent: `build` if absent, `plan`, or one of the agent's own modes or agents, as `GET /v1/agents/{agent}/modes`
    /// lists them.
    pub agent_mode: Option<String>,
    /// Permission mode.
    #[serde(default)]
    pub permission_mode: PermissionMode,
    /// Model. Defaults to the agent's own choice.
    pub model: Option<String>,
    /// Variant of the model, such as `high`.
    pub variant: Option<String>,
    /// Other options of the agent, by id, as `choices.options` of a session lists them.
    #[optional]
    pub options: BTreeMap<String, OptionValue>,
    /// Credential for the model's provider. It is kept in memory only, so it must be sent again after a restart of the daemon.
    pub token: Option<String>,
    /// Checks the credential with the provider before anything is started.
    #[serde(default)]
    pub validate_token: bool,
    /// Version of the agent. Defaults to the current one.
    pub agent_version: Option<String>,
    /// Working directory, relative to the workspace. Defaults to the workspace.
    pub cwd: Option<String>,
    /// Environment variables of the agent. They are kept in memory only.
    #[optional]
    pub env: BTreeMap<String, String>,
    /// MCP servers by name, in addition to those of the directory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "by_name")]
    #[schema(value_type = BTreeMap<String, McpServerConfig>, required = false)]
    pub mcp: McpServers,
    /// Sets of skills by name, in addition to those of the directory.
    #[optional]
    #[serde(deserialize_with = "by_name")]
    pub skills: BTreeMap<String, SkillsConfig>,
    /// Metadata of the client's choice.
    #[optional]
    pub metadata: Map<String, Value>,
    /// Title of the session. The agent may set one if it is absent.
    pub title: Option<String>,
    /// Rules that decide permission requests without a client.
    #[serde(default)]
    pub policy: PermissionPolicy,
    /// Webhook that receives the events of the session.
    pub webhook: Option<Webhook>,
}

/// Rules that decide permission requests without a client.
#[api(strict, Default)]
#[serde(default)]
pub struct PermissionPolicy {
    /// Rules. The first one that matches decides; without one a client is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub rules: Vec<PermissionRule>,
    /// Milliseconds after which an open request is decided. Without it, requests wait forever.
    pub timeout_ms: Option<u64>,
    /// Decision after the timeout. Questions are always rejected.
    #[schema(required = false)]
    pub on_timeout: TimeoutDecision,
}

/// Decision after a timeout.
#[api(Default)]
pub enum TimeoutDecision {
    /// Reject.
    #[default]
    Reject,
    /// Allow this time.
    Allow,
}

/// A rule for permission requests. Every member that is present must match.
#[api(strict, Eq)]
pub struct PermissionRule {
    /// The tool: its own name or its kind (`read`, `edit`, `execute`, …), for `deny` and `ask` also its title; `*` stands for any
    /// characters. Up to 8192 characters.
    #[schema(max_length = 8192)]
    pub tool: String,
    /// Pattern for the command, path or address, up to 8192 characters; `*` matches any characters.
    #[schema(max_length = 8192)]
    pub input: Option<String>,
    /// Decision of the rule.
    pub decision: Decision,
}

/// Decision of a rule.
#[api]
pub enum Decision {
    /// Allow.
    Allow,
    /// Ask a client.
    Ask,
    /// Reject.
    Deny,
}

impl Decision {
    /// The reply that it stands for, if it is one.
    pub fn reply(self) -> Option<PermissionReplyKind> {
        match self {
            Self::Allow => Some(PermissionReplyKind::Once),
            Self::Ask => None,
            Self::Deny => Some(PermissionReplyKind::Reject),
        }
    }
}

/// The schema of options by id, each of which may be null: the derived one knows no nullable values in maps.
fn option_changes() -> utoipa::openapi::schema::Object {
    use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, OneOfBuilder, Type};
    use utoipa::openapi::{Ref, RefOr, Schema};
    let change = OneOfBuilder::new()
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .item(Ref::from_schema_name("OptionValue"));
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(AdditionalProperties::RefOr(RefOr::T(Schema::OneOf(change.build())))))
        .description(Some(
            "Other options of the agent, by id; those that are absent stay as they are. With `null` an option is no longer asked for.",
        ))
        .build()
}

/// Changes to a session. Absent members keep their value.
#[api(strict, secret, Default)]
#[serde(default)]
pub struct SessionPatch {
    /// Title of the session.
    pub title: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Variant of the model.
    pub variant: Option<String>,
    /// Other options of the agent, by id; those that are absent stay as they are. With `null` an option is no longer asked for.
    #[schema(schema_with = option_changes)]
    pub options: Option<BTreeMap<String, Option<OptionValue>>>,
    /// Mode of the agent.
    pub agent_mode: Option<String>,
    /// Permission mode.
    pub permission_mode: Option<PermissionMode>,
    /// Metadata to merge into the existing one; `null` removes a member.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    /// New credential for the model's provider, kept in memory only. The agent is restarted with it before its next turn.
    pub token: Option<String>,
    /// Environment variables to add, kept in memory only. The agent is restarted with them before its next turn.
    pub env: Option<BTreeMap<String, String>>,
}
