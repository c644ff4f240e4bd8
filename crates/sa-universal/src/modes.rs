//! Modes and permission modes in an agent's own modes and options.

use crate::choices::{self, MODE, MODEL, VARIANT};
use crate::mode_names::{BYPASS, DEFAULT, PLAN, known, plain, sounds_loose};
use sa_api::sessions::{OptionValue, PermissionMode, SessionChoice, SessionChoices, SessionOption};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// The `agentMode` in which agents do what they are asked to.
pub(crate) const BUILD_MODE: &str = "build";
/// The `agentMode` in which agents only plan.
pub(crate) const PLAN_MODE: &str = "plan";

/// The agent's own modes that stand for ours. A value is the id of a mode, or `<option>=<value>` for an option.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ModeTable {
    pub permission_modes: PermissionModes,
    /// By agent mode: `build`, `plan`, or another name for one of the agent's own.
    pub agent_modes: BTreeMap<String, String>,
    /// The option that chooses which of the agent's own agents works, if it has several.
    pub agents: Option<AgentOption>,
    /// The agent's own modes in which it refuses whatever would need permission.
    pub refusing: Vec<String>,
}

/// An option whose values are agents of the agent's own, such as those that a user of OpenCode defines. Each value is an
/// `agentMode`, next to the agent's modes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AgentOption {
    /// The id of the option.
    pub option: String,
    /// The value for `build` and `plan`.
    pub usual: String,
}

impl ModeTable {
    /// By the names of permission modes and agent modes, as the catalog has them.
    pub fn named(permission: &BTreeMap<String, String>, agent: &BTreeMap<String, String>) -> Self {
        let of = |name: &str| permission.get(name).cloned();
        let permission_modes =
            PermissionModes { default: of("default"), plan: of("plan"), bypass: of("bypass") };
        Self { permission_modes, agent_modes: agent.clone(), ..Self::default() }
    }
}

/// An agent's own modes that stand for permission modes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct PermissionModes {
    /// The mode in which it asks.
    pub default: Option<String>,
    /// The mode in which it only reads.
    pub plan: Option<String>,
    /// The mode in which it never asks.
    pub bypass: Option<String>,
}

/// Something to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// By `session/set_mode`.
    SetMode { mode_id: String },
    /// By `session/set_config_option`.
    SetOption {
        /// The option.
        config_id: String,
        value: OptionValue,
    },
    /// By `session/set_model`, which agents know that have no option for it.
    SetModel { model_id: String },
}

/// Changes that select a mode.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Targets {
    /// Chooses which of the agent's own agents works, before anything else. An agent whose client chose no `agentMode` keeps the
    /// one that its user configured.
    pub agent: Option<Target>,
    /// Changes in their order; empty if nothing has to change.
    pub set: Vec<Target>,
    /// The mode that the daemon enforces itself: with `bypass` it allows what the agent asks for, whether the agent has such a mode
    /// or not. Never `plan`: an agent that has no plan mode cannot be held to reading.
    pub enforce: PermissionMode,
}

/// The agent cannot do what is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Unsupported {
    /// The agent has no mode in which it only plans.
    #[error("the agent has no plan mode; its modes are: {0}")]
    Plan(String),
    /// The agent has no such mode.
    #[error("the agent has no mode '{mode}'; its modes are: {known}")]
    Mode {
        mode: String,
        /// Those that it has.
        known: String,
    },
    /// The mode does more without asking than the permission mode allows.
    #[error(
        "agentMode '{mode}' asks less than permissionMode '{permission}' allows; set permissionMode to 'bypass' to use it"
    )]
    Looser {
        mode: String,
        /// The permission mode.
        permission: &'static str,
    },
    /// Two modes at once.
    #[error("the agent cannot be in its mode '{0}' and only plan at the same time")]
    Both(String),
    /// The agent has no such model.
    #[error("the agent has no model '{model}'; its models are: {known}")]
    Model {
        model: String,
        /// Those that it has.
        known: String,
    },
    /// The agent has no such option, or the option no such value.
    #[error("{0}")]
    Option(String),
    /// The agent has no such variant.
    #[error("the model has no variant '{variant}'; its variants are: {known}")]
    Variant {
        variant: String,
        /// Those that it has.
        known: String,
    },
}

/// The agent's own mode and agent for an `agentMode` and a `permissionMode`.
pub(crate) struct Resolved {
    /// The agent's mode; `None` if it can stay as it is.
    pub(crate) mode: Option<String>,
    /// The agent's own agent that works; `None` if it has only one.
    pub(crate) agent: Option<String>,
    /// The agent only reads.
    pub(crate) plans: bool,
}

