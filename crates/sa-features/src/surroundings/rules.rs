//! Rules and permission modes of a session, with real agents: nothing that a model writes gets past them.

use super::scene::Scene;
use crate::script::{Script, script};
use crate::subject::Subject;
use anyhow::{Result, ensure};
use axum::http::Method;
use serde_json::{Value, json};
use std::fs;

/// Modes of the agents' own in which they ask less.
const LOOSE: [&str; 7] =
    ["bypassPermissions", "acceptEdits", "dontAsk", "auto", "bypass", "full-access", "yolo"];

fn running(command: &str) -> Script {
    script().shell(command).then().say("Done.")
}

pub(super) async fn hold(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    fs::write(scene.project.join("victim.txt"), "x\n")?;
    fs::write(scene.project.join("list.txt"), "victim.txt\n")?;
    spelled_commands_are_asked_about(&scene).await?;
    rules_by_kind_see_through_pipes(&scene).await?;
    rules_see_what_agents_allow(&scene).await?;
    rules_hold_without_asking(&scene).await?;
    own_modes_do_not_loosen(&scene).await
}

async fn make(scene: &Scene, id: &str, mut more: Value) -> Result<()> {
    if let Some(version) = scene.subject.version {
        more["agentVersion"] = json!(version);
    }
    scene.make(id, more).await
}

/// The decisions of a turn: what was asked, the reply, and who gave it.
async fn decisions(scene: &Scene, id: &str, command: &str) -> Result<Vec<(Value, Value, Value)>> {
    let events = scene.turn(id, &running(command)).await?;
    let of =
        |kind: &str| events.iter().filter_map(|event| event["data"].get(kind).cloned()).collect::<Vec<_>>();
    let (asked, resolved) = (of("permissionAsked"), of("permissionResolved"));
    let is_there = scene.project.join("victim.txt").exists();
    ensure!(is_there, "{command} was run: {events:?}");
    let pairs = asked.into_iter().zip(resolved);
    Ok(pairs
        .map(|(asked, resolved)| (asked["kind"].clone(), resolved["reply"].clone(), resolved["by"].clone()))
        .collect())
}

async fn spelled_commands_are_asked_about(scene: &Scene) -> Result<()> {
    make(scene, "asked", json!({ "policy": { "timeoutMs": 1, "onTimeout": "reject" } })).await?;
    for command in ["find . -name victim.txt '-delete'", "find . -name victim.txt \"-del\"\"ete\""] {
        let decided = decisions(scene, "asked", command).await?;
        let expected = (json!("execute"), json!("reject"), json!("timeout"));
        ensure!(decided == [expected], "{command}: {decided:?}");
    }
    Ok(())
}

async fn rules_by_kind_see_through_pipes(scene: &Scene) -> Result<()> {
    let rules = json!([{ "tool": "read", "decision": "allow" }, { "tool": "execute", "input": "rm *", "decision": "deny" }]);
    make(scene, "kinds", json!({ "policy": { "rules": rules } })).await?;
    let decided = decisions(scene, "kinds", "cat list.txt | xargs rm -f").await?;
    ensure!(decided == [(json!("execute"), json!("reject"), json!("rule"))], "{decided:?}");
    Ok(())
}

/// Commands that only read run unasked, unless a rule is about them.
async fn rules_see_what_agents_allow(scene: &Scene) -> Result<()> {
    // Claude Code and Codex run this by themselves and ask nobody.
    if !matches!(scene.subject.agent, "amp" | "opencode") {
        return Ok(());
    }
    make(scene, "closed", json!({ "policy": { "rules": [{ "tool": "*", "decision": "deny" }] } })).await?;
    let decided = decisions(scene, "closed", "cat list.txt").await?;
    ensure!(decided == [(json!("execute"), json!("reject"), json!("rule"))], "{decided:?}");
    let elsewhere = json!([{ "tool": "mcp__*", "decision": "deny" }]);
    make(scene, "open", json!({ "policy": { "rules": elsewhere } })).await?;
    let decided = decisions(scene, "open", "cat list.txt").await?;
    ensure!(decided == [(json!("execute"), json!("once"), json!("agent"))], "{decided:?}");
    Ok(())
}

async fn rules_hold_without_asking(scene: &Scene) -> Result<()> {
    let rules = json!([{ "tool": "execute", "input": "rm *", "decision": "deny" }]);
    make(scene, "free", json!({ "permissionMode": "bypass", "policy": { "rules": rules } })).await?;
    let decided = decisions(scene, "free", "X=1 r\\m victim.txt").await?;
    ensure!(decided == [(json!("execute"), json!("reject"), json!("rule"))], "{decided:?}");
    let decided = decisions(scene, "free", "touch made.txt").await?;
    ensure!(decided == [(json!("execute"), json!("once"), json!("permissionMode"))], "{decided:?}");
    ensure!(scene.project.join("made.txt").exists(), "what no rule is about runs");
    Ok(())
}

async fn own_modes_do_not_loosen(scene: &Scene) -> Result<()> {
    for mode in LOOSE {
        let refused =
            scene.ask_for("loose", &json!({ "agentMode": mode, "permissionMode": "default" })).await?;
        refused.expect_status(422)?;
        let change = json!({ "agentMode": mode }).to_string();
        let changed = scene.http().request(Method::PATCH, "/v1/sessions/asked").json(change).send().await?;
        changed.expect_status(422)?;
    }
    Ok(())
}
