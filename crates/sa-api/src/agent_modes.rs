//! The modes and models of an agent, and what each combination of modes does.

use crate::AgentChoice;
use crate::sessions::PermissionMode;
use sa_api_macros::api;
use std::collections::BTreeMap;

/// The modes of an agent.
#[api(Eq)]
pub struct AgentModes {
    /// The values of `agentMode`: `build`, `plan`, then the agent's own modes and agents.
    pub modes: Vec<AgentChoice>,
    /// The one that new sessions start in.
    pub current: Option<String>,
    /// The values of `permissionMode`.
    pub permission_modes: Vec<AgentChoice>,
    /// Each `agentMode` with each `permissionMode`. With `source` `catalog`, only those that are known.
    pub combinations: Vec<ModeCombination>,
    /// Source of the list.
    pub source: OfferSource,
    /// True if the list has all modes. False if the agent could not be asked.
    pub complete: bool,
    /// Reason why the agent could not be asked. Absent if it was asked.
    pub reason: Option<String>,
}

/// An `agentMode` with a `permissionMode`: the modes that the agent gets, and the effect.
#[api(Default, Eq)]
pub struct ModeCombination {
    /// The `agentMode`.
    pub agent_mode: String,
    /// The `permissionMode`.
    pub permission_mode: PermissionMode,
    /// True if sessions accept this combination. Others are rejected with 422.
    pub supported: bool,
    /// Reason why the combination is rejected. Absent if it is supported.
    pub reason: Option<String>,
    /// The agent's own mode; absent if it is refused, or if the agent has no modes.
    pub native_mode: Option<String>,
    /// Options of the agent that are set along with its mode, by id.
    #[optional]
    pub native_options: BTreeMap<String, String>,
    /// Effect of the combination. Absent if it is rejected.
    pub effect: Option<ModeEffect>,
    /// Enforcer of the effect. Absent if the combination is rejected.
    pub enforced_by: Option<ModeEnforcer>,
}

/// Effect of a combination of modes when the model wants to change something.
#[api]
pub enum ModeEffect {
    /// A permission is asked for first.
    Asks,
    /// Nothing is changed and no permission is asked for.
    ReadOnly,
    /// The change is made without asking for permission.
    NeverAsks,
    /// No permission is asked for, and nothing happens that would need one.
    Refuses,
}

/// Enforcer of the effect of a combination of modes.
#[api]
pub enum ModeEnforcer {
    /// The agent, in its own mode.
    Agent,
    /// The daemon: the agent asks, and the daemon allows it.
    Daemon,
}

/// Source of the lists of an agent's modes and models.
#[api]
pub enum OfferSource {
    /// The installed agent said so.
    Agent,
    /// The daemon's catalog: the agent could not be asked.
    Catalog,
}

/// The models of an agent.
#[api(Eq)]
pub struct AgentModels {
    /// The values of `model`.
    pub models: Vec<AgentChoice>,
    /// The one that new sessions use.
    pub current: Option<String>,
    /// The values of `variant`: how hard the model thinks.
    pub variants: Vec<AgentChoice>,
    /// The one that new sessions use.
    pub current_variant: Option<String>,
    /// Source of the list.
    pub source: OfferSource,
    /// True if the list has all models that the agent lists. False if the agent could not be asked.
    pub complete: bool,
    /// Reason why the agent could not be asked. Absent if it was asked.
    pub reason: Option<String>,
}
