//! How an agent is written down: the files of the catalog, the `[agents.<id>]` tables of the configuration file and of
//! `agents.toml` have this one form; `--agent id='command line'` is its short one.

use crate::{AgentSpec, Builtin, Capability, Launch, ModeNames, Recipe, TokenVariable};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use thiserror::Error;

/// The reason why a definition was refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DefinitionError {
    /// No `=` between id and command.
    #[error("'{0}' is not of the form id=command")]
    NoCommand(String),
    /// An id that could not stand in a URL or a path.
    #[error(
        "'{0}' is not an agent id: use 1 to 64 of a-z, 0-9, '-', '_', '.', starting with a letter or digit"
    )]
    BadId(String),
    /// The command line's quotes do not close.
    #[error("the command of agent '{0}' has an unclosed quote")]
    BadQuoting(String),
    /// There is nothing to run.
    #[error("the command of agent '{0}' is empty")]
    EmptyCommand(String),
    /// Neither a command nor a built-in agent.
    #[error("agent '{0}' has neither `command` nor `builtin`")]
    NoLaunch(String),
    /// The recipe does not name the file to start.
    #[error("agent '{0}' can be installed, but `install.entry` does not say where its program is")]
    NoEntry(String),
}

/// One agent as it is written down.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentDefinition {
    /// The name for people; the id when absent.
    pub name: Option<String>,
    /// A sentence about it.
    pub description: Option<String>,
    /// The program: one that speaks ACP, or the one that `builtin` drives.
    pub command: Option<String>,
    /// The arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// The code in this binary that is the agent.
    pub builtin: Option<Builtin>,
    /// The program does not speak ACP; it can only be installed.
    #[serde(default)]
    pub install_only: bool,
    /// Additional environment entries.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Programs that must be on `PATH`.
    #[serde(default)]
    pub needs: Vec<String>,
    /// The versions of Node.js that it runs on, such as `>=22`.
    pub node: Option<String>,
    /// The recipe for its installation.
    pub install: Option<Recipe>,
    /// The agent's capabilities.
    pub capabilities: Option<BTreeSet<Capability>>,
    /// The agent's names of the modes that every agent has.
    #[serde(default)]
    pub modes: ModeNames,
    /// The variable for the credential that a client gives it.
    pub token: Option<TokenVariable>,
}

impl AgentDefinition {
    /// Returns the agent that this describes.
    pub fn into_spec(self, id: &str) -> Result<AgentSpec, DefinitionError> {
        check_id(id)?;
        if self.command.as_deref() == Some("") {
            return Err(DefinitionError::EmptyCommand(id.to_owned()));
        }
        if let Some(recipe) = &self.install
            && recipe.entry.is_empty()
            && recipe.sources.iter().any(|source| !matches!(source, crate::Source::Registry(_)))
        {
            return Err(DefinitionError::NoEntry(id.to_owned()));
        }
        let launch = match (self.builtin, self.command) {
            (Some(builtin), drives) => Launch::Builtin { builtin, drives },
            (None, Some(program)) if self.install_only => Launch::InstallOnly { program },
            (None, Some(program)) => Launch::Command { program, args: self.args },
            (None, None) => return Err(DefinitionError::NoLaunch(id.to_owned())),
        };
        Ok(AgentSpec {
            id: id.to_owned(),
            name: self.name.unwrap_or_else(|| id.to_owned()),
            description: self.description,
            launch,
            env: self.env,
            needs: self.needs,
            node: self.node,
            install: self.install,
            capabilities: self.capabilities,
            modes: self.modes,
            token: self.token,
        })
    }
}

impl AgentSpec {
    /// Reads `id=command line`, the command split as a POSIX shell would.
    pub fn parse(text: &str) -> Result<Self, DefinitionError> {
        let (id, command) =
            text.split_once('=').ok_or_else(|| DefinitionError::NoCommand(text.to_owned()))?;
        check_id(id)?;
        let mut words =
            shlex::split(command).ok_or_else(|| DefinitionError::BadQuoting(id.to_owned()))?.into_iter();
        let command = Some(words.next().unwrap_or_default());
        AgentDefinition { command, args: words.collect(), ..AgentDefinition::default() }.into_spec(id)
    }
}

fn check_id(id: &str) -> Result<(), DefinitionError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let fits = (1..=64).contains(&id.len())
        && id.starts_with(plain)
        && id.chars().all(|c| plain(c) || matches!(c, '-' | '_' | '.'));
    if fits { Ok(()) } else { Err(DefinitionError::BadId(id.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_like_a_shell_does() {
        let agent = AgentSpec::parse("mine=/opt/my agent/../bin --flag 'two words' a=b").map(|a| a.launch);
        let args = ["agent/../bin", "--flag", "two words", "a=b"].map(str::to_owned).to_vec();
        assert_eq!(agent, Ok(Launch::Command { program: "/opt/my".to_owned(), args }));
    }

    #[test]
    fn each_mistake_is_named() {
        let refused = |text| AgentSpec::parse(text).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(refused("mine"), Err("'mine' is not of the form id=command".to_owned()));
        assert!(matches!(refused("../x=a"), Err(e) if e.contains("not an agent id")));
        assert_eq!(refused("a='x"), Err("the command of agent 'a' has an unclosed quote".to_owned()));
        for empty in ["a= ", "a=''", "a='' --flag"] {
            assert_eq!(refused(empty), Err("the command of agent 'a' is empty".to_owned()), "{empty}");
        }
    }
}
