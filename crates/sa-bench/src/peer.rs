//! Other servers that do some of the daemon's work, started and asked in the same way.

use crate::process::{Programs, Server};
use crate::wire;
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A server of a comparison: the daemon itself or one of another project.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    /// The route that says that it is up.
    pub(crate) health: &'static str,
    /// The name under which it starts the stand-in agent, if it relays ACP.
    pub(crate) agent: Option<&'static str>,
    /// The request that runs `true` and waits for its end.
    pub(crate) command: (&'static str, &'static str),
    kind: Kind,
}

enum Kind {
    Daemon,
    SandboxAgent(PathBuf),
    OpenHands(PathBuf),
}

/// The route and the body that run a command, which both daemons have in common.
const RUN: (&str, &str) = ("/v1/processes/run", r#"{"command":"true"}"#);

/// Returns the daemon of rivet-dev/sandbox-agent, if it is installed.
pub(crate) fn sandbox_agent(programs: &Programs) -> Option<Contender> {
    programs.peer.clone().map(|program| Contender {
        name: "rivet-dev/sandbox-agent 0.4.2",
        health: "/v1/health",
        // Agents are a fixed list there; this one's launcher is replaced.
        agent: Some("amp"),
        command: RUN,
        kind: Kind::SandboxAgent(program),
    })
}

/// Returns the daemon and the other servers that are installed.
pub(crate) fn contenders(programs: &Programs) -> Vec<Contender> {
    let daemon = Contender {
        name: "sandbox-agent",
        health: "/v1/health",
        agent: Some("bench"),
        command: RUN,
        kind: Kind::Daemon,
    };
    let openhands = programs.openhands.clone().map(|program| Contender {
        name: "OpenHands agent-server",
        health: "/health",
        agent: None,
        command: ("/api/bash/execute_bash_command", r#"{"command":"true"}"#),
        kind: Kind::OpenHands(program),
    });
    [Some(daemon), sandbox_agent(programs), openhands].into_iter().flatten().collect()
}

impl Contender {
    /// Starts it and waits until it listens.
    pub(crate) fn start(&self, programs: &Programs) -> Result<Server> {
        match &self.kind {
            Kind::Daemon => Server::daemon(programs, &[]),
            Kind::SandboxAgent(program) => {
                let flags = ["server", "--no-token", "--no-telemetry", "--host", "127.0.0.1", "--port"];
                Server::foreign(
                    |port| {
                        let mut command = Command::new(program);
                        command.args(flags).arg(port).env("SANDBOX_AGENT_REQUIRE_PREINSTALL", "1");
                        command
                    },
                    |home| launcher(home, &programs.agent),
                )
            }
            Kind::OpenHands(python) => Server::foreign(
                |port| {
                    let mut command = Command::new(python);
                    command.args(["-m", "openhands.agent_server", "--host", "127.0.0.1", "--port", port]);
                    command
                },
                |_| Ok(()),
            ),
        }
    }

    /// Returns the bytes that an installation takes.
    pub(crate) fn installed_bytes(&self, programs: &Programs) -> Result<u64> {
        match &self.kind {
            Kind::Daemon => crate::scenario::loaded_bytes(&programs.daemon),
            Kind::SandboxAgent(program) => Ok(fs::metadata(program)?.len()),
            Kind::OpenHands(python) => {
                let environment = python.ancestors().nth(2).context("no virtual environment")?;
                folder_bytes(&environment.join("lib"))
            }
        }
    }

    /// Returns the request that runs a command.
    pub(crate) fn run_command(&self) -> Vec<u8> {
        wire::post(self.command.0, self.command.1)
    }
}

/// Puts a launcher of the stand-in agent where the other daemon looks for that of an agent it knows.
fn launcher(home: &Path, agent: &Path) -> Result<()> {
    let folder = home.join(".local/share/sandbox-agent/bin/agent_processes");
    fs::create_dir_all(&folder)?;
    let path = folder.join("amp-acp");
    let agent = agent.to_str().context("the agent's path is not UTF-8")?;
    fs::write(&path, format!("#!/bin/sh\nexec {}\n", shlex::try_quote(agent)?))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

fn folder_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { folder_bytes(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}
