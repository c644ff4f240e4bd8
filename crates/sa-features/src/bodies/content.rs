//! Content of a prompt in addition to text.

use crate::script::{Step, script};
use crate::stage::Stage;
use anyhow::{Result, ensure};
use serde_json::{Value, json};

/// One red pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// Prompts with a block and a script that reports it. Returns the agent's text, and what the model got.
async fn send(stage: &Stage, block: Value) -> Result<(String, Option<String>)> {
    let session = stage.session().await?;
    let text = stage.text(&script().step(Step::SayImages))?;
    let turn = session.begin_with(&json!([{ "type": "text", "text": text }, block])).await?.end().await?;
    ensure!(turn.stop_reason() == "end_turn", "{}", turn.answer);
    let sent = match stage.subject.has_model() {
        true => Some(stage.last_dialogue()?),
        false => None,
    };
    Ok((turn.text(), sent))
}

pub(crate) async fn image(stage: &Stage) -> Result<()> {
    ensure!(stage.hello["agentCapabilities"]["promptCapabilities"]["image"] == true, "{}", stage.hello);
    let (said, sent) =
        send(stage, json!({ "type": "image", "mimeType": "image/png", "data": PIXEL })).await?;
    ensure!(said.contains("image/png"), "said: {said:?}");
    let is_image = |sent: String| sent.contains("\"image\"") || sent.contains("\"input_image\"");
    ensure!(sent.is_none_or(is_image), "the model sees it");
    Ok(())
}

pub(crate) async fn embedded_resource(stage: &Stage) -> Result<()> {
    let can = &stage.hello["agentCapabilities"]["promptCapabilities"]["embeddedContext"];
    ensure!(*can == true, "{}", stage.hello);
    let resource =
        json!({ "uri": "file:///notes/secret.txt", "mimeType": "text/plain", "text": "The secret is 42." });
    let (said, sent) = send(stage, json!({ "type": "resource", "resource": resource })).await?;
    match sent {
        Some(sent) => {
            ensure!(sent.contains("The secret is 42."), "the model has the content: {sent}");
            ensure!(sent.contains("secret.txt"), "the model knows its name: {sent}");
        }
        None => ensure!(said.contains("resource"), "said: {said:?}"),
    }
    Ok(())
}

pub(crate) async fn resource_link(stage: &Stage) -> Result<()> {
    let link = json!({ "type": "resource_link", "name": "secret.txt", "uri": "file:///notes/the%20s%C3%A9cret.txt" });
    let (said, sent) = send(stage, link).await?;
    match sent {
        Some(sent) => ensure!(sent.contains("/notes/the sécret.txt"), "the model knows where it is: {sent}"),
        None => ensure!(said.contains("link"), "said: {said:?}"),
    }
    Ok(())
}
