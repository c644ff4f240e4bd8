//! The modes of an agent, as sessions apply them: by the catalog and by what the agent offers.

use sa_agents::AgentSpec;
use sa_api::sessions::{SessionChoice, SessionChoices};
use sa_universal::{AgentOption, ModeTable, Reducer};
pub use sa_universal::{agent_modes, combinations, permission_modes};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};

/// The agent's own modes that stand for ours, as the catalog has them.
pub fn mode_table(agent: &AgentSpec) -> ModeTable {
    let names = &agent.modes;
    let agents = names.agents.clone();
    ModeTable {
        agents: agents.map(|agents| AgentOption { option: agents.option, usual: agents.usual }),
        refusing: names.refusing.clone(),
        ..ModeTable::named(&names.permission, &names.agent)
    }
}

/// Returns the choices of an agent that the catalog knows, for when the agent cannot be asked.
pub fn known_choices(agent: &AgentSpec) -> SessionChoices {
    let modes = agent.modes.known.iter().map(|mode| SessionChoice {
        id: mode.id.clone(),
        name: mode.name.clone(),
        description: Some(mode.description.clone()),
        group: None,
    });
    SessionChoices { modes: modes.collect(), ..SessionChoices::default() }
}

/// The choices of an agent that offers these of ACP's config options, as a session of it would have them.
pub fn offered_choices(config_options: &[Value]) -> SessionChoices {
    let mut reducer = Reducer::new("offer");
    if let Ok(opened) = to_raw_value(&json!({ "configOptions": config_options })) {
        reducer.session_opened(&opened);
    }
    reducer.choices().clone()
}
