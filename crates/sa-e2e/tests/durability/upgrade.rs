//! Stores of earlier versions, as daemons of those versions left them when they were killed. `version-4.ndjson.gz` has the events of
//! two sessions of its store, `records-1.json.gz` has all sessions of its own, as those daemons sent them.

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use sa_testkit::{Daemon, Http, Sandbox, Signal};
use serde_json::{Value, json};
use std::fs;
use std::io::Read as _;
use std::sync::Arc;

const STORE: &[u8] = include_bytes!("version-4.db.gz");
const EVENTS: &[u8] = include_bytes!("version-4.ndjson.gz");
const RECORDS: &[u8] = include_bytes!("records-1.db.gz");
const SESSIONS: &[u8] = include_bytes!("records-1.json.gz");

fn unpacked(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    GzDecoder::new(bytes).read_to_end(&mut plain)?;
    Ok(plain)
}

async fn home(stored: &[u8]) -> Result<Arc<Sandbox>> {
    let mut daemon = Daemon::builder().start().await?;
    daemon.stop().await?;
    let sandbox = daemon.sandbox();
    let store = crate::damage::find(sandbox.home()).context("a store")?;
    fs::write(store, unpacked(stored)?)?;
    Ok(sandbox)
}

async fn get(http: &Http, path: &str) -> Result<Value> {
    http.get(&format!("/v1/sessions{path}")).send().await?.expect_status(200)?.json()
}

/// Returns the events of a session as they are exported, byte for byte.
async fn exported(http: &Http, id: &str) -> Result<String> {
    let lines = http.get(&format!("/v1/sessions/{id}/export")).send().await?.expect_status(200)?.text();
    Ok(lines.split_once('\n').context("a record")?.1.to_owned())
}

/// Checks everything that the sessions of the store promise.
async fn verify(http: &Http) -> Result<()> {
    let events = String::from_utf8(unpacked(EVENTS)?)?;
    let (talk, done) = (exported(http, "talk").await?, exported(http, "done").await?);
    ensure!(talk + &done == events, "events are not as they were");
    let ended = get(http, "/done").await?;
    ensure!(ended["state"] == "ended" && ended["title"] == "Finished", "{ended}");
    let list = get(http, "?metadata=team:web").await?;
    ensure!(list["sessions"][0]["sessionId"] == "talk" && list["hasMore"] == json!(false), "{list}");
    ensure!(get(http, "").await?["sessions"].as_array().map(Vec::len) == Some(4), "a session is missing");
    let transcript = get(http, "/talk/messages").await?;
    ensure!(transcript["messages"].as_array().is_some_and(|messages| messages.len() >= 4), "{transcript}");
    let cut = get(http, "/cut").await?;
    ensure!(cut["state"] == "interrupted" && cut["queueHeld"] == json!(true), "{cut}");
    Ok(())
}

#[tokio::test]
async fn sessions_of_an_earlier_version_are_as_they_were_and_go_on() -> Result<()> {
    let daemon = Daemon::builder().sandbox(home(STORE).await?).start().await?;
    let http = daemon.http();
    verify(http).await?;
    let body = json!({"agent": "demo", "cwd": "/tmp", "title": "Keyed"}).to_string();
    let keyed = http.post("/v1/sessions").header("idempotency-key", "k-new").json(body).send().await?;
    ensure!(keyed.status == 200, "the key of a session was forgotten: {}", keyed.status);
    let sent = |key: &str| {
        let request = http.post("/v1/sessions/talk/messages").header("idempotency-key", key);
        request.json(json!({"message": "say Hello"}).to_string()).send()
    };
    let known = sent("k-talk").await?.expect_status(202)?.json()?;
    ensure!(known["eventId"] == 4, "the key of a message was forgotten: {known}");
    let before = get(http, "/talk").await?["lastEventId"].as_u64().context("an id")?;
    let next = sent("new").await?.expect_status(202)?.json()?;
    ensure!(next["eventId"].as_u64() > Some(before), "{next}");
    sa_e2e::poll("the turn's end", async || Ok((get(http, "/talk").await?["state"] == "idle").then_some(())))
        .await?;
    let tail = get(http, &format!("/talk/events?after={}", before - 5)).await?;
    let ids: Vec<u64> = tail["events"]
        .as_array()
        .context("events")?
        .iter()
        .filter_map(|event| event["id"].as_u64())
        .collect();
    ensure!(ids.iter().copied().eq(before - 4..=ids[ids.len() - 1]), "{ids:?}");
    Ok(())
}

#[tokio::test]
async fn a_store_that_was_brought_up_outlives_kills() -> Result<()> {
    let sandbox = home(STORE).await?;
    for _ in 0..3 {
        let mut daemon = Daemon::builder().sandbox(Arc::clone(&sandbox)).start().await?;
        verify(daemon.http()).await?;
        daemon.signal(Signal::KILL);
        daemon.exited().await?;
    }
    Ok(())
}

/// Members of a session that a restart does not change.
const SETTINGS: &[&str] = &[
    "agent",
    "agentMode",
    "choices",
    "createdAt",
    "cwd",
    "error",
    "forkedFrom",
    "healthy",
    "metadata",
    "model",
    "nativeSessionId",
    "options",
    "permissionMode",
    "queue",
    "title",
    "usage",
    "variant",
];

#[tokio::test]
async fn records_of_the_first_release_have_every_setting_event_and_figure() -> Result<()> {
    let daemon = Daemon::builder().sandbox(home(RECORDS).await?).start().await?;
    let http = daemon.http();
    let before: Value = serde_json::from_slice(&unpacked(SESSIONS)?)?;
    let sessions = before["sessions"].as_array().context("sessions")?;
    ensure!(get(http, "").await?["sessions"].as_array().map(Vec::len) == Some(sessions.len()));
    for known in sessions {
        let was = &known["session"];
        let id = was["sessionId"].as_str().context("an id")?;
        let now = get(http, &format!("/{id}")).await?;
        for member in SETTINGS {
            ensure!(
                now[*member] == was[*member],
                "{id}: {member} is {} and was {}",
                now[*member],
                was[*member]
            );
        }
        ensure!(now["webhook"]["url"] == was["webhook"]["url"], "{now}");
        let lines = http.get(&format!("/v1/sessions/{id}/export")).send().await?.expect_status(200)?.text();
        let lines: Vec<Value> = lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let (head, events) = lines.split_first().context("a record")?;
        for member in ["agent", "mcp", "policy", "skills"] {
            ensure!(head["record"]["request"][member] == known["request"][member], "{id}: {member}: {head}");
        }
        ensure!(
            events.starts_with(known["events"].as_array().context("events")?),
            "{id}: events are missing"
        );
    }
    let usage = http.get("/v1/usage").send().await?.expect_status(200)?.json()?;
    for figure in ["costs", "inputTokens", "outputTokens", "totalTokens"] {
        ensure!(usage["total"][figure] == before["usage"]["total"][figure], "{figure}: {usage}");
    }
    // The messages that waited are sent once a client says so, in the order that was chosen.
    let first = &get(http, "/asks").await?["queue"][0]["messageId"];
    http.post("/v1/sessions/asks/resume").json("{}").send().await?.expect_status(200)?;
    sa_e2e::poll("the turn of the first message that waited", async || {
        let started = get(http, "/asks/events?types=turnStarted&limit=1000").await?;
        let events = started["events"].as_array().context("events")?;
        let is_first = |event: &Value| event["data"]["turnStarted"]["messageId"] == *first;
        Ok(events.iter().any(is_first).then_some(()))
    })
    .await
}
