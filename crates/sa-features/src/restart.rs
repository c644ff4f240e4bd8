//! A guarantee of universal sessions alone: the daemon is killed in the middle of a turn, and the conversation
//! continues.

use crate::script::{Step, say, script};
use crate::stage::Setup;
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use sa_model::ModelServer;
use sa_testkit::{Daemon, Http, Sandbox, Signal, Sse};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

/// Words that the model must still know afterwards.
const WORD: &str = "The word is xyzzy.";

/// Kills the daemon while the agent speaks, and continues with another one.
pub fn restart(subject: &'static Subject) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(killed_and_resumed(subject))
}

async fn killed_and_resumed(subject: &'static Subject) -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let project = sandbox.path("project");
    fs::create_dir_all(&project)?;
    let project = fs::canonicalize(project)?;
    let model = ModelServer::start()?;
    let setup = Setup::default();

    let mut first = start(subject, &sandbox, &model, setup).await?;
    let mut body = json!({ "cwd": project });
    let query = subject.query(setup);
    for (name, value) in query.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('=')) {
        body[name] = json!(value);
    }
    let created = first.http().post("/v1/sessions/kept").json(body.to_string());
    let created =
        created.within(std::time::Duration::from_secs(60)).send().await?.expect_status(201)?.json()?;
    ensure!(created["healthy"] == true, "{created}");
    let ended = turn(first.http(), &subject.render(&say(WORD))?).await?;
    ensure!(ended["stopReason"] == "endTurn", "{ended}");
    let halfway = script().say("Halfway.").step(Step::Hang);
    let accepted = post(first.http(), &subject.render(&halfway)?).await?;
    let heard =
        |event: &Value| event.to_string().contains("Halfway.") && event["data"].get("messageDelta").is_some();
    find(first.http(), accepted["eventId"].as_u64().context("an event")?, heard).await?;
    first.signal(Signal::KILL);
    first.exited().await?;
    drop(first);

    let second = start(subject, &sandbox, &model, setup).await?;
    let session = second.http().get("/v1/sessions/kept").send().await?.expect_status(200)?.json()?;
    ensure!(session["state"] == "interrupted" && session["turn"].is_null(), "{session}");
    let unknown = |event: &Value| event["data"]["turnEnded"]["stopReason"] == "unknown";
    find(second.http(), 0, unknown).await?;
    let ended = turn(second.http(), &subject.render(&say("Going on."))?).await?;
    ensure!(ended["stopReason"] == "endTurn", "{ended}");
    let continuity = find(second.http(), 0, |event| event["data"].get("continuity").is_some()).await?;
    ensure!(continuity["data"]["continuity"]["kind"] == "native", "{continuity}");
    if subject.has_model() {
        let last = model.requests().pop().context("a request")?.body.to_string();
        ensure!(last.contains("xyzzy"), "the model remembers: {last}");
    }
    Ok(())
}

async fn start(
    subject: &'static Subject,
    sandbox: &Arc<Sandbox>,
    model: &ModelServer,
    setup: Setup,
) -> Result<Daemon> {
    subject.daemon(sandbox, model, setup).await?.sandbox(Arc::clone(sandbox)).start().await
}

async fn post(http: &Http, text: &str) -> Result<Value> {
    let body = json!({ "message": text }).to_string();
    http.post("/v1/sessions/kept/messages").json(body).send().await?.expect_status(202)?.json()
}

/// Posts a message and gives the end of its turn.
async fn turn(http: &Http, text: &str) -> Result<Value> {
    let accepted = post(http, text).await?;
    let ended = |event: &Value| event["data"]["turnEnded"]["turnId"] == accepted["turnId"];
    let event = find(http, accepted["eventId"].as_u64().context("an event")?, ended).await?;
    Ok(event["data"]["turnEnded"].clone())
}

/// Returns the first event after `offset` that fits.
async fn find(http: &Http, offset: u64, fits: impl Fn(&Value) -> bool) -> Result<Value> {
    let mut stream = Sse::open(http.get(&format!("/v1/sessions/kept/events/sse?offset={offset}"))).await?;
    loop {
        let event = stream.event().await?.json()?;
        if fits(&event) {
            return Ok(event);
        }
    }
}