/// Returns the agent's own mode and agent for what is asked for.
///
/// `build` means the agent's mode for `permission_mode`; `plan`, either way, its plan mode; one of its own agents works in the
/// mode for `permission_mode`; anything else is a mode of its own, unless that asks less than `permission_mode` allows.
///
/// # Errors
///
/// When the agent has no such mode, or may not be in it.
pub(crate) fn resolve(
    table: &ModeTable,
    choices: &SessionChoices,
    agent_mode: &str,
    permission_mode: PermissionMode,
) -> Result<Resolved, Unsupported> {
    let plans = permission_mode == PermissionMode::Plan || agent_mode == PLAN_MODE;
    let own_agent = is_agent(table, choices, agent_mode).then_some(agent_mode);
    let is_ours = matches!(agent_mode, BUILD_MODE | PLAN_MODE) || own_agent.is_some();
    let mode = if is_ours && plans {
        Some(plan(table, choices)?)
    } else if is_ours {
        working(table, choices, permission_mode)
    } else {
        let mode = native(table, agent_mode);
        check_looseness(table, choices, agent_mode, permission_mode)?;
        if plans && plan(table, choices)? != mode {
            return Err(Unsupported::Both(agent_mode.to_owned()));
        }
        // The table may name an option; clients have `options` for that.
        if mode == agent_mode && mode.contains('=') && choices.modes.iter().all(|known| known.id != mode) {
            return Err(unknown_mode(table, choices, agent_mode));
        }
        Some(mode.to_owned())
    };
    let plans = plans || plan(table, choices).ok().is_some_and(|plan| mode.as_ref() == Some(&plan));
    let usual = table.agents.as_ref().map(|agents| agents.usual.as_str());
    let usual = usual.filter(|usual| agents(table, choices).any(|agent| agent.id == *usual));
    Ok(Resolved { mode, agent: own_agent.or(usual).map(str::to_owned), plans })
}

/// Returns what has to be set so that an agent does and may do what is asked for.
///
/// # Errors
///
/// When the agent has no such mode, or may not be in it.
pub fn targets(
    table: &ModeTable,
    choices: &SessionChoices,
    agent_mode: &str,
    permission_mode: PermissionMode,
) -> Result<Targets, Unsupported> {
    let Resolved { mode, agent, plans } = resolve(table, choices, agent_mode, permission_mode)?;
    let mut set = Vec::new();
    let is_loose_now = choices.mode.as_deref().is_some_and(|now| is_loose(table, choices, now));
    if plans && is_loose_now && permission_mode != PermissionMode::Bypass {
        // An agent may go back to where it was when its plan is approved.
        if let Some(work) = working(table, choices, PermissionMode::Default) {
            set.extend(set_mode(table, choices, &work)?);
        }
    }
    if let Some(mode) = mode {
        set.extend(set_mode(table, choices, &mode)?);
    }
    let option = table.agents.as_ref().and_then(|agents| find_option(choices, &agents.option));
    let agent = option.zip(agent).and_then(|(option, agent)| set_option(option, &agent).flatten());
    let bypasses = permission_mode == PermissionMode::Bypass && !plans;
    let enforce = if bypasses { PermissionMode::Bypass } else { PermissionMode::Default };
    Ok(Targets { agent, set, enforce })
}

/// The agents of the agent's own that a client can choose as `agentMode`.
pub(crate) fn agents<'a>(
    table: &'a ModeTable,
    choices: &'a SessionChoices,
) -> impl Iterator<Item = &'a SessionChoice> {
    let option = table.agents.as_ref().and_then(|agents| find_option(choices, &agents.option));
    option.into_iter().flat_map(|option| &option.choices)
}

/// Returns whether an `agentMode` is one of the agent's own agents, which works in any mode.
pub fn is_agent(table: &ModeTable, choices: &SessionChoices, agent_mode: &str) -> bool {
    !matches!(agent_mode, BUILD_MODE | PLAN_MODE)
        && choices.modes.iter().all(|mode| mode.id != agent_mode)
        && agents(table, choices).any(|agent| agent.id == agent_mode)
}

fn find_option<'a>(choices: &'a SessionChoices, id: &str) -> Option<&'a SessionOption> {
    choices.options.iter().find(|option| option.id == id)
}

