//! `sandbox-agent run` with a vendor's own program and the scripted model, without a daemon.

use crate::model::Model;
use anyhow::Result;
use sa_testkit::{Finished, Sandbox, bare_path, daemon_path, installed};
use std::process::Command;
use std::time::Duration;

/// Large programs on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

fn run(sandbox: &Sandbox, agent: &str, words: &[&str]) -> Result<Command> {
    let mut command = sandbox.command(daemon_path()?);
    command.args(["run", "--private", "--agent", agent]).args(words).current_dir(sandbox.home());
    command.env("PATH", bare_path(sandbox)?).env("SANDBOX_AGENT_REQUIRE_PREINSTALL", "true");
    Ok(command)
}

#[tokio::test]
async fn claude_runs_a_command_and_its_exit_code_is_shown() -> Result<()> {
    let sandbox = Sandbox::new()?;
    installed("claude", None).await?.lend_to(&sandbox)?;
    let model = Model::start(&sandbox)?;
    let script = "tool: shell {\"command\":\"echo out; exit 3\"}\nthen\nsay: It **failed**.";
    let mut command = run(&sandbox, "claude", &["--permission", "allow", script])?;
    command.env("ANTHROPIC_BASE_URL", &model.url).env("ANTHROPIC_API_KEY", "scripted");
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    let done = Finished::within(command, PATIENCE).await?;
    assert!(done.status.success(), "{done}");
    assert_eq!(done.stdout, "It **failed**.\n", "{done}");
    assert!(done.stderr.contains("✗ $ echo out; exit 3\n  out\n  exit code 3"), "{done}");
    assert!(done.stderr.contains(" tokens in, "), "{done}");
    Ok(())
}

#[tokio::test]
async fn a_missing_login_is_explained_in_words() -> Result<()> {
    let sandbox = Sandbox::new()?;
    installed("codex", None).await?.lend_to(&sandbox)?;
    let refused = Finished::within(run(&sandbox, "codex", &["hello"])?, PATIENCE).await?;
    assert_eq!(refused.status.code(), Some(4), "{refused}");
    assert!(refused.stderr.contains("codex is not logged in"), "{refused}");
    assert!(refused.stderr.contains("CODEX_API_KEY"), "{refused}");
    assert!(!refused.stderr.contains(['{', '}']), "{refused}");
    Ok(())
}
