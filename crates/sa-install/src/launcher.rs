//! From an agent's description to the command that starts it, its program installed first if need be.

use crate::{Found, InstallError, Installer, NodeError, Preinstall};
use sa_agents::{AgentSpec, Launch, NotStartable};
use sa_supervisor::CommandSpec;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Makes commands out of agents. Cloning gives another handle on the same thing.
#[derive(Debug, Clone)]
pub struct Launcher {
    installer: Installer,
    this_program: PathBuf,
    preinstall: Preinstall,
}

/// A command, and the version of the program it starts if that is known.
#[derive(Debug, Clone)]
pub struct Launchable {
    pub command: CommandSpec,
    pub version: Option<String>,
}

/// The reason why there is no command.
#[derive(Debug, Clone, Error)]
pub enum LaunchError {
    /// The agent can only be installed.
    #[error(transparent)]
    NotStartable(#[from] NotStartable),
    /// A program of the user's, which has no versions here.
    #[error("sandbox-agent does not install agent '{0}', so it has no versions to choose from")]
    NoVersions(String),
    /// The agent does not run on this machine's Node.js.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The program is missing and could not be installed.
    #[error(transparent)]
    Install(#[from] InstallError),
}

impl Launcher {
    /// `this_program` is the binary that built-in agents are started from.
    pub fn new(installer: Installer, this_program: PathBuf, preinstall: Preinstall) -> Self {
        Self { installer, this_program, preinstall }
    }

    pub fn installer(&self) -> &Installer {
        &self.installer
    }

    /// Returns the binary that built-in agents are started from.
    pub fn this_program(&self) -> &Path {
        &self.this_program
    }

    /// Returns whether the command is known at once, without installing anything.
    pub fn is_ready(&self, agent: &AgentSpec, version: Option<&str>) -> bool {
        agent.install.is_none() || self.installer.find(agent, version).is_ok_and(|found| found.is_some())
    }

    /// Returns the command that starts this version of the agent; `None` means the current one. Installs it if it is
    /// missing and that is allowed.
    pub async fn prepare(&self, agent: &AgentSpec, version: Option<&str>) -> Result<Launchable, LaunchError> {
        agent.check_startable()?;
        let found = match &agent.install {
            Some(_) => Some(self.installer.ensure(agent, version, self.preinstall).await?),
            None if version.is_some() => return Err(LaunchError::NoVersions(agent.id.clone())),
            None => None,
        };
        if let Some(found) = &found {
            self.installer.check_node(agent, &found.program).await?;
        }
        Ok(self.command(agent, found))
    }

    /// Returns the command of an agent that is installed; `None` if it would have to be installed first.
    pub fn prepare_now(&self, agent: &AgentSpec) -> Result<Option<Launchable>, LaunchError> {
        agent.check_startable()?;
        if agent.install.is_none() {
            return Ok(Some(self.command(agent, None)));
        }
        Ok(self.installer.find(agent, None)?.map(|found| self.command(agent, Some(found))))
    }

    fn command(&self, agent: &AgentSpec, found: Option<Found>) -> Launchable {
        let words = |words: &[String]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let program =
            |named: &str| found.as_ref().map_or_else(|| named.into(), |found| found.program.clone().into());
        let mut command = match &agent.launch {
            Launch::Builtin { builtin, drives } => {
                let mut args = vec![OsString::from("acp"), OsString::from(builtin.id())];
                if let Some(drives) = drives {
                    args.extend([OsString::from("--program"), program(drives)]);
                }
                let arg0 = Some(OsString::from("sandbox-agent"));
                CommandSpec { arg0, args, ..CommandSpec::new(&self.this_program) }
            }
            Launch::Command { program: named, args } => {
                let asked = found.as_ref().and_then(|found| found.args.as_deref());
                CommandSpec { args: words(asked.unwrap_or(args)), ..CommandSpec::new(program(named)) }
            }
            Launch::InstallOnly { program: named } => CommandSpec::new(program(named)),
        };
        let speaks = matches!(agent.launch, Launch::Command { .. });
        let beside = found.as_ref().filter(|found| speaks && found.version.is_some());
        let beside = beside.and_then(|found| self.installer.search_path_beside(&found.program));
        command.env = beside.map(|path| ("PATH".into(), path)).into_iter().collect();
        let sources = found.iter().flat_map(|found| &found.env).chain(&agent.env);
        command.env.extend(sources.map(|(name, value)| (name.into(), value.into())));
        Launchable { command, version: found.and_then(|found| found.version) }
    }

    /// Returns whether missing agents are installed on first use.
    pub fn installs(&self) -> bool {
        self.preinstall == Preinstall::Lazy
    }
}
