//! Modes and options with real agents: each combination does what `GET /v1/agents/{agent}/modes` says.

use super::scene::Scene;
use crate::script::{say, script};
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::fs;

/// An agent that a user of OpenCode defines.
const REVIEWER: &str =
    "---\ndescription: Reviews code\nmode: primary\n---\nYou are the reviewer of this project.\n";

async fn modes(scene: &Scene) -> Result<Value> {
    let path = format!("/v1/agents/{}/modes", scene.subject.agent);
    let modes =
        scene.http().get(&path).within(super::scene::START).send().await?.expect_status(200)?.json()?;
    ensure!(modes["source"] == "agent" && modes["complete"] == true, "{modes}");
    Ok(modes)
}

/// All combinations in one session, those with the same mode of the agent's own one after the other: some agents start
/// another process for another mode.
pub(super) async fn do_what_the_table_says(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set_with(subject, |builder, sandbox, _| {
        if subject.agent == "opencode" {
            let folder = sandbox.home().join(".config/opencode/agent");
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("reviewer.md"), REVIEWER)?;
        }
        Ok(builder)
    })
    .await?;
    let listed = modes(&scene).await?;
    // Who is asked and says nothing has allowed it.
    let mut session = json!({ "policy": { "timeoutMs": 1, "onTimeout": "allow" } });
    if let Some(version) = subject.version {
        session["agentVersion"] = json!(version);
    }
    scene.make("s", session).await?;
    let mut combinations = listed["combinations"].as_array().context("combinations")?.clone();
    combinations.sort_by_key(|one| one["nativeMode"].as_str().map(str::to_owned));
    for (number, one) in combinations.iter().enumerate() {
        tried(&scene, number, one).await.with_context(|| one.to_string())?;
    }
    Ok(())
}

/// Has the model write a file and run a command that makes one, in these modes, and looks who was asked and what is there.
async fn tried(scene: &Scene, number: usize, one: &Value) -> Result<()> {
    let change = json!({ "agentMode": one["agentMode"], "permissionMode": one["permissionMode"] });
    let changed = scene.http().patch("/v1/sessions/s").json(change.to_string()).send().await?;
    if one["supported"] == false {
        let problem = changed.expect_problem(422, "unsupported")?;
        ensure!(json!(problem.detail) == one["reason"], "{problem:?}");
        return Ok(());
    }
    let session = changed.expect_status(200)?.json()?;
    ensure!(session["choices"]["mode"] == one["nativeMode"], "{session}");
    let files = [format!("edited-{number}.txt"), format!("made-{number}.txt")];
    let script = script().write(&files[0], "x").then().shell(&format!("touch {}", files[1])).then();
    let events = scene.turn("s", &script.say("Done.")).await?;
    let resolved = events.iter().filter_map(|event| event["data"].get("permissionResolved"));
    let by: Vec<&str> = resolved.filter_map(|resolved| resolved["by"].as_str()).collect();
    let (asked, happens) = match (one["effect"].as_str(), one["enforcedBy"].as_str()) {
        (Some("asks"), _) => (Some("timeout"), true),
        (Some("readOnly" | "refuses"), _) => (None, false),
        (Some("neverAsks"), Some("daemon")) => (Some("permissionMode"), true),
        (Some("neverAsks"), _) => (None, true),
        other => anyhow::bail!("unknown effect {other:?}"),
    };
    let is_there = files.map(|file| scene.project.join(file).exists());
    // Commands are kept by the CLI's sandbox there, which asks nobody.
    let sandboxed = scene.subject.agent == "codex" && one["nativeMode"] == "read-only";
    ensure!(is_there == [happens, happens && !sandboxed], "there are {is_there:?}; {by:?}: {events:?}");
    ensure!(by.iter().all(|by| Some(*by) == asked), "decided {by:?}: {events:?}");
    ensure!(asked != Some("timeout") || !by.is_empty(), "nobody was asked: {events:?}");
    Ok(())
}

pub(super) async fn options_arrive(subject: &'static Subject) -> Result<()> {
    if subject.agent == "claude" { thinking(subject).await } else { reviewer(subject).await }
}

/// Claude thinks unless the option says otherwise.
async fn thinking(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    scene.make("s", json!({ "options": { "thinking": "off" } })).await?;
    let session = scene.http().get("/v1/sessions/s").send().await?.json()?;
    ensure!(session["options"] == json!({ "thinking": "off" }), "{session}");
    let options = session["choices"]["options"].as_array().context("options")?;
    ensure!(options.iter().any(|one| one["id"] == "thinking" && one["value"] == "off"), "{session}");
    let refused = scene.ask_for("t", &json!({ "options": { "thinking": "hard" } })).await?;
    let problem = refused.expect_problem(422, "unsupported")?;
    ensure!(problem.detail.ends_with("its values are: default, off"), "{problem:?}");
    scene.turn("s", &say("Hello.")).await?;
    Ok(())
}

/// An agent of the user's own is chosen by `agentMode`, and left by it.
async fn reviewer(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    let folder = scene.project.join(".opencode/agent");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("reviewer.md"), REVIEWER)?;
    scene.make("s", json!({ "agentMode": "reviewer" })).await?;
    let instructed = || scene.told("You are the reviewer").len();
    scene.turn("s", &say("Reviewed.")).await?;
    let before = instructed();
    ensure!(before > 0, "the model is told who it is");
    for (mode, reviews) in [("build", false), ("reviewer", true)] {
        let change = json!({ "agentMode": mode, "permissionMode": "bypass" }).to_string();
        scene.http().patch("/v1/sessions/s").json(change).send().await?.expect_status(200)?;
        let before = instructed();
        scene.turn("s", &say("Again.")).await?;
        ensure!((instructed() > before) == reviews, "{mode}");
    }
    for (body, words) in [
        (json!({ "agentMode": "critic" }), "reviewer"),
        (json!({ "agentMode": "agent=reviewer" }), "reviewer"),
        (json!({ "options": { "agent": "reviewer" } }), "option 'agent' is set with agentMode"),
    ] {
        let problem = scene.ask_for("t", &body).await?.expect_problem(422, "unsupported")?;
        ensure!(problem.detail.ends_with(words), "{body}: {problem:?}");
    }
    Ok(())
}
