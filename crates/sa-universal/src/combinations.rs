//! Every `agentMode` with every `permissionMode`: what it becomes in the agent's own words, and what happens then.
//!
//! The same function that sets an agent's modes makes the table, so the table cannot say anything else.

use crate::modes::{BUILD_MODE, ModeTable, PLAN_MODE, agents, bypassing, is_agent, plan, resolve};
use sa_api::sessions::{PermissionMode, SessionChoices};
use sa_api::{AgentChoice, ModeCombination, ModeEffect, ModeEnforcer};

/// Returns everything that `agentMode` takes: `build`, `plan` if the agent can, then its own modes and agents.
pub fn agent_modes(table: &ModeTable, choices: &SessionChoices) -> Vec<AgentChoice> {
    let mut modes =
        vec![choice((BUILD_MODE, "Build", "Does what it is asked to; permissionMode says what it may do"))];
    if plan(table, choices).is_ok() {
        modes.push(choice((PLAN_MODE, "Plan", "Reads only, and makes a plan")));
    }
    let own_modes = choices.modes.iter().filter(|mode| ![BUILD_MODE, PLAN_MODE].contains(&mode.id.as_str()));
    let own_agents = agents(table, choices).filter(|agent| is_agent(table, choices, &agent.id));
    modes.extend(own_modes.chain(own_agents).map(|mode| AgentChoice {
        id: mode.id.clone(),
        name: mode.name.clone(),
        description: mode.description.clone(),
    }));
    modes
}

/// Returns everything that `permissionMode` takes.
pub fn permission_modes() -> Vec<AgentChoice> {
    let about = |mode: &PermissionMode| match mode {
        PermissionMode::Default => ("default", "Default", "Asks before it changes anything"),
        PermissionMode::Plan => ("plan", "Plan", "Reads only; leaving that needs an approval"),
        PermissionMode::Bypass => ("bypass", "Bypass", "Never asks"),
    };
    PermissionMode::ALL.iter().map(about).map(choice).collect()
}

fn choice((id, name, description): (&str, &str, &str)) -> AgentChoice {
    AgentChoice { id: id.to_owned(), name: name.to_owned(), description: Some(description.to_owned()) }
}

/// Returns each `agentMode` with each `permissionMode`, in the order of [`agent_modes`].
pub fn combinations(table: &ModeTable, choices: &SessionChoices) -> Vec<ModeCombination> {
    let of_mode = |mode: AgentChoice| {
        let of = move |permission: &PermissionMode| combination(table, choices, mode.id.clone(), *permission);
        PermissionMode::ALL.iter().map(of)
    };
    agent_modes(table, choices).into_iter().flat_map(of_mode).collect()
}

fn combination(
    table: &ModeTable,
    choices: &SessionChoices,
    agent_mode: String,
    permission_mode: PermissionMode,
) -> ModeCombination {
    let resolved = resolve(table, choices, &agent_mode, permission_mode);
    let reason = resolved.as_ref().err().map(ToString::to_string);
    let rejected = ModeCombination { agent_mode, permission_mode, reason, ..ModeCombination::default() };
    let Ok(resolved) = resolved else { return rejected };
    let native_mode = resolved.mode.or_else(|| choices.mode.clone());
    let is_refusing = native_mode.as_ref().is_some_and(|mode| table.refusing.contains(mode));
    let (effect, enforced_by) = if resolved.plans {
        (ModeEffect::ReadOnly, ModeEnforcer::Agent)
    } else if is_refusing {
        (ModeEffect::Refuses, ModeEnforcer::Agent)
    } else if permission_mode == PermissionMode::Bypass {
        let own = bypassing(table, choices);
        let by_agent = own.is_some() && own == native_mode;
        (ModeEffect::NeverAsks, if by_agent { ModeEnforcer::Agent } else { ModeEnforcer::Daemon })
    } else {
        (ModeEffect::Asks, ModeEnforcer::Agent)
    };
    let option = table.agents.as_ref().map(|agents| agents.option.clone());
    ModeCombination {
        supported: true,
        native_mode,
        native_options: option.zip(resolved.agent).into_iter().collect(),
        effect: Some(effect),
        enforced_by: Some(enforced_by),
        ..rejected
    }
}
