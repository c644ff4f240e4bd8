//! An agent's own session: opened again, kept through trouble, closed when nobody needs it.

use crate::api::{Api, ending, of_kind};
use crate::script::{Script, permission};
use anyhow::Result;
use sa_testkit::{Daemon, Signal, puppet_path};
use serde_json::{Value, json};
use std::time::Duration;

fn failure(message: &str, kind: &str) -> Value {
    json!({"error": {"code": -32603, "message": message, "data": {"errorKind": kind}}})
}

async fn restarted(script: &Script, mut daemon: Daemon) -> Result<Daemon> {
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    script.daemon("").start().await
}

/// Returns the texts that the agent got with each of its prompts.
fn prompts(script: &Script) -> Vec<Vec<String>> {
    let texts = |prompt: &Value| {
        let blocks = prompt["params"]["prompt"].as_array().cloned().unwrap_or_default();
        blocks.iter().filter_map(|block| block["text"].as_str().map(str::to_owned)).collect()
    };
    script.heard("session/prompt").iter().map(texts).collect()
}

#[tokio::test]
async fn trouble_that_passes_costs_a_turn_and_not_the_conversation() -> Result<()> {
    let script = Script::new(&json!({
        "session/resume": [failure("Claude Code ended with signal 9", "process_exited"), {}],
    }))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"agent": "scripted"})).await?;
    api.turn("s", "first").await?;
    let daemon = restarted(&script, daemon).await?;
    let api = Api::of(&daemon);
    let events = api.turn("s", "second").await?;
    assert_eq!(ending(&events), "error");
    let error = &of_kind(&events, "error")[0]["message"];
    assert!(error.as_str().unwrap().contains("signal 9"), "{events:#?}");
    let events = api.turn("s", "third").await?;
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "native", "{events:#?}");
    assert_eq!(script.heard("session/new").len(), 1, "no other session was made");
    assert_eq!(prompts(&script), [["first"], ["third"]]);
    Ok(())
}

#[tokio::test]
async fn a_session_that_another_process_still_holds_is_waited_for() -> Result<()> {
    let busy = failure("thread 7 already has an active writer", "open_failed");
    let script = Script::new(&json!({"session/resume": [busy, busy, {}]}))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    for id in ["s", "neighbor"] {
        api.create_with(id, json!({"agent": "scripted"})).await?;
    }
    api.patch("s", json!({"env": {"Q": "1"}})).await?.expect_status(200)?;
    let events = api.turn("s", "go").await?;
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "native", "{events:#?}");
    let keys: Vec<Value> = script.journal().iter().map(|entry| entry["key"].clone()).collect();
    let at = |key: &str| keys.iter().position(|known| known == key).unwrap();
    assert!(at("session/close") < at("session/resume"), "it is closed first where it was: {keys:?}");
    assert_ne!(script.readers("session/close")[0], script.readers("session/resume")[0]);
    Ok(())
}

#[tokio::test]
async fn what_was_said_is_reported_until_the_agent_has_taken_it() -> Result<()> {
    let script = Script::new(&json!({
        "session/resume": [{"error": {"code": -32002, "message": "Resource not found"}}, {}],
        "session/prompt": [
            {},
            {"error": {"code": -32603, "message": "overloaded"}},
            {"result": {"stopReason": "refusal"}},
            {},
        ],
    }))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"agent": "scripted"})).await?;
    api.turn("s", "the first words").await?;
    let daemon = restarted(&script, daemon).await?;
    let api = Api::of(&daemon);
    let events = api.turn("s", "/compact now").await?;
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "replayed", "{events:#?}");
    assert_eq!(ending(&events), "error");
    assert_eq!(ending(&api.turn("s", "refused").await?), "refusal");
    let daemon = restarted(&script, daemon).await?;
    let api = Api::of(&daemon);
    let events = api.turn("s", "taken").await?;
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "replayed", "it never took it: {events:#?}");
    api.turn("s", "the last").await?;
    let prompts = prompts(&script);
    let lengths: Vec<usize> = prompts.iter().map(Vec::len).collect();
    assert_eq!(lengths, [1, 1, 2, 2, 1], "{prompts:#?}");
    assert_eq!(prompts[1], ["/compact now"], "a command is the whole prompt");
    for (prompt, words) in [(2, "refused"), (3, "taken")] {
        assert_eq!(prompts[prompt][0], words, "titles are made of the first words");
        assert!(prompts[prompt][1].contains("User: the first words"), "{prompts:#?}");
    }
    let daemon = restarted(&script, daemon).await?;
    let events = Api::of(&daemon).turn("s", "on").await?;
    assert_eq!(of_kind(&events, "continuity")[0]["kind"], "native", "{events:#?}");
    Ok(())
}

