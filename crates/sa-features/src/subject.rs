//! Agents under test.

use crate::render;
use crate::script::Script;
use anyhow::Result;
use sa_model::ModelServer;
use sa_testkit::{DaemonBuilder, Sandbox, daemon_path, installed};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// An agent in one of its versions.
#[derive(Debug)]
pub struct Subject {
    /// Names it in the names of trials.
    pub name: &'static str,
    /// Names it in the matrix.
    pub label: &'static str,
    /// Its id in the daemon.
    pub agent: &'static str,
    /// The newest, if none is given.
    pub version: Option<&'static str>,
    /// What its modes are called.
    pub(crate) modes: Modes,
    kind: Kind,
}

/// Modes that every agent has in some form.
#[derive(Debug)]
pub(crate) struct Modes {
    /// Asks before it changes anything.
    pub(crate) ask: &'static str,
    /// Reads only.
    pub(crate) plan: &'static str,
    /// Never asks.
    pub(crate) bypass: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Demo,
    Claude,
}

const CLAUDE_MODES: Modes = Modes { ask: "default", plan: "plan", bypass: "bypassPermissions" };

/// All of them.
pub static SUBJECTS: [Subject; 3] = [
    Subject {
        name: "demo",
        label: "Demo",
        agent: "demo",
        version: None,
        modes: Modes { ask: "ask", plan: "plan", bypass: "build" },
        kind: Kind::Demo,
    },
    Subject {
        name: "claude",
        label: "Claude Code (newest)",
        agent: "claude",
        version: None,
        modes: CLAUDE_MODES,
        kind: Kind::Claude,
    },
    Subject {
        name: "claude_2_1_197",
        label: "Claude Code 2.1.197",
        agent: "claude",
        version: Some("2.1.197"),
        modes: CLAUDE_MODES,
        kind: Kind::Claude,
    },
];

/// What the agent is called that writes lines which nobody knows.
const NOISY: &str = "noisy";

/// A key that only the scripted model takes.
const KEY: &str = "sk-ant-scripted";

impl Subject {
    /// Whether a model is behind it.
    pub(crate) fn has_model(&self) -> bool {
        self.kind != Kind::Demo
    }

    /// The query by which the daemon starts it.
    pub(crate) fn query(&self, noisy: bool) -> String {
        match (self.version, noisy && self.kind == Kind::Claude) {
            (_, true) => format!("?agent={NOISY}"),
            (Some(version), _) => format!("?agent={}&agentVersion={version}", self.agent),
            (None, _) => format!("?agent={}", self.agent),
        }
    }

    /// A script as a prompt for it.
    pub(crate) fn render(&self, script: &Script) -> Result<String> {
        match self.kind {
            Kind::Demo => render::for_demo(script),
            Kind::Claude => Ok(render::for_model(script)),
        }
    }

    /// Makes the agent's own command `/greet`, which says "greeted by a command", and gives the prompt that calls it.
    pub(crate) fn greeting_command(&self, project: &Path) -> Result<&'static str> {
        match self.kind {
            Kind::Demo => Ok("/say greeted by a command"),
            Kind::Claude => {
                let folder = project.join(".claude/commands");
                fs::create_dir_all(&folder)?;
                fs::write(folder.join("greet.md"), "say: greeted by a command\n")?;
                Ok("/greet")
            }
        }
    }

    /// Has the user's own settings allow everything that asks.
    pub(crate) fn allow_all(&self, home: &Path) -> Result<()> {
        if self.kind == Kind::Claude {
            let folder = home.join(".claude");
            fs::create_dir_all(&folder)?;
            let rules = r#"{"permissions":{"allow":["Bash(touch:*)","Write","Edit"]}}"#;
            fs::write(folder.join("settings.json"), rules)?;
        }
        Ok(())
    }

    /// A model for which the agent keeps lists of things to do, if it does not for all.
    pub(crate) fn listing_model(&self) -> Option<&'static str> {
        (self.kind == Kind::Claude).then_some("claude-sonnet-4-5")
    }

    /// What the agent's own program is called, if it is a process beside the agent.
    pub(crate) fn native_program(&self) -> Option<&'static str> {
        (self.kind == Kind::Claude).then_some("claude")
    }

    /// A daemon that can start the agent, with the model behind it. Without a key, the agent knows of none.
    pub(crate) async fn daemon(
        &self,
        sandbox: &Sandbox,
        model: &ModelServer,
        keyed: bool,
        noisy: bool,
    ) -> Result<DaemonBuilder> {
        let mut builder = sa_testkit::Daemon::builder();
        if self.kind == Kind::Demo {
            return Ok(builder);
        }
        let installed = installed(self.agent, self.version).await?;
        installed.lend_to(sandbox)?;
        if noisy {
            let program = noisy_program(sandbox, &installed.program)?;
            let binary = daemon_path()?;
            let command = format!("{} acp claude --program {}", binary.display(), program.display());
            builder = builder.agent(NOISY, &command);
        }
        builder = builder.env("ANTHROPIC_BASE_URL", &model.url());
        // Retries that come as fast as the CLI lets them, and not many: bodies wait for the last one.
        builder = builder.env("CLAUDE_CODE_MAX_RETRIES", "2");
        Ok(if keyed { builder.env("ANTHROPIC_API_KEY", KEY) } else { builder })
    }
}

/// The CLI, after two lines that it does not write in any version: one of an unknown type, and one that is no JSON.
fn noisy_program(sandbox: &Sandbox, program: &Path) -> Result<PathBuf> {
    let path = sandbox.path("noisy");
    let text = format!(
        "#!/bin/sh\necho '{{\"type\":\"from_the_future\",\"noise\":1}}'\necho 'no JSON at all'\nexec '{}' \"$@\"\n",
        program.display()
    );
    fs::write(&path, text)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}
