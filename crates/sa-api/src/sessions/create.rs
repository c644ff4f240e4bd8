//! Making and changing a session.

use super::{OptionValue, PermissionMode, PermissionReplyKind, Webhook};
use crate::{McpServerConfig, SkillsConfig};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// MCP servers by name.
pub type McpServers = BTreeMap<String, McpServerConfig>;

/// A new session.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateSession {
    /// Id of the agent.
    #[schema(min_length = 1)]
    pub agent: String,
    /// What it does: `build` if absent, `plan`, or one of the agent's own modes or agents, as `GET /v1/agents/{agent}/modes`
    /// lists them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_mode: Option<String>,
    /// What it may do.
    #[serde(default)]
    #[schema(required = false)]
    pub permission_mode: PermissionMode,
    /// The model; the agent's own choice if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// The model's variant, such as `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub variant: Option<String>,
    /// Other options of the agent, by id, as `choices.options` of a session lists them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub options: BTreeMap<String, OptionValue>,
    /// The credential for the model's provider. It is kept in memory only; after a restart of the daemon it must be given again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub token: Option<String>,
    /// Ask the provider whether it accepts the credential before anything is started.
    #[serde(default)]
    #[schema(required = false)]
    pub validate_token: bool,
    /// The agent's version; the current one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_version: Option<String>,
    /// The directory to work in; the workspace if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cwd: Option<String>,
    /// Variables of the agent's environment. They are kept in memory only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub env: BTreeMap<String, String>,
    /// MCP servers, on top of those that are configured for the directory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, McpServerConfig>, required = false)]
    pub mcp: McpServers,
    /// Sets of skills, on top of those that are configured for the directory.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub skills: BTreeMap<String, SkillsConfig>,
    /// What the client wants to keep with it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object, required = false)]
    pub metadata: Map<String, Value>,
    /// Its title; the agent may give it one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub title: Option<String>,
    /// How permissions and questions are decided without a client.
    #[serde(default)]
    #[schema(required = false)]
    pub policy: PermissionPolicy,
    /// Where events are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub webhook: Option<Webhook>,
}

/// How permissions and questions are decided without a client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PermissionPolicy {
    /// The first that matches decides; without one a client is asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub rules: Vec<PermissionRule>,
    /// How long a permission or question waits; for ever if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub timeout_ms: Option<u64>,
    /// What is decided then. Questions are rejected in any case.
    #[schema(required = false)]
    pub on_timeout: TimeoutDecision,
}

/// What is decided when nobody did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum TimeoutDecision {
    /// No.
    #[default]
    Reject,
    /// Yes, this time.
    Allow,
}

/// What is decided for certain tools. All that is given must match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionRule {
    /// The tool: its own name or its kind (`read`, `edit`, `execute`, …), for `deny` and `ask` also its title; `*` stands for any
    /// characters.
    pub tool: String,
    /// What it is given: the command, path or address; `*` stands for any characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub input: Option<String>,
    /// The decision.
    pub decision: Decision,
}

/// What a rule decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Decision {
    /// Yes.
    Allow,
    /// A client is asked.
    Ask,
    /// No.
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

/// Changes to a session; what is absent stays.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "json-schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SessionPatch {
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub title: Option<String>,
    /// The model.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// The model's variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub variant: Option<String>,
    /// Other options of the agent, by id; those that are absent stay as they are. With `null` an option is no longer asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = option_changes)]
    pub options: Option<BTreeMap<String, Option<OptionValue>>>,
    /// What the agent does.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_mode: Option<String>,
    /// What it may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub permission_mode: Option<PermissionMode>,
    /// Members are merged into what is kept; `null` removes one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, nullable = false)]
    pub metadata: Option<Map<String, Value>>,
    /// Another credential for the model's provider, in memory only. The agent is started anew with it before its next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub token: Option<String>,
    /// Variables to add to those of the agent's environment, in memory only. The agent is started anew with them before its
    /// next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub env: Option<BTreeMap<String, String>>,
}
