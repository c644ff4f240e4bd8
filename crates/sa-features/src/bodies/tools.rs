//! Tools: calls, results, diffs, commands.

use crate::script::script;
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};

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
