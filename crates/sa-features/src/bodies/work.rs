//! Work in pieces: lists of things to do, other agents, background tasks, commands.

use crate::fifo::Fifo;
use crate::policy::Policy;
use crate::script::{Step, say, script};
use crate::session::{said_by, updates};
use crate::stage::Stage;
use crate::tools::Tool;
use anyhow::{Context, Result, ensure};
use serde_json::Value;

pub(crate) async fn todo(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    if let Some(model) = stage.subject.listing_model() {
        session.set_option(session.option("model")?["id"].as_str().context("an id")?, model).await?;
    }
    let items = ["Look around", "Make the change", "Check it"].map(str::to_owned);
    let script = script().step(Step::Todo(items.to_vec())).then().say("Listed.");
    let turn = session.turn(&stage.text(&script)?).await?;
    let plans = turn.updates("plan");
    let last = plans.last().context("a plan")?["entries"].as_array().context("entries")?;
    let contents: Vec<_> = last.iter().filter_map(|entry| entry["content"].as_str()).collect();
    ensure!(contents == items, "{contents:?}");
    let moves = plans.iter().any(|plan| plan["entries"].to_string().contains("in_progress"));
    ensure!(moves, "what is under way is told: {plans:?}");
    Ok(())
}

/// Returns the call that a tool call is made for, as agents report it outside of the protocol.
fn parent(tool: &Tool) -> Option<&str> {
    tool.field("_meta").as_object()?.values().find_map(|own| own["parentToolUseId"].as_str())
}

pub(crate) async fn subagent(stage: &Stage) -> Result<()> {
    stage.put("notes.txt", "Deep below.\n")?;
    let session = stage.free_session().await?;
    let below = script().read("notes.txt").then().say("Greetings from below.");
    let script = script().step(Step::Delegate { script: below, background: false }).then();
    let turn = session.turn(&stage.text(&script.step(Step::SayResult))?).await?;
    let tools = turn.tools();
    let outer = tools.iter().find(|tool| parent(tool).is_none()).context("the call that delegates")?;
    let inner = turn.tool("read")?;
    ensure!(parent(&inner) == Some(outer.id.as_str()), "the inner call names the outer: {tools:?}");
    ensure!(inner.status() == "completed" && outer.status() == "completed", "{tools:?}");
    ensure!(turn.text().contains("Greetings from below."), "its result comes back: {:?}", turn.text());
    Ok(())
}

pub(crate) async fn subagent_permission(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    stage.answer_with(Policy::Choose("allow_once"));
    let below = script().write("below.txt", "deep\n").then().say("Done below.");
    let script = script().step(Step::Delegate { script: below, background: false }).then().say("Done.");
    let turn = session.turn(&stage.text(&script)?).await?;
    let inner = turn.tool("edit")?;
    let questions = turn.questions();
    ensure!(questions.len() == 1, "{questions:?}");
    ensure!(questions[0]["params"]["toolCall"]["toolCallId"] == inner.id.as_str(), "{questions:?}");
    ensure!(parent(&inner).is_some(), "the call names its parent: {inner:?}");
    ensure!(stage.file("below.txt").is_some(), "what was allowed is done");
    Ok(())
}

pub(crate) async fn background_task(stage: &Stage) -> Result<()> {
    let gate = Fifo::new(&stage.project, "gate")?;
    let session = stage.free_session().await?;
    let command = "sort gate".to_owned();
    let script = script().step(Step::Shell { command, background: true }).then().say("Started.");
    let turn = session.turn(&stage.text(&script.then().say("It has ended."))?).await?;
    ensure!(turn.text() == "Started.", "said: {:?}", turn.text());
    let start = stage.log().len();
    // The turn is over, the task is not.
    let mut writer = gate.writer().await?;
    writer.write("now")?;
    drop(writer);
    let heard = |entries: &[crate::log::Entry]| {
        let messages = entries.iter().filter_map(crate::log::Entry::message);
        let text: String = messages.filter_map(said_by).collect();
        text.contains("It has ended.").then_some(())
    };
    stage.log().find("what the agent says by itself", start, heard).await?;
    let after = session.turn(&stage.text(&say("Going on."))?).await?;
    ensure!(after.text() == "Going on.", "said: {:?}", after.text());
    Ok(())
}

pub(crate) async fn commands(stage: &Stage) -> Result<()> {
    let call = stage.subject.greeting_command(&stage.project)?;
    let session = stage.session().await?;
    let name = call.trim_start_matches('/').split(' ').next().unwrap_or_default();
    let listed = |message: &Value| {
        let commands = message["params"]["update"]["availableCommands"].as_array()?;
        commands.iter().find(|command| command["name"] == name).cloned()
    };
    session.hear("the command in the list", listed).await?;
    let turn = session.turn(call).await?;
    ensure!(turn.text() == "greeted by a command", "said: {:?}", turn.text());
    let messages = session.messages_since(0);
    ensure!(!updates(&messages, "available_commands_update").is_empty(), "commands are told");
    Ok(())
}