/// Checks a mode of the agent's own by its name alone, before the agent is there.
///
/// # Errors
///
/// When the mode asks less than `permission_mode` allows.
pub fn check_agent_mode(
    table: &ModeTable,
    agent_mode: &str,
    permission_mode: PermissionMode,
) -> Result<(), Unsupported> {
    match agent_mode {
        BUILD_MODE | PLAN_MODE => Ok(()),
        own => check_looseness(table, &SessionChoices::default(), own, permission_mode),
    }
}

fn check_looseness(
    table: &ModeTable,
    choices: &SessionChoices,
    own: &str,
    permission_mode: PermissionMode,
) -> Result<(), Unsupported> {
    if permission_mode != PermissionMode::Bypass && is_loose(table, choices, native(table, own)) {
        return Err(Unsupported::Looser { mode: own.to_owned(), permission: permission_mode.name() });
    }
    Ok(())
}

/// A mode by the agent's own name for it.
fn native<'a>(table: &'a ModeTable, own: &'a str) -> &'a str {
    table.agent_modes.get(own).map_or(own, String::as_str)
}

/// Returns whether an agent in that mode does more without asking than by default. Agents do not say so, but their names for modes do.
pub fn is_loose(table: &ModeTable, choices: &SessionChoices, mode: &str) -> bool {
    let said = &table.permission_modes;
    let is = |other: Option<&String>| other.is_some_and(|other| other == mode);
    if is(said.bypass.as_ref()) {
        return true;
    }
    if is(said.default.as_ref()) || is(said.plan.as_ref()) || is(table.agent_modes.get(PLAN_MODE)) {
        return false;
    }
    let id = mode.rsplit(['#', '/', '=']).next().unwrap_or(mode);
    let name = choices.modes.iter().find(|known| known.id == mode).map(|known| known.name.as_str());
    [Some(id), name].into_iter().flatten().any(sounds_loose)
}

/// The modes of an agent that has left its plan mode by itself, as when its plan was approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AfterPlan {
    /// The new `agentMode`.
    pub agent_mode: String,
    /// The new `permissionMode`: never more than was allowed before.
    pub permission_mode: PermissionMode,
    /// The agent does more than that and has to be set back.
    pub is_too_loose: bool,
}

/// Returns the modes of an agent that has left its plan mode by itself; nothing while it plans. `agent_mode` and `chosen` are
/// what it did and was allowed when it began to plan.
pub fn after_plan(
    table: &ModeTable,
    choices: &SessionChoices,
    agent_mode: &str,
    chosen: PermissionMode,
) -> Option<AfterPlan> {
    let mode = choices.mode.as_deref()?;
    let plan = plan(table, choices).ok()?;
    if mode == plan || set_mode(table, choices, &plan).is_ok_and(|still_to_set| still_to_set.is_empty()) {
        return None;
    }
    let is = |permission| working(table, choices, permission).as_deref() == Some(mode);
    let is_loose = is_loose(table, choices, mode);
    let is_too_loose = is_loose && chosen != PermissionMode::Bypass;
    let permission_mode =
        if is_loose && !is_too_loose { PermissionMode::Bypass } else { PermissionMode::Default };
    let agent_mode = if is_agent(table, choices, agent_mode) {
        agent_mode
    } else if is_too_loose || is(permission_mode) {
        BUILD_MODE
    } else {
        mode
    };
    Some(AfterPlan { agent_mode: agent_mode.to_owned(), permission_mode, is_too_loose })
}

pub(crate) fn plan(table: &ModeTable, choices: &SessionChoices) -> Result<String, Unsupported> {
    let said = table.agent_modes.get(PLAN_MODE).or(table.permission_modes.plan.as_ref());
    let found = offered(table, choices, said).or_else(|| known(&choices.modes, &PLAN));
    found.ok_or_else(|| Unsupported::Plan(choice_names(&choices.modes)))
}

/// The agent's own mode in which it never asks, if it offers one.
pub(crate) fn bypassing(table: &ModeTable, choices: &SessionChoices) -> Option<String> {
    // An agent may know such a mode and not offer it, to root for example. Then another one that sounds like it is not
    // what is meant: the daemon allows what the agent asks for.
    match &table.permission_modes.bypass {
        Some(mode) => offered(table, choices, Some(mode)),
        None => known(&choices.modes, &BYPASS),
    }
}

