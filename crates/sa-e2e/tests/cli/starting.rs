//! The first commands that people type: the daemon without a command, a model without a key, a diagnosis that leaves nothing behind.

use crate::caller::Caller;
use crate::running::Running;
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Finished, Http, Sandbox, Signal, daemon_path, send_signal};
use serde_json::json;

#[tokio::test]
async fn flags_without_a_command_start_the_daemon() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut command = sandbox.command(daemon_path()?);
    command.args(["--host", "127.0.0.1", "--port", "0", "--token", "s3cret"]);
    let mut daemon = Running::start(command)?;
    let line = daemon.line().await?;
    let url = line.strip_prefix("listening on ").context(line.clone())?;
    let mut call = sandbox.command(daemon_path()?);
    call.args(["api", "agents", "list", "--endpoint", url]).env("SANDBOX_AGENT_TOKEN", "s3cret");
    let called = Finished::wait(call).await?;
    assert!(called.status.success() && called.stdout.contains("demo"), "{called}");
    // The command that is printed uses a variable, which nobody has set here.
    let mut printed = String::new();
    while !printed.contains("curl") {
        printed += &daemon.line().await?;
    }
    assert!(
        printed.contains("export SANDBOX_AGENT_TOKEN=<token>") && !printed.contains("s3cret"),
        "{printed}"
    );
    Ok(())
}

#[tokio::test]
async fn a_daemon_on_a_lifeline_ends_when_its_standard_input_closes() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut command = sandbox.command(daemon_path()?);
    command.args(["server", "--port", "0", "--exit-on-stdin-close", "--log", "warn"]);
    command.env("SANDBOX_AGENT_TOKEN", "s3cret-s3cret");
    let mut daemon = Running::start(command)?;
    let line = daemon.line().await?;
    let url = line.strip_prefix("listening on ").context(line.clone())?.to_owned();
    // Input is no reason to end, and is not kept either.
    daemon.write(&"x".repeat(1 << 20))?;
    Http::new(&url, None)?.get("/v1/health").send().await?.expect_status(200)?;
    while !daemon.line().await?.contains("curl") {}
    daemon.line().await?;
    daemon.end_input();
    assert!(daemon.end().await?.success());
    Ok(())
}

#[tokio::test]
async fn the_model_says_where_it_listens_and_ends_with_a_signal() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut command = sandbox.command(daemon_path()?);
    command.args(["model"]);
    let mut model = Running::start(command)?;
    let line = model.line().await?;
    let url = line.strip_prefix("listening on ").context(line.clone())?.to_owned();
    let mut hints = String::new();
    while !hints.contains("/_model/requests") {
        hints += &model.line().await?;
        hints.push('\n');
    }
    let claude = format!("\nclaude    ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=scripted claude\n");
    assert!(hints.contains(&claude), "{hints}");

    let body = json!({
        "model": "scripted-1", "max_tokens": 100, "messages": [{"role": "user", "content": "say: hello from the script"}]
    });
    let answer = Http::new(&url, None)?
        .post("/v1/messages")
        .json(body.to_string())
        .send()
        .await?
        .expect_status(200)?
        .json()?;
    assert_eq!(answer["content"][0]["text"], json!("hello from the script"), "{answer}");
    send_signal(model.pid(), Signal::TERM);
    assert!(model.end().await?.success());

    let mut taken = sandbox.command(daemon_path()?);
    let port = std::net::TcpListener::bind("127.0.0.1:0")?;
    taken.args(["model", "--port", &port.local_addr()?.port().to_string()]);
    let refused = Finished::wait(taken).await?;
    assert!(
        refused.status.code() == Some(1) && refused.stderr.contains("cannot listen on 127.0.0.1:"),
        "{refused}"
    );
    Ok(())
}

#[tokio::test]
async fn a_diagnosis_leaves_nothing_behind() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let ended = sandbox.run(["doctor", "demo", "--offline"]).await?;
    assert!(ended.status.success(), "{ended}");
    assert!(ended.stdout.contains("handshake"), "the agent was started: {ended}");
    let kept: Vec<_> = std::fs::read_dir(sandbox.data_home())?.collect();
    assert!(kept.is_empty(), "{kept:?}");
    Ok(())
}

#[tokio::test]
async fn sessions_have_a_command_of_their_own() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    caller.output(&["sessions", "create", "short", "--agent", "demo"]).await?;
    let mut list = daemon.sandbox().command(daemon_path()?);
    list.args(["sessions", "list", "--endpoint", &daemon.base_url()]);
    list.env("SANDBOX_AGENT_TOKEN", daemon.token().unwrap_or_default());
    let listed = Finished::wait(list).await?;
    assert!(listed.status.success() && listed.stdout.contains("short"), "{listed}");
    // Operations go by their names in the contract, too.
    let sent = caller.run(&["sessions", "post-message", "short", "--stream", "say hello"]).await?;
    assert!(sent.status.success() && sent.stdout.contains("hello"), "{sent}");
    Ok(())
}
