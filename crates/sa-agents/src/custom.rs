//! A user's own agents: `--agent id='command line'` and the `[agents.<id>]` tables of the configuration file.

use crate::{AgentSpec, Launch};
use serde::Deserialize;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why a custom agent was refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum CustomAgentError {
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
    /// Nothing to run.
    #[error("the command of agent '{0}' is empty")]
    EmptyCommand(String),
}

/// One `[agents.<id>]` table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AgentDefinition {
    /// What people read; the id when absent.
    pub name: Option<String>,
    /// The program.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment entries of its own.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

impl AgentDefinition {
    /// The agent that this table describes.
    pub fn into_spec(self, id: &str) -> Result<AgentSpec, CustomAgentError> {
        check_id(id)?;
        if self.command.is_empty() {
            return Err(CustomAgentError::EmptyCommand(id.to_owned()));
        }
        Ok(AgentSpec {
            id: id.to_owned(),
            name: self.name.unwrap_or_else(|| id.to_owned()),
            launch: Launch::Command { program: self.command, args: self.args },
            env: self.env,
        })
    }
}

impl AgentSpec {
    /// Reads `id=command line`, the command split as a POSIX shell would.
    pub fn parse(text: &str) -> Result<Self, CustomAgentError> {
        let (id, command) =
            text.split_once('=').ok_or_else(|| CustomAgentError::NoCommand(text.to_owned()))?;
        check_id(id)?;
        let mut words =
            shlex::split(command).ok_or_else(|| CustomAgentError::BadQuoting(id.to_owned()))?.into_iter();
        let program = words.next().ok_or_else(|| CustomAgentError::EmptyCommand(id.to_owned()))?;
        Ok(Self {
            id: id.to_owned(),
            name: id.to_owned(),
            launch: Launch::Command { program, args: words.collect() },
            env: BTreeMap::new(),
        })
    }
}

fn check_id(id: &str) -> Result<(), CustomAgentError> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let fits = (1..=64).contains(&id.len())
        && id.starts_with(plain)
        && id.chars().all(|c| plain(c) || matches!(c, '-' | '_' | '.'));
    if fits { Ok(()) } else { Err(CustomAgentError::BadId(id.to_owned())) }
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
        assert_eq!(refused("a= "), Err("the command of agent 'a' is empty".to_owned()));
    }
}
