//! One agent: what it is called, how it starts and how its program comes onto the disk.

use crate::{Capability, Recipe, TokenVariable};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSpec {
    /// The value of `?agent=`.
    pub id: String,
    /// The name for people.
    pub name: String,
    /// A sentence about it.
    pub description: Option<String>,
    /// The way to start a process that speaks ACP on its standard streams.
    pub launch: Launch,
    /// Entries on top of the environment that every agent gets.
    pub env: BTreeMap<String, String>,
    /// Programs that must be on `PATH` for it to run, such as `node`.
    pub needs: Vec<String>,
    /// The versions of Node.js that it runs on, such as `>=22`, where it is a script.
    pub node: Option<String>,
    /// The recipe for installing its program; none if that is up to the user.
    pub install: Option<Recipe>,
    /// The agent's capabilities; none if only the agent itself knows them.
    pub capabilities: Option<BTreeSet<Capability>>,
    /// The agent's names of the modes that every agent has in some form.
    pub modes: ModeNames,
    /// The variable for the credential that a client gives it.
    pub token: Option<TokenVariable>,
}

/// An agent's names of the modes that every agent has in some form. A mode that is not listed is looked for by its
/// usual names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModeNames {
    /// By permission mode: `default`, `plan`, `bypass`.
    pub permission: BTreeMap<String, String>,
    /// By agent mode: `build`, `plan`.
    pub agent: BTreeMap<String, String>,
    /// The option that selects one of its agents, if it has several.
    pub agents: Option<OwnAgents>,
    /// Modes in which it refuses whatever would need permission.
    pub refusing: Vec<String>,
    /// The agent's own modes, for when it cannot be asked. Some may depend on the machine or the model.
    pub known: Vec<KnownMode>,
}

/// An option whose values are agents of the agent's own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnAgents {
    /// The id of the option.
    pub option: String,
    /// The value for `build` and `plan`.
    pub usual: String,
}

/// A mode of the agent's own.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownMode {
    /// Id of the mode.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// A sentence about it.
    pub description: String,
}

/// The way to start an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Launch {
    /// This binary itself, as `sandbox-agent acp <id>`.
    Builtin {
        /// The code.
        builtin: Builtin,
        /// The vendor's program that this code drives, if it drives one.
        drives: Option<String>,
    },
    /// A command that speaks ACP.
    Command {
        /// Looked up on `PATH` unless it holds a slash; an installed version comes first.
        program: String,
        /// The arguments of the command.
        args: Vec<String>,
    },
    /// The agent can be installed, but its program does not speak ACP and no code here drives it.
    InstallOnly {
        /// The vendor's program.
        program: String,
    },
}

/// The agents whose code is in this binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Builtin {
    /// Scripted by the prompt's text; needs no model and no key.
    Demo,
    /// Claude Code, on the vendor's CLI.
    Claude,
    /// Codex, on the vendor's CLI.
    Codex,
    /// Amp, on the vendor's CLI.
    Amp,
    /// OpenCode, on the vendor's CLI.
    #[serde(rename = "opencode")]
    OpenCode,
}

impl Builtin {
    /// Every built-in agent.
    pub const ALL: [Self; 5] = [Self::Demo, Self::Claude, Self::Codex, Self::Amp, Self::OpenCode];

    /// Returns the id, also the argument of `sandbox-agent acp`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Amp => "amp",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the built-in agent of that id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.id() == id)
    }
}

/// The agent has no program that speaks ACP.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("agent '{agent}' can be installed, but it does not speak ACP and this version has no adapter for it")]
pub struct NotStartable {
    /// The agent's id.
    pub agent: String,
}

impl AgentSpec {
    /// Refuses an agent that can only be installed.
    pub fn check_startable(&self) -> Result<(), NotStartable> {
        match self.launch {
            Launch::InstallOnly { .. } => Err(NotStartable { agent: self.id.clone() }),
            Launch::Builtin { .. } | Launch::Command { .. } => Ok(()),
        }
    }

    /// Returns whether the whole agent is in this binary, so that there is nothing to install.
    pub fn is_built_in(&self) -> bool {
        matches!(self.launch, Launch::Builtin { drives: None, .. })
    }

    /// Returns the program that has to be on the disk for it to start, as its name on `PATH`.
    pub fn program(&self) -> Option<&str> {
        match &self.launch {
            Launch::Builtin { drives, .. } => drives.as_deref(),
            Launch::Command { program, .. } | Launch::InstallOnly { program } => Some(program),
        }
    }
}
