//! The trace context, on to agents and receivers of webhooks.

use crate::collector::Collector;
use crate::scene::{PARENT, Session, TRACE};
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox, puppet_path};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns a daemon's arguments that make the puppet an agent that notes what it reads.
fn scripted(sandbox: &Sandbox) -> Result<String> {
    let script = sandbox.path("script.json");
    std::fs::write(&script, json!({}).to_string())?;
    Ok(format!("[agents.scripted]\ncommand = {:?}\nargs = [\"--play\", {:?}]\n", puppet_path()?, script))
}

fn prompts(sandbox: &Sandbox) -> Vec<Value> {
    let journal = std::fs::read_to_string(sandbox.path("script.log")).unwrap_or_default();
    let entries = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    entries
        .map(|entry| entry["message"].clone())
        .filter(|message| message["method"] == "session/prompt")
        .collect()
}

#[tokio::test]
async fn a_prompt_carries_the_context_of_its_turn() -> Result<()> {
    let collector = Collector::start().await?;
    let sandbox = Arc::new(Sandbox::new()?);
    let daemon =
        collector.daemon().sandbox(Arc::clone(&sandbox)).config(&scripted(&sandbox)?).start().await?;
    let session = Session::create(&daemon, json!({"agent": "scripted"})).await?;
    session.send("hello").await?;
    let meta = sa_e2e::poll("the prompt", async || {
        Ok(prompts(&sandbox).first().map(|prompt| prompt["params"]["_meta"].clone()))
    })
    .await?;
    let turn = collector.span("invoke_agent scripted").await?;
    assert_eq!(meta["traceparent"], format!("00-{TRACE}-{}-01", turn.id), "{meta}");
    assert_eq!(meta["tracestate"], "vendor=kept");
    Ok(())
}

#[tokio::test]
async fn without_a_collector_the_context_is_passed_on_as_it_came() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let daemon = Daemon::builder().sandbox(Arc::clone(&sandbox)).config(&scripted(&sandbox)?).start().await?;
    let session = Session::create(&daemon, json!({"agent": "scripted"})).await?;
    session.send("hello").await?;
    let meta = sa_e2e::poll("the prompt", async || {
        Ok(prompts(&sandbox).first().map(|prompt| prompt["params"]["_meta"].clone()))
    })
    .await?;
    assert_eq!(meta["traceparent"], format!("00-{TRACE}-{PARENT}-01"));
    session.turn("no context").await?;
    let second = prompts(&sandbox).pop().context("a second prompt")?;
    assert_eq!(second["params"].get("_meta"), None, "{second}");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_is_started_for_a_turn_gets_its_context_in_the_environment() -> Result<()> {
    let collector = Collector::start().await?;
    let mut daemon = collector.daemon().start().await?;
    let sandbox = daemon.sandbox();
    Session::create(&daemon, json!({})).await?;
    daemon.signal(sa_testkit::Signal::TERM);
    daemon.exited().await?;
    let daemon = collector.daemon().sandbox(sandbox).start().await?;
    let text = "env TRACEPARENT";
    let request = daemon.http().post("/v1/sessions/s/messages/stream");
    let request = request.header("traceparent", &format!("00-{TRACE}-{PARENT}-01"));
    let events =
        request.json(json!({ "message": text }).to_string()).send().await?.expect_status(200)?.text();
    assert!(events.contains("TRACEPARENT is set"), "{events}");
    Ok(())
}
