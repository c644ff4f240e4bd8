//! Starts that take long, and clients that do not want to wait.

use crate::api::{Api, of_kind};
use crate::script::Script;
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpListener;

#[tokio::test]
async fn a_session_whose_skills_do_not_come_can_be_deleted() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    // A server that takes connections and never says anything.
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    let source = format!("http://{}/skills.git", silent.local_addr()?);
    let body = json!({
        "agent": "demo",
        "skills": {"far": {"sources": [{"type": "git", "source": source}]}},
    });
    let http = daemon.http().clone();
    let create = tokio::spawn(async move { http.post("/v1/sessions/s").json(body.to_string()).send().await });
    let (_connection, _) = silent.accept().await?;
    api.delete("s").await?.expect_status(204)?;
    let created = create.await??.expect_status(201)?.json()?;
    assert_eq!(created["healthy"], false, "{created:#}");
    api.get("/s").await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn why_an_agent_does_not_start_is_in_the_log() -> Result<()> {
    let daemon = Daemon::builder().agent("broken", "sh -c 'echo no luck >&2; exit 3'").start().await?;
    let api = Api::of(&daemon);
    api.post("/s", &json!({"agent": "broken"})).await?.expect_status(201)?;
    let errors = of_kind(&api.events("s").await?, "error");
    assert_eq!(errors.len(), 1, "{errors:#?}");
    assert_eq!(errors[0]["kind"], "agentExited");
    let events = api.turn("s", "say hi").await?;
    assert_eq!(of_kind(&events, "error").len(), 1, "it is told once: {events:#?}");
    Ok(())
}

#[tokio::test]
async fn who_has_sent_a_message_never_sees_an_idle_session() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for n in 0..20 {
        let id = format!("s{n}");
        api.create(&id).await?;
        api.send(&id, "hang").await?;
        assert_ne!(api.session(&id).await?["state"], "idle");
    }
    Ok(())
}

#[tokio::test]
async fn nobody_waits_for_an_agent_that_does_not_greet() -> Result<()> {
    let script = Script::new(&json!({"initialize": [{"hold": true}]}))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    let soon = Duration::from_secs(10);
    for (starts, end) in [(1, "terminate"), (2, "delete")] {
        let http = daemon.http().clone();
        let body = r#"{"agent":"scripted"}"#;
        let create = tokio::spawn(async move { http.post("/v1/sessions/s").json(body).send().await });
        // A message that comes before the agent's start would begin its turn.
        script.hears("initialize", starts).await?;
        let mut turns: Vec<Value> = Vec::new();
        for text in ["one", "two", "three"] {
            let accepted = tokio::time::timeout(soon, api.send("s", text)).await??;
            turns.push(accepted["turnId"].clone());
        }
        assert_eq!(api.session("s").await?["queued"], 3);
        if end == "terminate" {
            let ended = tokio::time::timeout(soon, api.act("/s/terminate")).await??;
            assert_eq!(ended.expect_status(200)?.json()?["state"], "ended");
            let ends = of_kind(&api.events("s").await?, "messageWithdrawn");
            let ended: Vec<Value> = ends.iter().map(|end| end["turnId"].clone()).collect();
            assert_eq!(ended, turns, "none of them is left open");
        }
        tokio::time::timeout(soon, api.delete("s")).await??.expect_status(204)?;
        assert_eq!(create.await??.expect_status(201)?.json()?["healthy"], false);
    }
    Ok(())
}
