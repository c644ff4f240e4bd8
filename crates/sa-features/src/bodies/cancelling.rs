//! Stopping a turn, wherever it is.

use crate::fifo::Fifo;
use crate::log::Entry;
use crate::policy::Policy;
use crate::script::{Step, say, script};
use crate::session::Session;
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};
use sa_testkit::{is_alive, until, until_some};

async fn goes_on(stage: &Stage, session: &Session<'_>) -> Result<()> {
    let after = session.turn(&stage.text(&say("Going on."))?).await?;
    ensure!(after.text() == "Going on.", "said: {:?}", after.text());
    Ok(())
}

pub(crate) async fn cancel_text(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().say("Once upon a time").step(Step::Hang);
    let running = session.begin(&stage.text(&script)?).await?;
    running.said("Once upon a time").await?;
    session.cancel().await?;
    let turn = running.end().await?;
    ensure!(turn.stop_reason() == "cancelled", "{}", turn.answer);
    ensure!(turn.text() == "Once upon a time", "nothing is added: {:?}", turn.text());
    goes_on(stage, &session).await
}

pub(crate) async fn cancel_tool(stage: &Stage) -> Result<()> {
    let _never = Fifo::new(&stage.project, "never")?;
    let session = stage.free_session().await?;
    let script = script().shell("echo $$ > pid; exec cat never").then().say("No.");
    let running = session.begin(&stage.text(&script)?).await?;
    let pid = until_some("the command to run", || stage.file("pid")?.trim().parse::<u32>().ok()).await?;
    ensure!(is_alive(pid), "the command runs");
    // Some agents report a command a moment after it has started.
    let announced = |message: &serde_json::Value| {
        (message["params"]["update"]["sessionUpdate"] == "tool_call").then_some(())
    };
    running.hear("the call", announced).await?;
    // An agent that leaves its commands to the client has to know by then which one it is.
    let knows = |entries: &[Entry]| {
        let asks = |method: &str| entries.iter().filter_map(Entry::message).any(|it| it["method"] == method);
        (!asks("terminal/create") || asks("terminal/wait_for_exit")).then_some(())
    };
    stage.log().find("the agent to wait for the command", 0, knows).await?;
    session.cancel().await?;
    let turn = running.end().await?;
    ensure!(turn.stop_reason() == "cancelled", "{}", turn.answer);
    ensure!(turn.tool("execute")?.status() == "failed", "{:?}", turn.tools());
    until("the command to be gone", || !is_alive(pid)).await?;
    goes_on(stage, &session).await
}

pub(crate) async fn cancel_permission(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    stage.answer_with(Policy::Leave);
    let script = script().write("never.txt", "no\n").then().say("No.");
    let (running, question) = session.begin_asked(&stage.text(&script)?).await?;
    session.cancel().await?;
    let turn = running.end().await?;
    ensure!(turn.stop_reason() == "cancelled", "{}", turn.answer);
    let withdrawn = |entry: &Entry| {
        let message = entry.message()?;
        let is_it =
            message["method"] == "$/cancel_request" && message["params"]["requestId"] == question["id"];
        is_it.then_some(())
    };
    stage.log().since(0).iter().find_map(withdrawn).context("the question is taken back")?;
    ensure!(turn.tool("edit")?.status() == "failed", "{:?}", turn.tools());
    // A late answer does no harm.
    stage.reply(&question, &Policy::Choose("allow_once")).await?;
    goes_on(stage, &session).await?;
    ensure!(stage.file("never.txt").is_none(), "nothing was written");
    Ok(())
}
