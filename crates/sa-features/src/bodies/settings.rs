//! Model, effort and mode.

use crate::policy::Policy;
use crate::script::{Step, script};
use crate::session::Session;
use crate::stage::Stage;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

/// Chooses a value of an option that is not the current one, and gives it.
async fn switch(session: &Session<'_>, category: &str, fits: impl Fn(&str) -> bool) -> Result<String> {
    let option = session.option(category)?;
    let id = option["id"].as_str().context("an id")?;
    let choices = option["options"].as_array().context("choices")?;
    let mut values = choices.iter().filter_map(|choice| choice["value"].as_str());
    let value = values.find(|value| option["currentValue"] != *value && fits(value));
    let value = value.with_context(|| format!("another choice: {option}"))?;
    let options = session.set_option(id, value).await?;
    let now = options.as_array().and_then(|all| all.iter().find(|option| option["id"] == id));
    ensure!(now.is_some_and(|option| option["currentValue"] == value), "it is told: {options}");
    Ok(value.to_owned())
}

/// Returns whether the model's API knows this name as it is.
fn is_plain(value: &str) -> bool {
    value != "default" && value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'))
}

/// Returns the name of a model without its provider's.
fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

pub(crate) async fn model_switch(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let settings = stage.text(&script().step(Step::SaySettings))?;
    let before = session.turn(&settings).await?.text();
    let model =
        switch(&session, "model", |model| is_plain(bare(model)) && !before.contains(bare(model))).await?;
    let after = session.turn(&settings).await?.text();
    ensure!(before != after && after.contains(bare(&model)), "{before:?}, then {after:?} with {model}");
    Ok(())
}

pub(crate) async fn effort_switch(stage: &Stage) -> Result<()> {
    let session = stage.session().await?;
    let effort = switch(&session, "thought_level", is_plain).await?;
    let said = session.turn(&stage.text(&script().step(Step::SaySettings))?).await?.text();
    ensure!(said.contains(&effort), "{said:?} with {effort}");
    Ok(())
}

pub(crate) async fn mode_switch(stage: &Stage) -> Result<()> {
    let modes = &stage.subject.modes;
    let session = stage.free_session().await?;
    let writing = |name: &str| stage.text(&script().write(name, "x\n").then().say("Done."));
    session.turn(&writing("free.txt")?).await?;
    // The other way to switch, which notifies clients of the first one.
    let id = session.option("mode")?["id"].as_str().context("an id")?.to_owned();
    let start = stage.log().len();
    session.set_option(&id, modes.ask).await?;
    stage.answer_with(Policy::Choose("reject_once"));
    let turn = session.turn(&writing("asked.txt")?).await?;
    ensure!(turn.questions().len() == 1, "asked in the new mode: {:?}", turn.questions());
    let told = session.messages_since(start);
    let mode = told.iter().find_map(|message| message["params"]["update"]["currentModeId"].as_str());
    ensure!(mode == Some(modes.ask), "the mode is told: {told:?}");
    let nonsense = json!({ "sessionId": session.id, "modeId": "nonsense" });
    let answer: Value = stage.attempt("session/set_mode", &nonsense).await?;
    ensure!(answer["error"]["code"] == -32602, "an unknown mode is refused: {answer}");
    Ok(())
}

pub(crate) async fn user_settings(stage: &Stage) -> Result<()> {
    let home = stage.daemon.sandbox().home().to_owned();
    let files = stage.subject.user_settings();
    for (name, content) in files {
        let path = home.join(name);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(path, content)?;
    }
    let session = stage.free_session().await?;
    let turn = session.turn(&stage.text(&script().write("new.txt", "new\n").then().say("Done."))?).await?;
    ensure!(stage.file("new.txt").is_some() && turn.text().ends_with("Done."), "it works: {turn:?}");
    stage.call("session/close", &json!({ "sessionId": session.id })).await?;
    for (name, content) in files {
        let now = fs::read_to_string(home.join(name))?;
        ensure!(now == *content, "{name} was changed to {now:?}");
    }
    Ok(())
}
