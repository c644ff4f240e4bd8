//! Agents that can be started.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Every agent this daemon can start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentList {
    /// In the order of their ids.
    pub agents: Vec<AgentInfo>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentInfo {
    /// What `?agent=` takes.
    pub id: String,
    /// For people.
    pub name: String,
    /// How it is started.
    pub launch: AgentLaunch,
    /// How many ACP servers run it now.
    pub running: usize,
}

/// How an agent is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum AgentLaunch {
    /// Its code is in the daemon's binary.
    Builtin,
    /// A command that speaks ACP on its standard streams.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
    },
    /// It can be installed; its program does not speak ACP and nothing here drives it.
    InstallOnly,
}