#[tokio::test]
async fn a_start_that_fails_closes_what_it_has_opened() -> Result<()> {
    let modes = json!({"currentModeId": "m0", "availableModes": [{"id": "m0", "name": "0"}, {"id": "m1", "name": "1"}]});
    let opened = |native: &str| json!({"result": {"sessionId": native, "modes": modes}});
    let late = json!({"id": 6, "result": {"sessionId": "late"}});
    let script = Script::new(&json!({
        "session/new": [opened("neighbor"), opened("failed"), {"hold": true}, {"first": [late]}],
        "session/set_mode": [failure("no", "odd")],
    }))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    api.create_with("neighbor", json!({"agent": "scripted"})).await?;
    let body = json!({"agent": "scripted", "agentMode": "m1"});
    let created = api.post("/s", &body).await?.expect_status(201)?.json()?;
    assert_eq!(created["healthy"], false, "{created:#}");
    let closed = script.hears("session/close", 1).await?;
    assert_eq!(closed[0]["params"]["sessionId"], "failed");
    // One that is given up while the agent opens it: the answer comes when nobody waits for it any more.
    let http = daemon.http().clone();
    let create =
        tokio::spawn(async move { http.post("/v1/sessions/t").json(r#"{"agent":"scripted"}"#).send().await });
    let held = script.hears("session/new", 3).await?;
    assert_eq!(held[2]["id"], 6, "the late answer is for this request");
    api.delete("t").await?.expect_status(204)?;
    create.await??.expect_status(201)?;
    api.create_with("u", json!({"agent": "scripted"})).await?;
    let closed = script.hears("session/close", 2).await?;
    assert_eq!(closed[1]["params"]["sessionId"], "late");
    let readers = script.readers("session/new");
    assert!(readers.iter().all(|reader| *reader == readers[0]), "all of it in one process: {readers:?}");
    Ok(())
}

#[tokio::test]
async fn a_process_whose_program_is_gone_is_not_joined() -> Result<()> {
    let missing = failure("Claude Code cannot be started: program not found", "spawn_failed");
    let script = Script::new(&json!({
        "session/new": [{}, {"result": {"sessionId": "b"}}, missing, {"result": {"sessionId": "c"}}, {"result": {"sessionId": "d"}}, missing],
        "session/prompt": [missing, {}],
    }))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    let create = async |id: &str| api.create_with(id, json!({"agent": "scripted"})).await;
    create("a").await?;
    create("b").await?;
    create("c").await?;
    let readers = script.readers("session/new");
    assert_eq!(readers.len(), 4, "the start that failed was made again: {readers:?}");
    assert!(
        readers[..3].iter().all(|reader| *reader == readers[0]) && readers[3] != readers[0],
        "{readers:?}"
    );
    // Another program under the same name is another process, too.
    let copy = script.file("another-version");
    std::fs::copy(puppet_path()?, &copy)?;
    script.link_program(&copy)?;
    create("d").await?;
    let readers = script.readers("session/new");
    assert!(!readers[..4].contains(&readers[4]), "{readers:?}");
    // A session that lost its program finds the one that is there now.
    let events = api.turn("a", "go").await?;
    assert_eq!(of_kind(&events, "error")[0]["kind"], "spawnFailed", "{events:#?}");
    assert_eq!(ending(&api.turn("a", "go on").await?), "endTurn");
    assert_eq!(script.readers("session/prompt")[1], readers[4], "it joined the new process");
    // A separate process does not help where the program is missing.
    let created = api.post("/e", &json!({"agent": "scripted"})).await?.expect_status(201)?.json()?;
    assert!(created["error"]["spawnFailed"]["message"].is_string(), "{created:#}");
    Ok(())
}

#[tokio::test]
async fn every_end_of_the_agent_is_in_the_log() -> Result<()> {
    // The agent exits right after each turn, just when the next message arrives.
    let script = Script::new(&json!({"session/prompt": [{"exit": 3}]}))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"agent": "scripted"})).await?;
    for _ in 0..8 {
        api.send("s", "go").await?;
    }
    api.turn("s", "go").await?;
    api.when("s", "the last end", |session| session["state"] == "interrupted").await?;
    let exits = of_kind(&api.events("s").await?, "error");
    assert!(exits.iter().all(|error| error["kind"] == "agentExited"), "{exits:#?}");
    assert_eq!(exits.len(), script.heard("initialize").len(), "{exits:#?}");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_asks_while_it_closes_gets_its_answer() -> Result<()> {
    let script = Script::new(&json!({
        "session/close": [{"hold": true, "first": [permission("q1", "t1")]}],
        "answer q1": [{"then": [{"id": "$id session/close", "result": {}}]}],
    }))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"agent": "scripted"})).await?;
    let ended = tokio::time::timeout(Duration::from_secs(10), api.act("/s/terminate")).await??;
    assert_eq!(ended.expect_status(200)?.json()?["permissions"], json!([]));
    assert_eq!(script.heard("answer q1")[0]["result"]["outcome"]["outcome"], "cancelled");
    Ok(())
}
