//! `sandbox-agent api config …`.

use anyhow::Result;
use sa_testkit::{Daemon, Finished, daemon_path};
use serde_json::{Value, json};

async fn run(daemon: &Daemon, arguments: &[&str]) -> Result<Finished> {
    let mut command = daemon.sandbox().command(daemon_path()?);
    command.env("SANDBOX_AGENT_ENDPOINT", daemon.base_url());
    command.env("SANDBOX_AGENT_TOKEN", daemon.token().unwrap_or_default());
    command.args(["api", "config"]).args(arguments);
    Finished::wait(command).await
}

async fn output(daemon: &Daemon, arguments: &[&str]) -> Result<String> {
    let ended = run(daemon, arguments).await?;
    assert!(ended.status.success(), "{arguments:?}: {ended}");
    Ok(ended.stdout)
}

#[tokio::test]
async fn entries_are_set_shown_listed_and_deleted() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let server = r#"{"type": "stdio", "command": "npx", "args": ["-y", "files"], "x-own": 1}"#;
    output(&daemon, &["mcp", "set", "files", "-d", "/ws", "--json", server]).await?;
    let shown: Value = serde_json::from_str(&output(&daemon, &["mcp", "get", "files", "-d", "/ws"]).await?)?;
    assert_eq!(shown, json!({"type": "local", "command": "npx", "args": ["-y", "files"], "x-own": 1}));
    let list = output(&daemon, &["mcp", "list", "-d", "/ws"]).await?;
    assert_eq!(list, "NAME   TYPE   SERVER\nfiles  local  npx -y files\n");
    output(&daemon, &["mcp", "delete", "files", "-d", "/ws"]).await?;
    let gone = run(&daemon, &["mcp", "get", "files", "-d", "/ws"]).await?;
    assert!(gone.status.code() == Some(1) && gone.stderr.contains("404"), "{gone}");

    let path = daemon.sandbox().path("skills.json");
    std::fs::write(&path, r#"{"sources": [{"type": "github", "source": "a/b"}]}"#)?;
    output(&daemon, &["skills", "set", "s", "--file", path.to_str().unwrap()]).await?;
    assert_eq!(output(&daemon, &["skills", "list"]).await?, "NAME  SOURCES\ns     github:a/b\n");
    let shown: Value = serde_json::from_str(&output(&daemon, &["skills", "get", "s"]).await?)?;
    assert_eq!(shown["sources"][0]["source"], "a/b");
    output(&daemon, &["skills", "delete", "s"]).await?;
    let wrong = run(&daemon, &["mcp", "set", "x", "--json", "{"]).await?;
    assert_eq!(wrong.status.code(), Some(64), "{wrong}");
    Ok(())
}
