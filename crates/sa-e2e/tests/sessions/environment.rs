//! Variables and credentials of one session: never kept, so asked for again.

use crate::api::{Api, ending, of_kind, said};
use anyhow::Result;
use sa_testkit::{Daemon, Sandbox, Signal};
use serde_json::{Value, json};
use std::sync::Arc;

/// Returns a machine on which the demo agent is also known as one that takes a credential.
fn with_keyed_agent() -> Result<Arc<Sandbox>> {
    let sandbox = Sandbox::new()?;
    let directory = sandbox.data_home().join("sandbox-agent");
    std::fs::create_dir_all(&directory)?;
    let keyed = "[keyed]\nbuiltin = \"demo\"\ntoken = { variable = \"DEMO_KEY\" }\n";
    std::fs::write(directory.join("agents.toml"), keyed)?;
    Ok(Arc::new(sandbox))
}

async fn after_a_crash(mut daemon: Daemon) -> Result<Daemon> {
    let sandbox = daemon.sandbox();
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    Daemon::builder().sandbox(sandbox).start().await
}

fn errors(events: &[Value]) -> Vec<String> {
    of_kind(events, "error").iter().filter_map(|error| error["kind"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn a_session_with_its_own_token_does_not_go_on_with_another() -> Result<()> {
    let daemon = Daemon::builder().sandbox(with_keyed_agent()?).start().await?;
    let api = Api::of(&daemon);
    let body = json!({"agent": "keyed", "token": "sk-its-own"});
    let created = api.post("/s", &body).await?.expect_status(201)?.json()?;
    assert_eq!(created["healthy"], true, "{created:#}");
    assert!(said(&api.turn("s", "env DEMO_KEY").await?).contains("DEMO_KEY is set"));
    let daemon = after_a_crash(daemon).await?;
    let api = Api::of(&daemon);
    let events = api.turn("s", "env DEMO_KEY").await?;
    assert_eq!((errors(&events), ending(&events)), (vec!["authRequired".to_owned()], json!("error")));
    assert!(of_kind(&events, "started").is_empty(), "no agent runs without the token: {events:#?}");
    let patched = api.patch("s", json!({"token": "sk-its-own"})).await?.expect_status(200)?;
    assert!(!patched.text().contains("sk-its-own"));
    let events = api.turn("s", "env DEMO_KEY").await?;
    assert!(said(&events).contains("DEMO_KEY is set"), "{events:#?}");
    assert_eq!(of_kind(&events, "continuity").len(), 1, "it goes on: {events:#?}");
    Ok(())
}

#[tokio::test]
async fn variables_that_are_gone_are_reported_and_may_be_given_again() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"env": {"ONE": "1"}})).await?;
    let daemon = after_a_crash(daemon).await?;
    let api = Api::of(&daemon);
    let events = api.turn("s", "env ONE").await?;
    assert!(said(&events).contains("ONE is not set"), "{events:#?}");
    let notice = &of_kind(&events, "notice")[0];
    assert!(notice["description"].as_str().is_some_and(|text| text.contains("ONE")), "{notice:#}");
    // The agent that runs is replaced, as a process keeps its environment; what it knows stays.
    api.patch("s", json!({"env": {"ONE": "1", "TWO": "2"}})).await?.expect_status(200)?;
    let events = api.turn("s", "env ONE\nenv TWO").await?;
    assert!(said(&events).contains("ONE is set") && said(&events).contains("TWO is set"), "{events:#?}");
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "native");
    assert!(of_kind(&events, "notice").is_empty(), "{events:#?}");
    let events = api.turn("s", "env TWO").await?;
    assert!(of_kind(&events, "started").is_empty(), "it is replaced once: {events:#?}");
    Ok(())
}

#[tokio::test]
async fn another_token_comes_with_the_next_turn_not_in_the_middle_of_one() -> Result<()> {
    let daemon = Daemon::builder().sandbox(with_keyed_agent()?).start().await?;
    let api = Api::of(&daemon);
    api.post("/s", &json!({"agent": "keyed"})).await?.expect_status(201)?;
    let asking = api.send("s", "question single\nsay went on").await?;
    api.asked("s", "questions").await?;
    api.patch("s", json!({"token": "sk-later"})).await?.expect_status(200)?;
    api.answer("s", json!([["Red"]])).await?;
    let events = api.turn_of("s", &asking).await?;
    assert!(said(&events).contains("went on"), "{events:#?}");
    assert!(said(&api.turn("s", "env DEMO_KEY").await?).contains("DEMO_KEY is set"));
    Ok(())
}
