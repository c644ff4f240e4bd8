//! Rules and permission modes of a session, with real agents: nothing that a model writes gets past them.

use super::scene::Scene;
use crate::script::script;
use crate::subject::Subject;
use anyhow::{Result, ensure};
use axum::http::Method;
use serde_json::{Value, json};
use std::fs;

/// Modes of the agents' own in which they ask less.
const LOOSE: [&str; 7] =
    ["bypassPermissions", "acceptEdits", "dontAsk", "auto", "bypass", "full-access", "yolo"];

/// A command of the model's, and how it is decided: the reply, and who gives it.
type Case = (&'static str, &'static str, &'static str);

pub(super) async fn hold(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    for (name, content) in [("victim.txt", "x\n"), ("list.txt", "victim.txt\n"), ("secret.txt", "x\n")] {
        fs::write(scene.project.join(name), content)?;
    }
    let rules = json!([
        { "tool": "read", "decision": "allow" },
        { "tool": "execute", "input": "rm *", "decision": "deny" },
        { "tool": "execute", "input": "cat secret*", "decision": "deny" },
    ]);
    let mut cases: Vec<Case> = vec![
        ("find . -name victim.txt '-delete'", "reject", "timeout"),
        ("find . -name victim.txt \"-del\"\"ete\"", "reject", "timeout"),
        ("cat list.txt | xargs rm -f", "reject", "rule"),
    ];
    // The others run these by themselves and ask nobody.
    if matches!(subject.agent, "amp" | "opencode") {
        cases.extend([("cat secret.txt", "reject", "rule"), ("cat list.txt", "once", "agent")]);
    }
    let policy = json!({ "rules": rules, "timeoutMs": 1, "onTimeout": "reject" });
    decided(&scene, "asking", json!({ "policy": policy }), &cases).await?;
    let cases = [("X=1 r\\m victim.txt", "reject", "rule"), ("touch made.txt", "once", "permissionMode")];
    let free = json!({ "permissionMode": "bypass", "policy": { "rules": rules } });
    decided(&scene, "free", free, &cases).await?;
    ensure!(scene.project.join("made.txt").exists(), "what no rule is about runs");
    own_modes_do_not_loosen(&scene).await
}

/// Has a session run commands, one after the other, and looks who decides on them.
async fn decided(scene: &Scene, id: &str, mut session: Value, cases: &[Case]) -> Result<()> {
    if let Some(version) = scene.subject.version {
        session["agentVersion"] = json!(version);
    }
    scene.make(id, session).await?;
    let script = cases.iter().fold(script(), |script, (command, ..)| script.shell(command).then());
    let events = scene.turn(id, &script.say("Done.")).await?;
    let of =
        |kind: &str| events.iter().filter_map(|event| event["data"].get(kind).cloned()).collect::<Vec<_>>();
    let (asked, resolved) = (of("permissionAsked"), of("permissionResolved"));
    let kinds = asked.iter().all(|asked| asked["kind"] == "execute");
    let found: Vec<_> = resolved.iter().map(|one| (one["reply"].clone(), one["by"].clone())).collect();
    let wanted: Vec<_> = cases.iter().map(|(_, reply, by)| (json!(reply), json!(by))).collect();
    ensure!(kinds && found == wanted, "{cases:?}: {found:?} of {asked:?}");
    ensure!(scene.project.join("victim.txt").exists(), "one of them was run: {events:?}");
    Ok(())
}

async fn own_modes_do_not_loosen(scene: &Scene) -> Result<()> {
    for mode in LOOSE {
        let body = json!({ "agentMode": mode, "permissionMode": "default" });
        scene.ask_for("loose", &body).await?.expect_status(422)?;
        let change = json!({ "agentMode": mode }).to_string();
        let changed = scene.http().request(Method::PATCH, "/v1/sessions/asking").json(change).send().await?;
        changed.expect_status(422)?;
    }
    Ok(())
}
