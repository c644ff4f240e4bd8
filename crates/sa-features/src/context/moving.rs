//! Sessions with variables of their own have processes of their own: one that gets others in the middle of a conversation
//! moves and keeps it, and several can start at once in a home that no agent has used before.

use super::scene::Scene;
use crate::script::say;
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use serde_json::json;

/// Words that the model must still know afterwards.
const WORD: &str = "The word is plugh.";

pub(super) async fn keeps_the_conversation(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    for id in ["mover", "stayer"] {
        scene.make(id, json!({ "env": { "SUITE_PLACE": "here" } })).await?;
        scene.turn(id, &say(WORD)).await?;
    }
    let change = json!({ "env": { "SUITE_PLACE": "there" } });
    scene.http().patch("/v1/sessions/mover").json(change.to_string()).send().await?.expect_status(200)?;
    scene.turn("mover", &say("Going on.")).await?;
    let continuity = scene.event("mover", |event| event["data"].get("continuity").is_some()).await?;
    ensure!(continuity["data"]["continuity"]["kind"] == "native", "{continuity}");
    let last = scene.model.requests().pop().context("a request")?.body.to_string();
    ensure!(last.contains("plugh"), "the model remembers: {last}");
    scene.turn("stayer", &say("Still here.")).await?;
    Ok(())
}

pub(super) async fn starts_together(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    let names: Vec<String> = (0..4).map(|number| format!("crowd-{number}")).collect();
    try_join_all(names.iter().map(|name| scene.make(name, json!({ "env": { "SUITE_PLACE": name } }))))
        .await?;
    for name in &names {
        scene.turn(name, &say("Here.")).await?;
    }
    Ok(())
}
