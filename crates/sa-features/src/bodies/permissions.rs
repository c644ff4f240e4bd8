//! Asking before something is changed.

use crate::policy::Policy;
use crate::script::{Script, script};
use crate::session::updates;
use crate::stage::Stage;
use anyhow::{Result, ensure};

fn writing(name: &str) -> Script {
    script().write(name, "allowed\n").then().say("Done.")
}

pub(crate) async fn permission_once(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    stage.answer_with(Policy::Leave);
    for name in ["first.txt", "second.txt"] {
        let (running, question) = session.begin_asked(&stage.text(&writing(name))?).await?;
        ensure!(stage.file(name).is_none(), "nothing is written before it is allowed");
        let call = question["params"]["toolCall"]["toolCallId"].clone();
        stage.reply(&question, &Policy::Choose("allow_once")).await?;
        let turn = running.end().await?;
        ensure!(turn.questions().len() == 1, "asked about each once: {:?}", turn.questions());
        ensure!(stage.file(name).is_some(), "{name} is there");
        let tool = turn.tool("edit")?;
        ensure!(call == tool.id.as_str(), "the question is about the call: {question}");
        ensure!(tool.status() == "completed" && turn.stop_reason() == "end_turn", "{tool:?}");
    }
    Ok(())
}

pub(crate) async fn permission_always(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    let start = stage.log().len();
    stage.answer_with(Policy::Choose("allow_always"));
    let turn = session.turn(&stage.text(&writing("first.txt"))?).await?;
    ensure!(turn.questions().len() == 1, "asked: {:?}", turn.questions());
    stage.answer_with(Policy::Silence);
    session.turn(&stage.text(&writing("second.txt"))?).await?;
    ensure!(stage.file("first.txt").is_some() && stage.file("second.txt").is_some(), "both are there");
    let messages = session.messages_since(start);
    ensure!(updates(&messages, "current_mode_update").is_empty(), "the mode stays what it was");
    let own = std::fs::read_dir(&stage.project)?.filter_map(Result::ok).map(|entry| entry.file_name());
    let own: Vec<_> = own.filter(|name| name.to_string_lossy().starts_with(".claude")).collect();
    ensure!(own.is_empty(), "nothing is put into the project: {own:?}");
    // It holds for this session alone.
    stage.answer_with(Policy::Choose("reject_once"));
    let other = stage.asking_session().await?;
    let turn = other.turn(&stage.text(&writing("third.txt"))?).await?;
    ensure!(turn.questions().len() == 1 && stage.file("third.txt").is_none(), "another session is asked");
    Ok(())
}

pub(crate) async fn permission_reject(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    stage.answer_with(Policy::Choose("reject_once"));
    let turn = session.turn(&stage.text(&writing("never.txt"))?).await?;
    ensure!(stage.file("never.txt").is_none(), "nothing was written");
    ensure!(turn.tool("edit")?.status() == "failed", "{:?}", turn.tools());
    ensure!(turn.text().ends_with("Done."), "the turn goes on: {:?}", turn.text());
    stage.check_model_knows("rejected")
}

pub(crate) async fn permission_cancelled(stage: &Stage) -> Result<()> {
    let session = stage.asking_session().await?;
    stage.answer_with(Policy::Cancel);
    let turn = session.prompt(&stage.text(&writing("never.txt"))?).await?;
    ensure!(turn.answer.get("result").is_some(), "that is no error: {}", turn.answer);
    ensure!(stage.file("never.txt").is_none(), "nothing was written");
    ensure!(turn.tool("edit")?.status() == "failed", "{:?}", turn.tools());
    let after = session.turn(&stage.text(&script().say("Going on."))?).await?;
    ensure!(after.text() == "Going on.", "said: {:?}", after.text());
    Ok(())
}

pub(crate) async fn bypass(stage: &Stage) -> Result<()> {
    let session = stage.free_session().await?;
    let script = script().write("free.txt", "free\n").then().shell("touch made.txt").then().say("Done.");
    session.turn(&stage.text(&script)?).await?;
    ensure!(stage.file("free.txt").is_some() && stage.file("made.txt").is_some(), "both are there");
    Ok(())
}
