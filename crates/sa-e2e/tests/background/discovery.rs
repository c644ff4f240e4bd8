//! Commands that are not given an address call the daemon of the data directory.

use crate::home::Home;
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Finished};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A daemon in the foreground that listens; killed when dropped.
struct Foreground {
    child: Child,
}

impl Foreground {
    fn start(home: &Home, line: &str) -> Result<Self> {
        let mut command = home.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let mut first = String::new();
        BufReader::new(child.stdout.take().context("its output")?).read_line(&mut first)?;
        assert!(first.starts_with("listening on "), "{first}");
        Ok(Self { child })
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn a_daemon_in_the_foreground_is_found_and_stopped_too() -> Result<()> {
    let home = Home::new()?;
    let mut daemon = Foreground::start(&home, "server --port 0")?;
    home.ok("api info").await?;
    let status = home.status().await?;
    assert_eq!((&status["background"], &status["logFile"]), (&false.into(), &serde_json::Value::Null));
    assert!(home.fails("daemon logs").await?.contains("standard error"));
    assert!(home.fails("daemon upgrade").await?.contains("restart it where it was started"));
    home.ok("daemon stop").await?;
    assert!(daemon.child.wait()?.success());
    Ok(())
}

#[tokio::test]
async fn a_daemon_that_ends_with_its_parent_is_not_found() -> Result<()> {
    let home = Home::new()?;
    let _daemon = Foreground::start(&home, "server --port 0 --exit-on-stdin-close")?;
    assert_eq!(home.status().await?["state"], "stopped");
    Ok(())
}

#[tokio::test]
async fn an_address_that_is_given_wins_and_gets_no_token_of_another_daemon() -> Result<()> {
    let home = Home::new()?;
    home.ok("daemon start --port 0").await?;
    let other = Daemon::start().await?;
    let mut call = home.command("api info");
    call.env("SANDBOX_AGENT_ENDPOINT", other.base_url());
    let refused = Finished::wait(call).await?;
    assert!(refused.stderr.contains("401"), "{refused}");
    // The address of the own daemon, spelled out, has its token.
    let endpoint = home.status().await?["endpoint"].as_str().context("an address")?.to_owned();
    home.ok(&format!("api info --endpoint {endpoint}/")).await?;
    home.ok("daemon stop").await?;
    Ok(())
}
