//! `api sessions …`, `sessions …` and `run`: each operation as a command.

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

#[tokio::test]
async fn run_shows_what_an_agent_does_and_exits_as_it_ends() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let run = async |words: &[&str]| {
        Finished::wait(command(&daemon, &[&["run", "--agent", "demo"], words].concat())?).await
    };
    let done = run(&["--permission-mode", "bypass", "think Hm.\nsay Hello\ntool read Look"]).await?;
    assert!(done.status.success(), "{done}");
    assert_eq!(done.stdout, "Hello\n", "text alone is output: {done}");
    assert!(done.stderr.contains("Look"), "{done}");
    let rejected = run(&["permission Send it"]).await?;
    assert!(rejected.stderr.contains("Send it") && rejected.stdout.contains("reject_once"), "{rejected}");
    let allowed = run(&["--permission", "allow", "permission Send it\nquestion"]).await?;
    assert!(allowed.stdout.contains("allow_once"), "{allowed}");
    assert_eq!(run(&["error"]).await?.status.code(), Some(1));
    let json = run(&["--json", "--keep", "mine", "say x"]).await?;
    assert!(json.stdout.lines().last().unwrap().contains("turnEnded"), "{json}");
    let sessions = daemon.http().get("/v1/sessions").send().await?.json()?;
    let ids: Vec<&str> = sessions["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|session| session["sessionId"].as_str())
        .collect();
    assert_eq!(ids, ["mine"], "the others are forgotten");
    let unknown = Finished::wait(command(&daemon, &["run", "--agent", "nobody", "x"])?).await?;
    assert!(unknown.status.code() == Some(1) && unknown.stderr.contains("nobody"), "{unknown}");
    Ok(())
}

#[tokio::test]
async fn an_interrupt_stops_the_turn() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let mut command = command(&daemon, &["run", "--agent", "demo", "--keep", "s", "hang"])?;
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn()?;
    sa_e2e::poll("the turn", async || {
        let session = daemon.http().get("/v1/sessions/s").send().await?;
        Ok((session.status == 200 && session.json()?["state"] == json!("running")).then_some(()))
    })
    .await?;
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    assert!(interrupted.success());
    sa_testkit::until("the command to end", || child.try_wait().unwrap().is_some()).await?;
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("cancelled"), "{output:?}");
    Ok(())
}

/// `timeout`, systemd and a closed terminal send these signals.
#[tokio::test]
async fn a_run_that_is_terminated_leaves_no_session_behind() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for (signal, code) in [("-TERM", 143), ("-HUP", 129)] {
        let mut command = command(&daemon, &["run", "--agent", "demo", "hang"])?;
        let mut child =
            command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn()?;
        sa_e2e::poll("the turn", async || {
            let sessions = daemon.http().get("/v1/sessions").send().await?.json()?;
            Ok((sessions["sessions"][0]["state"] == json!("running")).then_some(()))
        })
        .await?;
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status()?.success());
        sa_testkit::until("the command to end", || child.try_wait().unwrap().is_some()).await?;
        assert_eq!(child.wait()?.code(), Some(code), "{signal}");
        let sessions = daemon.http().get("/v1/sessions").send().await?.json()?;
        assert_eq!(sessions["sessions"], json!([]), "{signal}");
    }
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
