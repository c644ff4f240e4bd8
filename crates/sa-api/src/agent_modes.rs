//! The modes and models of an agent, and what each combination of modes does.

use crate::AgentChoice;
use crate::sessions::PermissionMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The modes of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentModes {
    /// The values of `agentMode`: `build`, `plan`, then the agent's own modes and agents.
    pub modes: Vec<AgentChoice>,
    /// The one that new sessions start in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub current: Option<String>,
    /// The values of `permissionMode`.
    pub permission_modes: Vec<AgentChoice>,
    /// Each `agentMode` with each `permissionMode`. With `source` `catalog`, only those that are known.
    pub combinations: Vec<ModeCombination>,
    /// Where the answer comes from.
    pub source: OfferSource,
    /// Whether these are all modes. False if the agent could not be asked.
    pub complete: bool,
    /// Why the agent could not be asked; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<String>,
}

/// An `agentMode` with a `permissionMode`: the modes that the agent gets, and the effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModeCombination {
    /// The `agentMode`.
    pub agent_mode: String,
    /// The `permissionMode`.
    pub permission_mode: PermissionMode,
    /// Whether sessions take this combination; others are refused with 422.
    pub supported: bool,
    /// Why it is refused; absent if it is supported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<String>,
    /// The agent's own mode; absent if it is refused, or if the agent has no modes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub native_mode: Option<String>,
    /// Options of the agent that are set along with its mode, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub native_options: BTreeMap<String, String>,
    /// What happens when the model wants to change something; absent if it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub effect: Option<ModeEffect>,
    /// Who sees to it; absent if it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub enforced_by: Option<ModeEnforcer>,
}

/// What happens when the model wants to change something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModeEffect {
    /// A permission is asked for first.
    Asks,
    /// Nothing is changed and no permission is asked for.
    ReadOnly,
    /// It happens, and no permission is asked for.
    NeverAsks,
    /// No permission is asked for, and nothing happens that would need one.
    Refuses,
}

/// Who sees to the effect of a combination of modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ModeEnforcer {
    /// The agent, in its own mode.
    Agent,
    /// The daemon: the agent asks, and the daemon allows it.
    Daemon,
}

/// Where the lists of an agent's modes and models come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum OfferSource {
    /// The installed agent said so.
    Agent,
    /// The daemon's catalog: the agent could not be asked.
    Catalog,
}

/// The models of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentModels {
    /// The values of `model`.
    pub models: Vec<AgentChoice>,
    /// The one that new sessions use.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub current: Option<String>,
    /// The values of `variant`: how hard the model thinks.
    pub variants: Vec<AgentChoice>,
    /// The one that new sessions use.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub current_variant: Option<String>,
    /// Where the answer comes from.
    pub source: OfferSource,
    /// Whether these are all models that the agent lists. False if the agent could not be asked.
    pub complete: bool,
    /// Why the agent could not be asked; absent if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<String>,
}
