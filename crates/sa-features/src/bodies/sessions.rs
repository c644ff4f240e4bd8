//! Sessions that outlive their agent's process.

use crate::client::Client;
use crate::script::{say, script};
use crate::session::{Session, said_by, updates};
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};
use sa_testkit::{is_alive, until};
use serde_json::{Value, json};

/// Returns a session with something in it.
async fn told(stage: &Stage) -> Result<Session<'_>> {
    stage.put("notes.txt", "Buy milk.\n")?;
    let session = stage.free_session().await?;
    let script = script().read("notes.txt").then().say("The word is xyzzy.");
    session.turn(&stage.text(&script)?).await?;
    stage.stored("The word is xyzzy.").await?;
    Ok(session)
}

/// Returns the id of a session with something in it, and a client of an agent that was started after it.
async fn restarted(stage: &Stage) -> Result<(String, Client)> {
    let id = told(stage).await?.id;
    stage.shut().await?;
    Ok((id, stage.connect("again").await?))
}

/// Continues a session and checks that the model knows what was said before.
async fn remembers(stage: &Stage, session: &Session<'_>) -> Result<()> {
    let turn = session.turn(&stage.text(&say("Going on."))?).await?;
    ensure!(turn.text() == "Going on.", "said: {:?}", turn.text());
    stage.check_model_knows("The word is xyzzy.")
}

/// Returns the sessions that the agent lists.
async fn listed(stage: &Stage) -> Result<Vec<Value>> {
    let answer = stage.call("session/list", &json!({})).await?;
    Ok(answer["sessions"].as_array().context("sessions")?.clone())
}

pub(crate) async fn list(stage: &Stage) -> Result<()> {
    let (one, two) = (told(stage).await?, told(stage).await?);
    let list = listed(stage).await?;
    for session in [&one, &two] {
        let entry = list.iter().find(|entry| entry["sessionId"] == session.id.as_str());
        let entry = entry.with_context(|| format!("{} in {list:?}", session.id))?;
        ensure!(entry["cwd"] == stage.project.to_string_lossy().as_ref(), "{entry}");
        ensure!(entry["title"].as_str().is_some_and(|title| !title.is_empty()), "{entry}");
    }
    Ok(())
}

pub(crate) async fn load(stage: &Stage) -> Result<()> {
    let (id, client) = restarted(stage).await?;
    let session = client.reopen("session/load", &id).await?;
    // All of it comes before the answer.
    let history = session.messages_since(0);
    let said: String = history.iter().filter_map(said_by).collect();
    ensure!(said.contains("The word is xyzzy."), "what was said: {history:?}");
    ensure!(!updates(&history, "user_message_chunk").is_empty(), "what was asked: {history:?}");
    remembers(stage, &session).await
}

pub(crate) async fn load_tools(stage: &Stage) -> Result<()> {
    let (id, client) = restarted(stage).await?;
    let session = client.reopen("session/load", &id).await?;
    let tools = crate::tools::Tool::all(&session.messages_since(0));
    ensure!(
        tools.len() == 1 && tools.iter().all(|tool| tool.status() == "completed"),
        "what was done: {tools:?}"
    );
    Ok(())
}

pub(crate) async fn resume(stage: &Stage) -> Result<()> {
    let (id, client) = restarted(stage).await?;
    let session = client.reopen("session/resume", &id).await?;
    let before = session.messages_since(0);
    ensure!(before.iter().find_map(said_by).is_none(), "nothing is told again: {before:?}");
    remembers(stage, &session).await
}

pub(crate) async fn fork(stage: &Stage) -> Result<()> {
    let session = told(stage).await?;
    let copy = stage.reopen("session/fork", &session.id).await?;
    ensure!(copy.id != session.id, "a session of its own");
    remembers(stage, &copy).await?;
    copy.turn(&stage.text(&say("Only in the copy."))?).await?;
    remembers(stage, &session).await?;
    if stage.subject.has_model() {
        let last = stage.conversations()?.pop().context("a request")?.to_string();
        ensure!(!last.contains("Only in the copy."), "the original goes its own way: {last}");
    }
    Ok(())
}

pub(crate) async fn close(stage: &Stage) -> Result<()> {
    let session = told(stage).await?;
    let pids = stage.native_processes();
    ensure!(stage.subject.native_program().is_none() || pids.len() == 1, "its program runs: {pids:?}");
    stage.call("session/close", &json!({ "sessionId": session.id })).await?;
    if stage.subject.has_process_per_session() {
        until("its program to be gone", || pids.iter().all(|pid| !is_alive(*pid))).await?;
    }
    let prompt = json!({ "sessionId": session.id, "prompt": [{ "type": "text", "text": "Hello?" }] });
    let answer = stage.attempt("session/prompt", &prompt).await?;
    ensure!(answer["error"]["code"] == -32002, "a closed session takes no prompts: {answer}");
    let again = stage.reopen("session/load", &session.id).await?;
    remembers(stage, &again).await
}

pub(crate) async fn delete(stage: &Stage) -> Result<()> {
    let (session, other) = (told(stage).await?, told(stage).await?);
    stage.call("session/delete", &json!({ "sessionId": session.id })).await?;
    let list = listed(stage).await?;
    ensure!(list.iter().all(|entry| entry["sessionId"] != session.id.as_str()), "it is gone: {list:?}");
    ensure!(list.iter().any(|entry| entry["sessionId"] == other.id.as_str()), "the other stays: {list:?}");
    let params = json!({ "sessionId": session.id, "cwd": stage.project, "mcpServers": [] });
    let answer = stage.attempt("session/load", &params).await?;
    ensure!(answer["error"]["code"] == -32002, "it cannot be loaded any more: {answer}");
    Ok(())
}
