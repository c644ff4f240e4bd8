//! Two commands at once, crashes in between, and folders that other users could have touched.

use crate::home::Home;
use anyhow::{Context, Result};
use sa_testkit::{Finished, Signal, is_alive, send_signal, until};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

#[tokio::test]
async fn starts_at_the_same_time_give_one_daemon() -> Result<()> {
    let home = Home::new()?;
    let starts = (0..3).map(|_| Finished::wait(home.command("daemon start --port 0")));
    let ended = futures_util::future::try_join_all(starts).await?;
    let pid = home.pid().await?;
    for start in &ended {
        assert!(start.status.success() && start.stdout.contains(&format!("(pid {pid})")), "{start}");
    }
    let first = ended.iter().filter(|start| start.stdout.contains("runs in the background")).count();
    assert_eq!(first, 1, "{ended:?}");
    home.ok("daemon stop").await?;
    Ok(())
}

#[tokio::test]
async fn a_daemon_that_was_killed_is_not_missed() -> Result<()> {
    let home = Home::new()?;
    home.ok("daemon start --port 0").await?;
    let first = home.pid().await?;
    send_signal(first, Signal::KILL);
    until("it is gone", || !is_alive(first)).await?;
    assert!(home.folder().join("daemon.json").exists(), "nobody cleaned up");
    assert_eq!(home.status().await?["state"], "stopped");
    assert_eq!(home.ok("daemon stop").await?, "no daemon is running\n");
    home.ok("daemon start --port 0").await?;
    assert_ne!(home.pid().await?, first);
    home.ok("daemon stop").await?;
    Ok(())
}

#[tokio::test]
async fn another_process_with_the_same_number_is_left_alone() -> Result<()> {
    let home = Home::new()?;
    home.ok("daemon start --port 0").await?;
    let mut record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(home.folder().join("daemon.json"))?)?;
    home.ok("daemon stop").await?;
    let mut bystander = Command::new("sleep").arg("600").stdin(Stdio::null()).spawn()?;
    record["pid"] = bystander.id().into();
    std::fs::write(home.folder().join("daemon.json"), record.to_string())?;
    assert_eq!(home.ok("daemon stop").await?, "no daemon is running\n");

    // Even if somebody holds the lock, a number that does not fit its start is nobody's.
    let lock = std::fs::File::open(home.folder().join("lock"))?;
    lock.lock()?;
    let status = home.run("daemon status").await?;
    assert!(status.stdout.contains("starting or stopping"), "{status}");
    drop(lock);
    assert!(is_alive(bystander.id()));
    bystander.kill()?;
    bystander.wait()?;
    home.ok("daemon start --port 0").await?;
    home.ok("daemon stop").await?;
    Ok(())
}

#[tokio::test]
async fn a_start_that_was_killed_leaves_a_daemon_that_the_next_one_finds() -> Result<()> {
    let home = Home::new()?;
    let mut start = home.command("daemon start --port 0").stdout(Stdio::null()).spawn()?;
    let log = home.folder().join("daemon.log");
    // The daemon was started, and need not listen yet.
    until("the daemon was started", || log.exists()).await?;
    start.kill()?;
    start.wait()?;
    home.ok("daemon start --port 0").await?;
    let pid = home.pid().await?;
    home.ok("api info").await?;
    assert!(home.ok("daemon stop").await?.contains(&pid.to_string()));
    Ok(())
}

#[tokio::test]
async fn a_folder_that_others_can_use_is_refused() -> Result<()> {
    let home = Home::new()?;
    home.ok("daemon start --port 0").await?;
    let pid = home.pid().await?;
    let folder = home.folder();
    for mode in [0o770, 0o705] {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode))?;
        for line in ["daemon start", "daemon status", "api info"] {
            let said = home.fails(line).await?;
            assert!(said.contains("chmod go-rwx"), "{line}: {said}");
        }
    }
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700))?;
    let data = folder.parent().context("a data directory")?;
    std::fs::set_permissions(data, std::fs::Permissions::from_mode(0o777))?;
    let said = home.run("daemon start").await?;
    assert!(said.status.code() == Some(64) && said.stderr.contains("chmod o-w"), "{said}");
    std::fs::set_permissions(data, std::fs::Permissions::from_mode(0o700))?;
    assert!(home.ok("daemon stop").await?.contains(&pid.to_string()));
    Ok(())
}
