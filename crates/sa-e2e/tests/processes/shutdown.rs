//! Processes end with the daemon, however it ends.

use crate::api::{Api, Viewer};
use anyhow::Result;
use sa_testkit::{Daemon, Signal};
use serde_json::json;
use std::time::{Duration, Instant};

const STUBBORN: &str = "trap '' TERM HUP; setsid sleep 600 & echo ready; while :; do sleep 0.05; done";

#[tokio::test]
async fn processes_and_their_followers_end_with_the_daemon() -> Result<()> {
    let mut daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    let id = api.script(STUBBORN, json!({})).await?;
    let terminal = api.script(STUBBORN, json!({"tty": true})).await?;
    api.printed(&id, "ready").await?;
    let mut stream = api.follow(&id, "").await?;
    let mut viewer = Viewer::connect(api.terminal(&terminal, "")).await?;
    viewer.until("ready").await?;
    let command = daemon
        .http()
        .post("/v1/processes/run")
        .json(json!({"command": "tail", "args": ["-f", "/dev/null"]}).to_string());
    let command = tokio::spawn(command.send());
    let runs = || daemon.leftovers().iter().any(|process| process.name == "tail");
    sa_testkit::until("the command to run", runs).await?;
    let started = Instant::now();
    daemon.signal(Signal::TERM);
    assert_eq!(stream.find("the end", |event| event.event == "exit").await?.json()?["signal"], 9);
    assert_eq!(viewer.end().await?["type"], "exit");
    let answer = command.await??.expect_status(200)?.json()?;
    assert_eq!(answer["timedOut"], false);
    let status = daemon.exited().await?;
    assert!(
        status.success() && started.elapsed() < Duration::from_secs(10),
        "{status} {:?}",
        started.elapsed()
    );
    sa_testkit::until("nothing to be left", || daemon.leftovers().is_empty()).await
}

#[tokio::test]
async fn processes_end_with_a_daemon_that_is_killed() -> Result<()> {
    let mut daemon = Daemon::start().await?;
    let api = Api::of(&daemon);
    for more in [json!({}), json!({"tty": true})] {
        let id = api.script(STUBBORN, more).await?;
        api.printed(&id, "ready").await?;
    }
    daemon.signal(Signal::KILL);
    daemon.exited().await?;
    sa_testkit::until("nothing to be left", || daemon.leftovers().is_empty()).await
}
