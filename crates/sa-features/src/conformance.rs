//! Rules of the protocol about the order of messages and the form of answers, which every built-in agent keeps. Each is held
//! against the real program.

use crate::log::Entry;
use crate::script::{Step, say, script};
use crate::stage::{Setup, Stage};
use crate::subject::Subject;
use crate::way::Way;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::Duration;

/// Time in which nothing must come after the last message. Only a wait can show that something does not come.
const QUIET: Duration = Duration::from_millis(700);

/// The agents whose protocol is spoken by this binary, each in one version.
const BUILT_IN: [&str; 5] = ["demo", "claude", "codex", "opencode", "amp"];

/// Returns whether this agent is checked against the rules.
pub fn is_held(subject: &Subject) -> bool {
    BUILT_IN.contains(&subject.name)
}

/// Holds all rules against an agent.
pub fn conformance(subject: &'static Subject) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let stage = Stage::set(subject, Setup::default(), Way::Acp).await.context("setting the stage")?;
        let rules = async {
            answers_are_stable(&stage).await.context("the answer to a prompt")?;
            nothing_follows_loading(&stage).await.context("session/load")?;
            nothing_follows_cancelling(&stage).await.context("session/cancel")?;
            requests_can_be_cancelled(&stage).await.context("$/cancel_request")?;
            stage.log().check()
        };
        rules.await.with_context(|| format!("what came at last:\n{}", stage.log().tail(0)))
    })
}

/// Answers hold nothing but what the stable protocol has, and metadata.
async fn answers_are_stable(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let turn = session.turn(&stage.text(&say("Hello."))?).await?;
    let result = turn.answer["result"].as_object().context("a result")?;
    let known = |name: &str| matches!(name, "stopReason" | "_meta");
    ensure!(result.keys().all(|name| known(name)), "{result:?}");
    Ok(())
}

/// All updates of a session that is loaded come before the answer, be the session open or not.
async fn nothing_follows_loading(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    session.turn(&stage.text(&say("The word is xyzzy."))?).await?;
    stage.stored("The word is xyzzy.").await?;
    for is_open in [true, false] {
        if !is_open {
            stage.call("session/close", &json!({ "sessionId": session.id })).await?;
        }
        tokio::time::sleep(QUIET).await;
        let start = stage.log().len();
        stage.reopen("session/load", &session.id).await?;
        let (before, after) = around_answer(stage, start).await?;
        ensure!(after.is_empty(), "open: {is_open}; after the answer came {after:?}");
        let commands =
            |update: &Value| update["params"]["update"]["sessionUpdate"] == "available_commands_update";
        let tells_commands = stage.subject.name != "amp";
        ensure!(!tells_commands || before.iter().any(commands), "the commands come before: {before:?}");
    }
    Ok(())
}

/// All updates of a cancelled turn come before its answer.
async fn nothing_follows_cancelling(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().say("Once upon a time").step(Step::Hang);
    let start = stage.log().len();
    let running = session.begin(&stage.text(&script)?).await?;
    hears(stage, &running).await?;
    session.cancel().await?;
    let turn = running.end().await?;
    ensure!(turn.stop_reason() == "cancelled", "{}", turn.answer);
    let (_, after) = around_answer(stage, start).await?;
    ensure!(after.is_empty(), "after the answer came {after:?}");
    Ok(())
}

/// A prompt that is cancelled as a request is answered with the error for that, whether it runs or waits.
async fn requests_can_be_cancelled(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let running = session.begin(&stage.text(&script().say("Once upon a time").step(Step::Hang))?).await?;
    hears(stage, &running).await?;
    let waiting = session.begin(&stage.text(&say("Never."))?).await?;
    for (what, prompt) in [("waiting", waiting), ("running", running)] {
        stage.notify("$/cancel_request", &json!({ "requestId": prompt.request() })).await?;
        let turn = prompt.end().await?;
        ensure!(turn.answer["error"]["code"] == -32800, "{what}: {}", turn.answer);
    }
    let turn = session.turn(&stage.text(&say("Going on."))?).await?;
    ensure!(turn.text() == "Going on.", "said: {:?}", turn.text());
    Ok(())
}

/// Waits until the turn is under way: until the agent speaks, or, if it does not stream, until the model was asked.
async fn hears(stage: &Stage, running: &crate::session::Running<'_>) -> Result<()> {
    if stage.subject.name == "amp" {
        let heard = || {
            stage.asked_of_model().is_ok_and(|requests| {
                requests.iter().any(|request| request.body.to_string().contains("Once upon a time"))
            })
        };
        return sa_testkit::until("the model to be asked", heard).await;
    }
    running.said("Once upon a time").await
}

/// Session messages since a position of the log: before the last answer, and within a quiet time after it.
async fn around_answer(stage: &Stage, start: usize) -> Result<(Vec<Value>, Vec<Value>)> {
    tokio::time::sleep(QUIET).await;
    let entries = stage.log().since(start);
    let messages: Vec<Value> = entries.iter().filter_map(Entry::message).cloned().collect();
    let answer = messages.iter().rposition(|message| !message["method"].is_string()).context("an answer")?;
    let updates = |messages: &[Value]| {
        messages.iter().filter(|message| message["method"] == "session/update").cloned().collect()
    };
    let (before, after) = messages.split_at(answer);
    Ok((updates(before), updates(after)))
}
