//! Plan mode: it reads only, and leaving it needs approval.

use crate::policy::Policy;
use crate::script::script;
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};
use sa_testkit::Arena;
use serde_json::Value;

fn mode_told(message: &Value) -> Option<String> {
    message["params"]["update"]["currentModeId"].as_str().map(str::to_owned)
}

pub(crate) async fn plan_read_only(stage: &Stage) -> Result<()> {
    // Not even what the user's own rules allow.
    stage.subject.allow_all(stage.daemon.sandbox().home())?;
    stage.put("notes.txt", "Read me.\n")?;
    let session = stage.session_in(stage.subject.modes.plan).await?;
    let script = script().read("notes.txt").then().write("made.txt", "no\n").then();
    let script = script.shell("touch touched.txt").then().say("Nothing happened.");
    let turn = session.turn(&stage.text(&script)?).await?;
    ensure!(stage.file("made.txt").is_none() && stage.file("touched.txt").is_none(), "nothing was changed");
    ensure!(turn.tool("read")?.status() == "completed", "reading is fine: {:?}", turn.tools());
    ensure!(turn.tool("edit")?.status() == "failed", "{:?}", turn.tools());
    match turn.tool("execute") {
        Ok(tool) if tool.status() == "in_progress" => {
            ensure!(stage.subject.may_miss_short_commands(), "{tool:?}");
        }
        Ok(tool) => ensure!(tool.status() == "failed", "{tool:?}"),
        Err(missing) => ensure!(stage.subject.may_miss_short_commands(), "{missing}"),
    }
    ensure!(turn.text().ends_with("Nothing happened."), "said: {:?}", turn.text());
    Ok(())
}

pub(crate) async fn plan_unsandboxed(stage: &Stage) -> Result<()> {
    plan_read_only(stage).await?;
    if !stage.subject.takes_writers_for_readers() {
        no_writer_counts_as_reader(stage).await?;
    }
    let session = stage.session().await?;
    if let Some(mode) = stage.subject.sandboxed_mode() {
        let modes = session.opened["modes"]["availableModes"].as_array().context("modes")?;
        ensure!(modes.iter().all(|offered| offered["id"] != mode), "{mode} cannot work: {modes:?}");
    }
    Ok(())
}

/// Runs commands that an agent may take for ones that read: a file is written, and a program is the project's own.
async fn no_writer_counts_as_reader(stage: &Stage) -> Result<()> {
    Arena::fill(&stage.project)?;
    let session = stage.session_in(stage.subject.modes.plan).await?;
    let script = script().shell("uniq list.txt victim.txt").then().shell("bin/ls").then().say("Done.");
    session.turn(&stage.text(&script)?).await?;
    ensure!(
        stage.file("made").is_none() && stage.file("victim.txt") == Some("precious\n".to_owned()),
        "changed"
    );
    Ok(())
}

pub(crate) async fn plan_accepted(stage: &Stage) -> Result<()> {
    let session = stage.session_in(stage.subject.modes.plan).await?;
    stage.answer_with(Policy::Choose("allow_once"));
    let script = script().leave_plan("Write it down").then().write("planned.txt", "as planned\n").then();
    let (running, question) = session.begin_asked(&stage.text(&script.say("Done."))?).await?;
    let call = &question["params"]["toolCall"];
    ensure!(call["kind"] == "switch_mode", "the question is about the plan: {question}");
    ensure!(
        call["content"].as_array().is_some_and(|content| !content.is_empty()),
        "it shows the plan: {call}"
    );
    if stage.subject.has_model() {
        ensure!(call["content"].to_string().contains("Write it down"), "it shows the plan: {call}");
    }
    let turn = running.end().await?;
    let mode = turn.messages.iter().find_map(mode_told).context("the mode is told")?;
    ensure!(mode != stage.subject.modes.plan, "plan mode was left: {mode}");
    ensure!(stage.file("planned.txt").is_some(), "the plan was carried out");
    ensure!(turn.stop_reason() == "end_turn", "{}", turn.answer);
    Ok(())
}

pub(crate) async fn plan_rejected(stage: &Stage) -> Result<()> {
    let session = stage.session_in(stage.subject.modes.plan).await?;
    stage.answer_with(Policy::Choose("reject_once"));
    let script = script().leave_plan("Write it down").then().write("planned.txt", "no\n").then();
    let turn = session.turn(&stage.text(&script.say("Still planning."))?).await?;
    ensure!(turn.questions().len() == 1, "{:?}", turn.questions());
    ensure!(turn.tool("switch_mode")?.status() == "failed", "{:?}", turn.tools());
    ensure!(turn.messages.iter().find_map(mode_told).is_none(), "the mode stays");
    ensure!(stage.file("planned.txt").is_none(), "nothing was written");
    if !stage.subject.ends_with_plan() {
        ensure!(turn.text().ends_with("Still planning."), "the turn goes on: {:?}", turn.text());
    }
    Ok(())
}
