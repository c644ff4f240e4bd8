//! Turns that are cancelled as soon as they are begun: whatever the moment, nothing that the model wants afterwards happens.

use super::scene::Scene;
use crate::script::{Script, Step, say, script};
use crate::subject::Subject;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The moments after the message at which its turn is cancelled, in milliseconds. Agents need some of that to begin.
const CANCELS: [u64; 8] = [0, 1, 2, 5, 10, 20, 30, 50];

/// The delays before messages that interrupt the turn.
const INTERRUPTS: [u64; 3] = [0, 5, 20];

/// The time that the model thinks before it runs a command: longer than a cancel may take.
const THOUGHT: Duration = Duration::from_millis(400);

/// The time in which a turn has to end. Agents that are ended by force take longer.
const PATIENCE: Duration = Duration::from_secs(6);

const SESSION: &str = "hasty";

pub(super) async fn holds(subject: &'static Subject) -> Result<()> {
    let scene = Scene::set(subject).await?;
    scene.make(SESSION, json!({ "permissionMode": "bypass" })).await?;
    scene.turn(SESSION, &say("Ready.")).await?;
    for moment in CANCELS {
        let turn = post(&scene, &mischief(&format!("cancel-{moment}")), "queue").await?;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        let asked = Instant::now();
        let path = format!("/v1/sessions/{SESSION}/cancel");
        scene.http().post(&path).json("{}").send().await?.expect_status(200)?;
        let ended = scene.ended(SESSION, &turn).await?;
        ensure!(ended["stopReason"] == "cancelled", "after {moment} ms: {ended}");
        ensure!(asked.elapsed() < PATIENCE, "after {moment} ms it took {:?}", asked.elapsed());
    }
    for moment in INTERRUPTS {
        let turn = post(&scene, &mischief(&format!("interrupt-{moment}")), "queue").await?;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        let next = post(&scene, &say("Something else."), "interrupt").await?;
        let ended = scene.ended(SESSION, &turn).await?;
        ensure!(ended["stopReason"] == "cancelled", "after {moment} ms: {ended}");
        let ended = scene.ended(SESSION, &next).await?;
        ensure!(ended["stopReason"] == "endTurn", "what interrupts is not cancelled itself: {ended}");
    }
    // Whatever is still under way has had its time when this is over.
    scene.turn(SESSION, &script().step(Step::Pause(THOUGHT)).say("Going on.")).await?;
    let left: Vec<_> = std::fs::read_dir(&scene.project)?.filter_map(Result::ok).collect();
    let left: Vec<_> = left.iter().map(|entry| entry.file_name()).collect();
    let done = |name: &str| name.starts_with("cancel-") || name.starts_with("interrupt-");
    ensure!(
        !left.iter().any(|name| done(&name.to_string_lossy())),
        "commands of cancelled turns ran: {left:?}"
    );
    Ok(())
}

/// Returns a turn that leaves a file behind, unless it is stopped in time.
fn mischief(file: &str) -> Script {
    script().step(Step::Pause(THOUGHT)).shell(&format!("touch {file}")).then().say("Too late.")
}

/// Sends a message and gives its turn.
async fn post(scene: &Scene, script: &Script, delivery: &str) -> Result<String> {
    let body = json!({ "message": scene.subject.render(script)?, "delivery": delivery });
    let path = format!("/v1/sessions/{SESSION}/messages");
    let posted = scene.http().post(&path).json(body.to_string()).send().await?;
    let accepted: Value = posted.expect_status(202)?.json()?;
    accepted["turnId"].as_str().map(str::to_owned).context("a turn")
}
