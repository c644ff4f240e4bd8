//! The examination: the machine first, then each agent.

use crate::machine::Machine;
use crate::{Report, agent};
use sa_agents::AgentSpec;
use sa_credentials::Host;
use sa_install::Launcher;
use sa_probe::Probe;
use sa_supervisor::Supervisor;
use std::path::{Path, PathBuf};

/// Looks at what agents need, with these instruments.
pub struct Doctor {
    /// Finds and starts programs.
    pub launcher: Launcher,
    pub probe: Probe,
    /// Runs `--version`.
    pub supervisor: Supervisor,
    /// The places of credentials, and the environment of agents.
    pub host: Host,
    pub machine: Machine,
    /// Set if no network request may be made.
    pub offline: bool,
}

impl Doctor {
    /// Examines the requirements of every agent on this machine.
    pub fn examine_machine(&self) -> Report {
        Report { agent: None, findings: self.machine.examine(&self.host.home) }
    }

    pub async fn examine(&self, agent: &AgentSpec) -> Report {
        Report { agent: Some(agent.id.clone()), findings: agent::examine(self, agent).await }
    }

    /// Returns whether agents use a proxy.
    pub(crate) fn is_proxied(&self) -> bool {
        let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
        names.iter().any(|name| self.host.environment.get(*name).is_some_and(|value| !value.is_empty()))
    }

    pub(crate) fn search(&self, name: &str) -> Option<PathBuf> {
        self.machine.search(name)
    }

    /// Returns a program by its name or path, as starting it would find it.
    pub(crate) fn locate(&self, name: &str) -> Option<PathBuf> {
        if name.contains('/') { Path::new(name).exists().then(|| name.into()) } else { self.search(name) }
    }
}
