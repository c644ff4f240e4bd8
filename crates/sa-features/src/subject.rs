//! Agents under test.

use crate::backing;
use crate::feature::Feature;
use crate::render;
use crate::script::Script;
use crate::stage::Setup;
use anyhow::{Context, Result};
use sa_model::ModelServer;
use sa_testkit::{DaemonBuilder, Installed, Sandbox, daemon_path, installed};
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
    /// The id in the daemon.
    pub agent: &'static str,
    /// The newest, if none is given.
    pub version: Option<&'static str>,
    /// The names of its modes.
    pub(crate) modes: Modes,
    /// The features that are tried; all of them if none is named.
    only: &'static [&'static str],
    kind: Kind,
}

/// Modes that every agent has in some form.
#[derive(Debug)]
pub(crate) struct Modes {
    /// Asks before it changes anything.
    pub(crate) ask: &'static str,
    pub(crate) plan: &'static str,
    pub(crate) bypass: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Demo,
    Claude,
    Codex,
    Amp,
    Pi,
    OpenCode,
    Gemini,
    Copilot,
}

const CLAUDE_MODES: Modes = Modes { ask: "default", plan: "plan", bypass: "bypassPermissions" };

const CODEX_MODES: Modes = Modes { ask: "default", plan: "plan", bypass: "bypass" };

/// All of them.
pub static SUBJECTS: [Subject; 10] = [
    Subject {
        name: "demo",
        label: "Demo",
        agent: "demo",
        version: None,
        modes: Modes { ask: "ask", plan: "plan", bypass: "bypass" },
        only: &[],
        kind: Kind::Demo,
    },
    Subject {
        name: "claude",
        label: "Claude Code (newest)",
        agent: "claude",
        version: None,
        modes: CLAUDE_MODES,
        only: &[],
        kind: Kind::Claude,
    },
    Subject {
        name: "claude_2_1_197",
        label: "Claude Code 2.1.197",
        agent: "claude",
        version: Some("2.1.197"),
        modes: CLAUDE_MODES,
        only: &[],
        kind: Kind::Claude,
    },
    Subject {
        name: "codex",
        label: "Codex (newest)",
        agent: "codex",
        version: None,
        modes: CODEX_MODES,
        only: &[],
        kind: Kind::Codex,
    },
    Subject {
        name: "codex_0_144_0",
        label: "Codex 0.144.0",
        agent: "codex",
        version: Some("0.144.0"),
        modes: CODEX_MODES,
        only: &[],
        kind: Kind::Codex,
    },
    Subject {
        name: "amp",
        label: "Amp 2026-04-27",
        agent: "amp",
        version: Some("0.0.1777266064-g47b6f7"),
        modes: CODEX_MODES,
        only: &[],
        kind: Kind::Amp,
    },
    Subject {
        name: "pi",
        label: "Pi 0.74.2",
        agent: "pi",
        version: Some("0.74.2"),
        modes: CODEX_MODES,
        only: &[],
        kind: Kind::Pi,
    },
    Subject {
        name: "opencode",
        label: "OpenCode (newest)",
        agent: "opencode",
        version: None,
        modes: CODEX_MODES,
        only: &[],
        kind: Kind::OpenCode,
    },
    Subject {
        name: "gemini",
        label: "Gemini CLI (newest)",
        agent: "gemini",
        version: None,
        modes: Modes { ask: "default", plan: "plan", bypass: "yolo" },
        only: &backing::GEMINI,
        kind: Kind::Gemini,
    },
    Subject {
        name: "copilot",
        label: "Copilot CLI (newest)",
        agent: "copilot",
        version: None,
        modes: backing::COPILOT_MODES,
        only: &backing::COPILOT,
        kind: Kind::Copilot,
    },
];

/// The agent that writes unknown lines.
const NOISY: &str = "noisy";

/// The agent whose program has no helpers.
const BARE: &str = "bare";

/// A key that only the scripted model takes.
const KEY: &str = "sk-ant-scripted";

impl Subject {
    pub fn tries(&self, feature: &Feature) -> bool {
        self.only.is_empty() || self.only.contains(&feature.id)
    }

    /// Returns whether a model is behind it.
    pub(crate) fn has_model(&self) -> bool {
        self.kind != Kind::Demo
    }

    /// Returns the query by which the daemon starts it.
    pub(crate) fn query(&self, setup: Setup) -> String {
        match (self.version, self.special(setup)) {
            (_, Some(name)) => format!("?agent={name}"),
            (Some(version), None) => format!("?agent={}&agentVersion={version}", self.agent),
            (None, None) => format!("?agent={}", self.agent),
        }
    }

