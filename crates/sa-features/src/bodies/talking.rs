//! Text, thoughts, and reports next to them.

use crate::script::{Step, say, script};
use crate::session::{said_by, updates};
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};
use serde_json::Value;

pub(crate) async fn text(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    for words in ["Hello over there.", "Hello again."] {
        let turn = session.turn(&stage.text(&say(words))?).await?;
        ensure!(turn.text() == words, "said: {:?}", turn.text());
    }
    Ok(())
}

pub(crate) async fn streaming(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().step(Step::Stream { pieces: 5 }).step(Step::Hang);
    let running = session.begin(&stage.text(&script)?).await?;
    running.said("5 ").await?;
    ensure!(!running.is_over(), "the words came before the end");
    session.cancel().await?;
    let turn = running.end().await?;
    let chunks = turn.updates("agent_message_chunk");
    ensure!(chunks.len() >= 2, "one piece only: {chunks:?}");
    let message = &chunks[0]["messageId"];
    ensure!(message.is_string() && chunks.iter().all(|chunk| chunk["messageId"] == *message), "{chunks:?}");
    ensure!(
        turn.messages.iter().filter_map(said_by).all(|text| !text.is_empty()),
        "empty chunks: {chunks:?}"
    );
    Ok(())
}

pub(crate) async fn reasoning(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let turn = session.turn(&stage.text(&script().think("Let me see.").say("I see."))?).await?;
    ensure!(turn.thoughts() == "Let me see.", "thought: {:?}", turn.thoughts());
    ensure!(turn.text() == "I see.", "said: {:?}", turn.text());
    let kinds = turn.messages.iter().map(|message| &message["params"]["update"]["sessionUpdate"]);
    let words = kinds.filter(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("_chunk")));
    ensure!(words.into_iter().next() == Some(&Value::from("agent_thought_chunk")), "thoughts come first");
    Ok(())
}

pub(crate) async fn usage(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().step(Step::Usage { input: 1000, output: 50 }).say("That was dear.");
    let turn = session.turn(&stage.text(&script)?).await?;
    let told = turn.updates("usage_update");
    let last = told.last().context("a usage update")?;
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    ensure!(number(&last["used"]) > 0.0 && number(&last["size"]) > number(&last["used"]), "{last}");
    let result = &turn.answer["result"];
    let answer = result.get("usage").unwrap_or(&result["_meta"]["sandboxAgent"]["usage"]);
    ensure!(number(&answer["totalTokens"]) > 0.0, "{}", turn.answer);
    if stage.subject.has_model() {
        ensure!(answer["inputTokens"] == 1000 && answer["outputTokens"] == 50, "{}", turn.answer);
        ensure!(last["used"] == 1050, "{last}");
    }
    Ok(())
}

pub(crate) async fn cost(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let script = script().step(Step::Usage { input: 1000, output: 50 }).say("That was dear.");
    let turn = session.turn(&stage.text(&script)?).await?;
    let cost = &turn.updates("usage_update").last().context("a usage update")?["cost"];
    ensure!(cost["amount"].as_f64().is_some_and(|amount| amount > 0.0), "{cost}");
    ensure!(cost["currency"] == "USD", "{cost}");
    Ok(())
}

pub(crate) async fn title(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    session.turn(&stage.text(&say("A name for this."))?).await?;
    let named = |message: &Value| {
        let update = &message["params"]["update"];
        let title = update["title"].as_str().filter(|title| !title.is_empty());
        title.filter(|_| update["sessionUpdate"] == "session_info_update").map(str::to_owned)
    };
    session.hear("a title", named).await?;
    Ok(())
}

pub(crate) async fn compaction(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    // Some sum up only what is longer than one turn.
    for words in ["A long story.", "Its end."] {
        let script = script().step(Step::Usage { input: 5000, output: 50 }).say(words);
        session.turn(&stage.text(&script)?).await?;
    }
    let start = stage.log().len();
    session.turn(&stage.text(&script().step(Step::Compact))?).await?;
    let messages = session.messages_since(start);
    let told = updates(&messages, "compaction_update");
    let statuses: Vec<_> = told.iter().filter_map(|update| update["status"].as_str()).collect();
    ensure!(statuses == ["in_progress", "completed"], "{told:?}");
    let after = session.turn(&stage.text(&say("And on."))?).await?;
    ensure!(after.text() == "And on.", "said: {:?}", after.text());
    if stage.subject.has_model() {
        let last = stage.conversations()?.pop().context("a request")?.to_string();
        // As the prompt's script has it, it stands behind a word.
        let gone = if stage.subject.keeps_prompts() { "\"A long story.\"" } else { "A long story." };
        ensure!(!last.contains(gone), "the model still has all of it: {last}");
    }
    Ok(())
}
