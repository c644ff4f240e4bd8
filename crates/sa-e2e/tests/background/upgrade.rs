//! A daemon that makes room for the program that is now on the disk.

use crate::home::Home;
use anyhow::{Context, Result};
use sa_testkit::{DEADLINE, Finished, daemon_path, within};
use std::path::Path;

/// Puts a program into the place of the one that runs, as an installer does.
fn install(target: &Path) -> Result<()> {
    let draft = target.with_extension("new");
    std::fs::copy(daemon_path()?, &draft)?;
    Ok(std::fs::rename(draft, target)?)
}

#[tokio::test]
async fn an_upgrade_keeps_address_token_environment_and_sessions() -> Result<()> {
    let folder = sa_testkit::Sandbox::new()?;
    let program = folder.path("sandbox-agent");
    install(&program)?;
    let home = Home::with_binary(&program)?;
    let mut start = home.command("daemon start --port 0");
    start.env("MARK_OF_THE_TEST", "kept");
    let started = Finished::wait(start).await?;
    assert!(started.status.success(), "{started}");
    let before = home.status().await?;
    let token = std::fs::read_to_string(home.folder().join("token"))?;
    home.ok("sessions create one --agent demo").await?;
    let same = home.ok("daemon upgrade").await?;
    assert!(same.starts_with("the daemon already runs this program"), "{same}");

    install(&program)?;
    let mut send = home.command("sessions send one");
    send.arg("sleep 600000");
    assert!(Finished::wait(send).await?.status.success());
    let running = async {
        while !home.ok("sessions get one --json").await?.contains("\"running\"") {}
        anyhow::Ok(())
    };
    within("the turn runs", DEADLINE, running).await??;
    let said = home.fails("daemon upgrade").await?;
    assert!(said.contains("session one") && said.contains("--wait") && said.contains("--force"), "{said}");
    assert_eq!(home.status().await?["pid"], before["pid"]);

    let upgraded = home.ok("daemon upgrade --force").await?;
    assert!(upgraded.starts_with("upgraded from "), "{upgraded}");
    let after = home.status().await?;
    assert_ne!(after["pid"], before["pid"]);
    assert_eq!(after["endpoint"], before["endpoint"]);
    assert_eq!(std::fs::read_to_string(home.folder().join("token"))?, token);
    let environment = std::fs::read_to_string(format!("/proc/{}/environ", home.pid().await?))?;
    assert!(environment.contains("MARK_OF_THE_TEST=kept"));
    assert!(home.ok("sessions list").await?.contains("one"));
    home.ok("daemon stop").await?;
    Ok(())
}

#[tokio::test]
async fn an_upgrade_waits_for_turns() -> Result<()> {
    let folder = sa_testkit::Sandbox::new()?;
    let program = folder.path("sandbox-agent");
    install(&program)?;
    let home = Home::with_binary(&program)?;
    assert!(home.fails("daemon upgrade").await?.contains("no daemon is running"));
    home.ok("daemon start --port 0").await?;
    home.ok("sessions create one --agent demo").await?;
    install(&program)?;
    let mut send = home.command("sessions send one");
    send.arg("sleep 600000");
    assert!(Finished::wait(send).await?.status.success());
    let before = home.pid().await?;
    let waiting = tokio::spawn(Finished::wait(home.command("daemon upgrade --wait")));
    // The daemon works as before until the turn is over.
    home.ok("sessions get one").await?;
    assert_eq!(home.pid().await?, before);
    home.ok("sessions cancel one").await?;
    let upgraded = waiting.await.context("the upgrade")??;
    assert!(upgraded.status.success(), "{upgraded}");
    assert_ne!(home.pid().await?, before);
    home.ok("daemon stop").await?;
    Ok(())
}