    /// Returns the agent's id if its program is not the installed one.
    fn special(&self, setup: Setup) -> Option<&'static str> {
        if setup.noisy && self.kind != Kind::Demo {
            return Some(NOISY);
        }
        (setup.bare && self.sandboxed_mode().is_some()).then_some(BARE)
    }

    /// Returns a mode that needs the agent's own sandbox, which needs helpers.
    pub(crate) fn sandboxed_mode(&self) -> Option<&'static str> {
        (self.kind == Kind::Codex).then_some("auto")
    }

    /// Files with settings of the user's own, below the home directory, and something that may be in them.
    pub(crate) fn user_settings(&self) -> &'static [(&'static str, &'static str)] {
        match self.kind {
            Kind::Codex => &[(".codex/config.toml", "# Mine.\nhide_agent_reasoning = false\n")],
            Kind::Claude => &[(".claude/settings.json", "{\n  \"verbose\":   true\n}\n")],
            Kind::Amp => &[(
                ".config/amp/settings.json",
                "{\n  // Mine.\n  \"amp.notifications.enabled\": false,\n}\n",
            )],
            Kind::OpenCode => &[(
                ".config/opencode/opencode.jsonc",
                "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n  // Mine.\n  \"username\": \"me\",\n}\n",
            )],
            Kind::Pi => &[(".pi/agent/settings.json", "{\n  \"quietStartup\": true\n}\n")],
            Kind::Demo | Kind::Gemini | Kind::Copilot => &[],
        }
    }

    /// Returns a script as a prompt for it.
    pub(crate) fn render(&self, script: &Script) -> Result<String> {
        match self.kind {
            Kind::Demo => render::for_demo(script),
            Kind::Claude | Kind::Amp | Kind::Pi | Kind::Gemini | Kind::Copilot => {
                Ok(render::for_model(script))
            }
            Kind::Codex => Ok(render::for_codex(script)),
            Kind::OpenCode => Ok(render::for_opencode(script)),
        }
    }

    /// Makes the agent's own command `/greet`, which says "greeted by a command", and gives the prompt that calls it.
    pub(crate) fn greeting_command(&self, project: &Path) -> Result<&'static str> {
        let (file, head) = match self.kind {
            Kind::Demo => return Ok("/say greeted by a command"),
            Kind::Amp | Kind::Gemini | Kind::Copilot => return Ok("/greet"),
            Kind::Claude => (".claude/commands/greet.md", ""),
            Kind::Pi => (".pi/prompts/greet.md", ""),
            Kind::OpenCode => (".opencode/command/greet.md", ""),
            Kind::Codex => {
                (".agents/skills/greet/SKILL.md", "---\nname: greet\ndescription: Greets\n---\n\n")
            }
        };
        let file = project.join(file);
        fs::create_dir_all(file.parent().unwrap_or(project))?;
        fs::write(file, format!("{head}say: greeted by a command\n"))?;
        Ok("/greet")
    }

    /// Has the user's own settings allow everything that asks.
    pub(crate) fn allow_all(&self, home: &Path) -> Result<()> {
        if self.kind == Kind::Claude {
            let folder = home.join(".claude");
            fs::create_dir_all(&folder)?;
            let rules = r#"{"permissions":{"allow":["Bash(touch:*)","Write","Edit"]}}"#;
            fs::write(folder.join("settings.json"), rules)?;
        }
        if self.kind == Kind::OpenCode {
            let folder = home.join(".config/opencode");
            fs::create_dir_all(&folder)?;
            let rules = r#"{"permission":{"*":"allow","edit":{"*":"allow"},"bash":{"touch *":"allow"}}}"#;
            fs::write(folder.join("opencode.jsonc"), rules)?;
        }
        if self.kind == Kind::Amp {
            let folder = home.join(".config/amp");
            fs::create_dir_all(&folder)?;
            fs::write(
                folder.join("settings.json"),
                r#"{"amp.permissions":[{"tool":"*","action":"allow"}]}"#,
            )?;
        }
        Ok(())
    }

    /// Returns a model for which the agent keeps lists of things to do, if it does not for all.
    pub(crate) fn listing_model(&self) -> Option<&'static str> {
        (self.kind == Kind::Claude).then_some("claude-sonnet-4-5")
    }

    /// Returns an HTTP status after which it retries and reports that, in all of its versions.
    pub(crate) fn retried_status(&self) -> u16 {
        if self.kind == Kind::Codex { 403 } else { 429 }
    }

    /// Returns the name of the agent's own program, if it is a separate process.
    pub(crate) fn native_program(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Demo | Kind::Gemini | Kind::Copilot => None,
            Kind::Claude => Some("claude"),
            Kind::Amp => Some("node"),
            Kind::Pi => Some("pi"),
            Kind::Codex => Some("codex"),
            Kind::OpenCode => Some("opencode"),
        }
    }

    /// Returns whether trials share the agent: it serves many sessions, and takes long to start. The adapter of Amp starts the CLI
    /// once more than its sessions do, to ask which modes there are.
    pub(crate) fn shares_process(&self) -> bool {
        matches!(self.kind, Kind::Amp | Kind::Codex | Kind::OpenCode | Kind::Gemini | Kind::Copilot)
    }

    /// Returns whether each session has a separate process, which ends with it.
    pub(crate) fn has_process_per_session(&self) -> bool {
        matches!(self.kind, Kind::Claude | Kind::Amp | Kind::Pi)
    }

    /// Returns whether the agent may report nothing of a command that ends at once in its sandbox, or only its start.
    pub(crate) fn may_miss_short_commands(&self) -> bool {
        self.kind == Kind::Codex
    }

    /// Returns whether this version runs some commands that write as if they would only read, and asks nobody.
    pub(crate) fn takes_writers_for_readers(&self) -> bool {
        self.name == "codex_0_144_0"
    }

    /// Returns whether it stores a turn a moment after its end.
    pub(crate) fn stores_late(&self) -> bool {
        self.kind == Kind::Amp
    }

    /// Returns whether the client has to leave files and commands to it: it would take a client's answer about a
    /// missing file for a failure.
    pub(crate) fn works_alone(&self) -> bool {
        self.kind == Kind::Gemini
    }

    /// Returns whether prompts stay as they were when the conversation is summarized.
    pub(crate) fn keeps_prompts(&self) -> bool {
        self.kind == Kind::Codex
    }

    /// Returns whether a turn ends with the plan, so that nothing follows a rejected one.
    pub(crate) fn ends_with_plan(&self) -> bool {
        self.kind == Kind::Codex
    }

    /// Returns a daemon that can start the agent, with the model behind it. Without a key, the agent knows of none.
    pub(crate) async fn daemon(
        &self,
        sandbox: &Sandbox,
        model: &ModelServer,
        setup: Setup,
    ) -> Result<DaemonBuilder> {
        let mut builder = sa_testkit::Daemon::builder();
        if self.kind == Kind::Demo {
            return Ok(builder);
        }
        let installed = installed(self.agent, self.version).await?;
        installed.lend_to(sandbox)?;
        let keyed = !setup.keyless;
        let program = match self.special(setup) {
            Some(NOISY) => Some((NOISY, noisy_program(sandbox, &installed.program)?)),
            Some(name) => Some((name, bare_program(&installed)?)),
            None => None,
        };
        if let Some((name, program)) = program {
            let binary = daemon_path()?;
            let command = format!("{} acp {} --program {}", binary.display(), self.agent, program.display());
            builder = builder.agent(name, &command);
        }
        match self.kind {
            Kind::Amp => return Ok(backing::amp(builder, model, keyed)),
            Kind::Pi => return backing::pi(builder, model, sandbox, keyed),
            Kind::OpenCode => return backing::opencode(builder, model, sandbox, keyed),
            Kind::Gemini => return backing::gemini(builder, model, sandbox),
            Kind::Copilot => return Ok(backing::copilot(builder, model)),
            _ => {}
        }
        if self.kind == Kind::Codex {
            builder = builder.env("OPENAI_BASE_URL", &format!("{}/v1", model.url()));
            return Ok(if keyed { builder.env("CODEX_API_KEY", KEY) } else { builder });
        }
        builder = builder.env("ANTHROPIC_BASE_URL", &model.url());
        // Retries that come as fast as the CLI lets them, and not many: bodies wait for the last one.
        builder = builder.env("CLAUDE_CODE_MAX_RETRIES", "2");
        Ok(if keyed { builder.env("ANTHROPIC_API_KEY", KEY) } else { builder })
    }
}

/// Returns the CLI without its helpers but for the one that runs tools. It looks for them where its file is, so a
/// link by name is not enough.
fn bare_program(installed: &Installed) -> Result<PathBuf> {
    let folder = installed.data_dir.join("bare");
    fs::create_dir_all(&folder)?;
    let own = installed.program.parent().context("the folder of the program")?;
    for name in ["codex", "codex-code-mode-host"] {
        match fs::hard_link(own.join(name), folder.join(name)) {
            // Another trial was faster.
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
    }
    Ok(folder.join("codex"))
}

/// Returns the CLI, after two lines that it does not write in any version: one of an unknown type, and one that is no
/// JSON.
fn noisy_program(sandbox: &Sandbox, program: &Path) -> Result<PathBuf> {
    let path = sandbox.path("noisy");
    let text = format!(
        "#!/bin/sh\necho '{{\"type\":\"from_the_future\",\"method\":\"from/the/future\",\"noise\":1}}'\necho 'no JSON at all'\nexec '{}' \"$@\"\n",
        program.display()
    );
    fs::write(&path, text)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}