/// The mode to work in; `None` if it can stay as it is.
fn working(table: &ModeTable, choices: &SessionChoices, permission_mode: PermissionMode) -> Option<String> {
    if permission_mode == PermissionMode::Bypass
        && let Some(bypass) = bypassing(table, choices)
    {
        return Some(bypass);
    }
    let said = &table.permission_modes;
    let said = said.default.as_ref().or(table.agent_modes.get(BUILD_MODE));
    offered(table, choices, said).or_else(|| known(&choices.modes, &DEFAULT)).or_else(|| {
        // Out of a mode that is certainly another one, to the one that the agent names first.
        let current = choices.mode.as_deref().map(plain)?;
        let other = PLAN.contains(&current.as_str()) || BYPASS.contains(&current.as_str());
        let is_work = |mode: &&SessionChoice| {
            !PLAN.contains(&plain(&mode.id).as_str()) && !is_loose(table, choices, &mode.id)
        };
        choices.modes.iter().find(is_work).filter(|_| other).map(|mode| mode.id.clone())
    })
}

/// A mode of the table, if the agent offers it.
fn offered(table: &ModeTable, choices: &SessionChoices, mode: Option<&String>) -> Option<String> {
    mode.filter(|mode| set_mode(table, choices, mode).is_ok()).cloned()
}

fn unknown_mode(table: &ModeTable, choices: &SessionChoices, mode: &str) -> Unsupported {
    let own = agents(table, choices).filter(|agent| is_agent(table, choices, &agent.id));
    let all: Vec<SessionChoice> = choices.modes.iter().chain(own).cloned().collect();
    Unsupported::Mode { mode: mode.to_owned(), known: choice_names(&all) }
}

fn set_mode(table: &ModeTable, choices: &SessionChoices, mode: &str) -> Result<Vec<Target>, Unsupported> {
    let unknown = || unknown_mode(table, choices, mode);
    if let Some((config_id, value)) = mode.split_once('=') {
        let option = find_option(choices, config_id).ok_or_else(unknown)?;
        return Ok(set_option(option, value).ok_or_else(unknown)?.into_iter().collect());
    }
    let option = choices.options.iter().find(|option| choices::is(option, MODE));
    if let Some(target) = option.and_then(|option| set_option(option, mode)) {
        return Ok(target.into_iter().collect());
    }
    if choices.modes.iter().all(|known| known.id != mode) {
        return Err(unknown());
    }
    let target = Target::SetMode { mode_id: mode.to_owned() };
    Ok(if choices.mode.as_deref() == Some(mode) { Vec::new() } else { vec![target] })
}

/// Returns the change that sets an option; nothing if it is set already. `None` if it has no such value.
fn set_option(option: &SessionOption, value: &str) -> Option<Option<Target>> {
    let value = match option.value {
        OptionValue::Switch(_) => OptionValue::Switch(value.parse().ok()?),
        OptionValue::Choice(_) => {
            OptionValue::Choice(option.choices.iter().find(|choice| choice.id == value)?.id.clone())
        }
    };
    let news = option.value != value;
    Some(news.then(|| Target::SetOption { config_id: option.id.clone(), value }))
}

/// Returns the change that selects a model; nothing if it is selected. Agents know more models than they list, so one that is
/// not in the list is left to the agent to take or to refuse.
///
/// # Errors
///
/// When the agent offers no choice of models.
pub fn model_target(choices: &SessionChoices, model: &str) -> Result<Option<Target>, Unsupported> {
    let option = choices.options.iter().find(|option| choices::is(option, MODEL));
    if let Some(option) = option {
        let unlisted = || {
            let value = OptionValue::Choice(model.to_owned());
            (option.value != value).then(|| Target::SetOption { config_id: option.id.clone(), value })
        };
        return Ok(set_option(option, model).unwrap_or_else(unlisted));
    }
    if !choices.models.is_empty() {
        let target = Target::SetModel { model_id: model.to_owned() };
        return Ok((choices.model.as_deref() != Some(model)).then_some(target));
    }
    Err(Unsupported::Model { model: model.to_owned(), known: choice_names(&choices.models) })
}

/// Returns the change that selects a variant of a model; nothing if it is selected.
///
/// # Errors
///
/// When the model has no such variant.
pub fn variant_target(choices: &SessionChoices, variant: &str) -> Result<Option<Target>, Unsupported> {
    let option = choices.options.iter().find(|option| choices::is(option, VARIANT));
    let target = option.and_then(|option| set_option(option, variant));
    target.ok_or_else(|| Unsupported::Variant {
        variant: variant.to_owned(),
        known: choice_names(&choices.variants),
    })
}

/// Returns the ids of choices, for people.
pub fn choice_names(choices: &[SessionChoice]) -> String {
    if choices.is_empty() {
        return "none".to_owned();
    }
    choices.iter().map(|choice| choice.id.as_str()).collect::<Vec<_>>().join(", ")
}
