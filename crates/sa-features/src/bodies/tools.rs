//! Tools: calls, results, diffs, commands.

use crate::fifo::Fifo;
use crate::script::script;
use crate::stage::Stage;
use crate::tools::Tool;
use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// Has the agent read a file that holds "Buy milk.".
async fn read_notes(stage: &Stage) -> Result<Tool> {
    stage.put("notes.txt", "Buy milk.\n")?;
    let session = stage.free_session().await?;
    let turn = session.turn(&stage.text(&script().read("notes.txt").then().say("Read."))?).await?;
    turn.tool("read")
}

pub(crate) async fn tool_call(stage: &Stage) -> Result<()> {
    let tool = read_notes(stage).await?;
    ensure!(tool.title().contains("notes.txt"), "the title says what is done: {tool:?}");
    let place = &tool.field("locations")[0]["path"];
    ensure!(
        *place == stage.project.join("notes.txt").to_string_lossy().as_ref(),
        "where it is done: {tool:?}"
    );
    ensure!(tool.field("rawInput").is_object(), "{tool:?}");
    ensure!(tool.status() == "completed", "{tool:?}");
    ensure!(tool.statuses.iter().filter(|status| *status == "completed").count() == 1, "{tool:?}");
    Ok(())
}

pub(crate) async fn tool_result(stage: &Stage) -> Result<()> {
    let tool = read_notes(stage).await?;
    ensure!(tool.text().contains("Buy milk."), "the result is shown: {tool:?}");
    ensure!(!tool.field("rawOutput").is_null(), "{tool:?}");
    stage.check_model_knows("Buy milk.")
}

pub(crate) async fn diff_create(stage: &Stage) -> Result<()> {
    let session = stage.free_session().await?;
    let script = script().write("new.txt", "one\ntwo\n").then().say("Written.");
    let turn = session.turn(&stage.text(&script)?).await?;
    let tool = turn.tool("edit")?;
    ensure!(tool.status() == "completed", "{tool:?}");
    let diff = tool.diff()?;
    let content = stage.file("new.txt").context("the file")?;
    ensure!(diff["newText"] == content.as_str(), "{diff} but on disk is {content:?}");
    ensure!(diff["oldText"].as_str().is_none_or(str::is_empty), "there was no file before: {diff}");
    ensure!(diff["path"] == stage.project.join("new.txt").to_string_lossy().as_ref(), "{diff}");
    Ok(())
}

pub(crate) async fn diff_edit(stage: &Stage) -> Result<()> {
    let before = "one\ntwo\nthree\n";
    stage.put("old.txt", before)?;
    let session = stage.free_session().await?;
    // Some agents edit only what they have read.
    let script = script().read("old.txt").then().edit("old.txt", "two", "2").then().say("Changed.");
    let turn = session.turn(&stage.text(&script)?).await?;
    let tool = turn.tool("edit")?;
    ensure!(tool.status() == "completed", "{tool:?}");
    let (diff, after) = (tool.diff()?, stage.file("old.txt").context("the file")?);
    ensure!(after != before, "the file was changed");
    ensure!(
        diff["oldText"] == before && diff["newText"] == after.as_str(),
        "{diff}, but now it is {after:?}"
    );
    Ok(())
}

pub(crate) async fn terminal(stage: &Stage) -> Result<()> {
    let session = stage.free_session().await?;
    for (command, printed, code) in [
        ("echo to-out; echo to-err >&2", ["to-out", "to-err"], 0),
        ("echo too bad; exit 3", ["too", "bad"], 3),
    ] {
        let turn = session.turn(&stage.text(&script().shell(command).then().say("Run."))?).await?;
        let tool = turn.tool("execute")?;
        ensure!(tool.title().contains("echo"), "the title says what is run: {tool:?}");
        let (output, exit) = tool.ran(stage.host())?;
        ensure!(printed.iter().all(|words| output.contains(words)), "printed: {output:?}");
        ensure!(exit == code, "exit code {exit} instead of {code}: {tool:?}");
    }
    Ok(())
}

pub(crate) async fn failing_tool(stage: &Stage) -> Result<()> {
    let session = stage.free_session().await?;
    let prompt = stage.text(&script().read("missing.txt").then().say("Going on."))?;
    let mut turn = session.turn(&prompt).await?;
    // Codex 0.144 now and then reports only the start of a command that ends at once.
    for _ in 0..2 {
        if matches!(turn.tool("read")?.status(), "pending" | "in_progress") {
            turn = session.turn(&prompt).await?;
        }
    }
    let tool = turn.tool("read")?;
    ensure!(tool.status() == "failed", "{tool:?}");
    ensure!(!tool.text().is_empty(), "why it failed is told: {tool:?}");
    ensure!(turn.text().ends_with("Going on."), "said: {:?}", turn.text());
    Ok(())
}

pub(crate) async fn parallel_tools(stage: &Stage) -> Result<()> {
    let (left, right) = (Fifo::new(&stage.project, "left")?, Fifo::new(&stage.project, "right")?);
    let session = stage.free_session().await?;
    // Agents read a file again by themselves that was shown with `cat` or `head`.
    let script = script().shell("sort left").shell("sort right").then().say("Both.");
    let running = session.begin(&stage.text(&script)?).await?;
    // Each can be opened only while its reader runs: both run at once.
    let (mut right, mut left) = (right.writer().await?, left.writer().await?);
    right.write("from the right\n")?;
    left.write("from the left\n")?;
    drop((left, right));
    let turn = running.end().await?;
    let tools = turn.tools();
    ensure!(tools.len() == 2 && tools.iter().all(|tool| tool.status() == "completed"), "{tools:?}");
    for side in ["left", "right"] {
        // The order in which they are reported is a matter of chance.
        let tool =
            tools.iter().find(|tool| tool.title().contains(side)).context("a call for each command")?;
        let (output, _) = tool.ran(stage.host())?;
        ensure!(output.contains(&format!("from the {side}")), "each result is with its call: {tool:?}");
    }
    let announced = turn.updates("tool_call");
    let ids: Vec<&Value> = announced.iter().map(|call| &call["toolCallId"]).collect();
    ensure!(ids.len() == 2, "each call is announced once: {ids:?}");
    Ok(())
}
