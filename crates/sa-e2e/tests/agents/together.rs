//! Several daemons and commands install into one data directory at once.

use crate::scene::{Asking, STORE, Scene};
use anyhow::Result;
use sa_testkit::Finished;
use sa_testkit::mirror::{Fault, program_of_size};
use serde_json::{Value, json};
use std::time::Duration;

#[tokio::test]
async fn two_daemons_and_two_commands_fetch_it_once() -> Result<()> {
    let scene = Scene::new().await?;
    scene.publish_bytes("1.0.0", program_of_size("acme", "1.0.0", 64 << 10));
    scene.mirror.fault(&format!("{STORE}/1.0.0/acme"), Fault::Slow(8 << 10, Duration::from_millis(60)));
    let (one, two) = tokio::try_join!(scene.daemon().start(), scene.daemon().arg("--no-store").start())?;
    let command = || async { Finished::wait(scene.command(&["install-agent", "acme", "--json"])?).await };
    let (a, b, c, d) =
        tokio::try_join!(one.install("acme", ""), two.install("acme", ""), command(), command())?;
    let mut fresh = 0;
    for reply in [a, b] {
        fresh += usize::from(reply.expect_status(200)?.json()?["alreadyInstalled"] == json!(false));
    }
    for ended in [c, d] {
        assert!(ended.status.success(), "{ended}");
        let answer: Value = serde_json::from_str(&ended.stdout)?;
        fresh += usize::from(answer["alreadyInstalled"] == json!(false));
    }
    assert_eq!((scene.fetched("1.0.0"), fresh), (1, 1), "the others waited and found it");
    assert_eq!(one.agent("acme").await?["version"], two.agent("acme").await?["version"]);
    Ok(())
}

#[tokio::test]
async fn who_waits_for_another_installation_says_so() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    scene.mirror.fault_times(&format!("{STORE}/1.0.0/acme"), Fault::HangAfter(10), 1);
    let (one, two) = tokio::try_join!(scene.daemon().start(), scene.daemon().arg("--no-store").start())?;
    let mut stuck = one.install_events("acme", "{}").await?;
    stuck.find("the download", |event| event.event == "downloading").await?;
    let mut waits = two.install_events("acme", "{}").await?;
    waits.find("the wait", |event| event.event == "waiting").await?;
    // The lock of a daemon that is killed is free at once.
    one.signal(sa_testkit::Signal::KILL);
    waits.find("the end", |event| event.event == "done").await?;
    Ok(())
}

#[tokio::test]
async fn what_a_command_installs_the_daemon_has() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().arg("--require-preinstall").start().await?;
    assert_eq!(daemon.agent("acme").await?["installed"], json!(false));
    let ended = scene.run(&["install-agent", "acme"]).await?;
    assert!(ended.status.success(), "{ended}");
    assert_eq!(daemon.agent("acme").await?["version"], json!("1.0.0"), "without a restart");
    daemon.acp("one").start("acme").await?;
    Ok(())
}
