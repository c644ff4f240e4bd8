//! `api sessions …` and `sessions …`: each operation as a command.

use crate::caller::{Caller, rows};
use anyhow::Result;
use sa_testkit::{Daemon, Finished, daemon_path};
use serde_json::{Value, json};
use std::process::Command;

async fn asked(caller: &Caller, id: &str, list: &str) -> Result<String> {
    sa_e2e::poll(list, async || {
        let session = caller.json(&["sessions", "get", id, "--json"]).await?;
        Ok(session[list][0]["id"].as_str().map(str::to_owned))
    })
    .await
}

#[tokio::test]
async fn a_session_is_made_talked_to_and_ended() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let caller = Caller::of(&daemon);
    let api = async |words: &[&str]| caller.output(&[&["sessions"], words].concat()).await;
    let words = r#"create s --agent demo --permission-mode bypass --title Mine --metadata {"a":1} --model demo-small"#;
    let words: Vec<&str> = words.split(' ').collect();
    assert_eq!(api(&words).await?, "s\n");
    let list = api(&["list"]).await?;
    assert_eq!(rows(&list)[0][..3], ["s", "demo", "idle"], "{list}");
    assert!(api(&["get", "s"]).await?.contains("demo-small"));
    let patched =
        caller.json(&["sessions", "patch", "s", "--title", "New", "--model", "demo-large", "--json"]).await?;
    assert_eq!((&patched["title"], &patched["choices"]["model"]), (&json!("New"), &json!("demo-large")));
    let streamed = caller.run(&["sessions", "send", "s", "--stream", "say Hello there\nedit a.txt"]).await?;
    assert!(streamed.status.success() && streamed.stdout.contains("Hello there"), "{streamed}");
    assert!(streamed.stderr.contains("a.txt"), "tools are told aside: {streamed}");
    let failed = caller.run(&["sessions", "send", "s", "--stream", "error"]).await?;
    assert_eq!(failed.status.code(), Some(1), "{failed}");

    api(&["patch", "s", "--permission-mode", "default"]).await?;
    let fast = caller.json(&["sessions", "patch", "s", "--option", "fast=true", "--json"]).await?;
    assert_eq!(fast["options"], json!({"fast": true}));
    let refused = caller.complaint(&["sessions", "patch", "s", "--option", "fast=very"]).await?;
    assert!(refused.contains("its values are: true, false"), "{refused}");
    let turn = api(&["send", "s", "permission Do it\nquestion multi"]).await?;
    assert!(turn.starts_with("turn_"), "{turn}");
    let permission = asked(&caller, "s", "permissions").await?;
    api(&["decide", "s", &permission, "once"]).await?;
    let question = asked(&caller, "s", "questions").await?;
    api(&["answer", "s", &question, "--answers", r#"[["Apple","Cherry"]]"#]).await?;
    let late = caller.complaint(&["sessions", "reject", "s", &question]).await?;
    assert!(late.contains("409"), "{late}");
    let second = api(&["send", "s", "--idempotency-key", "k", "hang"]).await?;
    assert_eq!(api(&["send", "s", "--idempotency-key", "k", "hang"]).await?, second);
    sa_e2e::poll("the turn", async || {
        Ok((caller.json(&["sessions", "get", "s", "--json"]).await?["turn"]["turnId"]
            == json!(second.trim()))
        .then_some(()))
    })
    .await?;
    assert_eq!(api(&["cancel", "s"]).await?, second);
    let copy = caller.json(&["sessions", "fork", "s", "--new-id", "copy", "--json"]).await?;
    assert_eq!(copy["forkedFrom"], "s");
    let events = caller.run(&["sessions", "events", "s", "--limit", "3"]).await?;
    let lines: Vec<Value> = events.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() == 3 && lines[0]["id"] == 1 && events.stderr.contains("--after 3"), "{events}");

    let file = daemon.sandbox().path("s.jsonl");
    let path = file.to_str().unwrap();
    api(&["export", "s", "--to", path]).await?;
    assert_eq!(api(&["import", path, "--id", "moved"]).await?, "moved\n");
    assert_eq!(api(&["terminate", "s"]).await?, "ended\n");
    let followed = caller.run(&["sessions", "follow", "s", "--json"]).await?;
    assert!(followed.status.success(), "it ends with the session: {followed}");
    assert!(followed.stdout.lines().last().unwrap().contains("\"ended\""), "{followed}");
    api(&["delete", "s"]).await?;
    api(&["delete", "s"]).await?;
    assert!(caller.complaint(&["sessions", "get", "s"]).await?.contains("session 's' does not exist"));
    Ok(())
}

#[tokio::test]
async fn sessions_are_taken_along_under_their_short_name() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let caller = Caller::of(&daemon);
    caller.output(&["sessions", "create", "s", "--agent", "demo"]).await?;
    let exported = Finished::wait(command(&daemon, &["sessions", "export", "s"])?).await?;
    assert!(exported.status.success() && exported.stdout.lines().count() > 1, "{exported}");
    let file = daemon.sandbox().path("s.jsonl");
    std::fs::write(&file, &exported.stdout)?;
    let imported =
        Finished::wait(command(&daemon, &["sessions", "import", file.to_str().unwrap(), "--id", "t"])?)
            .await?;
    assert_eq!(imported.stdout, "t\n", "{imported}");
    Ok(())
}

/// `sandbox-agent` with the daemon's address and token in the environment.
fn command(daemon: &Daemon, words: &[&str]) -> Result<Command> {
    let mut command = daemon.sandbox().command(daemon_path()?);
    command.env("SANDBOX_AGENT_ENDPOINT", daemon.base_url()).args(words);
    if let Some(token) = daemon.token() {
        command.env("SANDBOX_AGENT_TOKEN", token);
    }
    Ok(command)
}

#[tokio::test]
async fn a_session_is_read() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let caller = Caller::of(&daemon);
    caller.output(&["sessions", "create", "s", "--agent", "demo", "--permission-mode", "bypass"]).await?;
    for message in ["say Hello there\nedit a.txt", "say more"] {
        let sent = caller.run(&["sessions", "send", "s", "--stream", message]).await?;
        assert!(sent.status.success(), "{sent}");
    }
    let words =
        ["sessions", "events", "s", "--types", "turnStarted,turnEnded", "--no-deltas", "--limit", "2"];
    let turns = caller.run(&words).await?.stdout;
    let kinds: Vec<Value> =
        turns.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["type"].clone()).collect();
    assert_eq!(kinds, ["turnStarted", "turnEnded"]);
    let unknown = caller.run(&["sessions", "events", "s", "--types", "nonsense"]).await?;
    assert!(unknown.status.code() == Some(64) && unknown.stderr.contains("known are: started,"), "{unknown}");
    let transcript = caller.run(&["sessions", "messages", "s", "--limit", "3"]).await?.stdout;
    assert_eq!(
        transcript.lines().take(3).collect::<Vec<_>>(),
        ["> say Hello there", "> edit a.txt", "Hello there"]
    );
    let newest =
        caller.json(&["sessions", "messages", "s", "--order", "desc", "--limit", "1", "--json"]).await?;
    let next = newest["next"].to_string();
    let older =
        caller.json(&["sessions", "messages", "s", "--order", "desc", "--after", &next, "--json"]).await?;
    assert_ne!(newest["messages"][0]["id"], older["messages"][0]["id"]);
    Ok(())
}
