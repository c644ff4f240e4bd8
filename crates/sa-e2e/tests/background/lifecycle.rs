//! Start, stop, status and logs.

use crate::home::Home;
use anyhow::{Context, Result};
use sa_testkit::{descendants, is_alive, until};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[tokio::test]
async fn a_daemon_starts_is_found_and_stops_with_its_agents() -> Result<()> {
    let home = Home::new()?;
    assert_eq!(home.status().await?["state"], "stopped");
    let started = home.ok("daemon start --port 0").await?;
    let status = home.status().await?;
    let endpoint = status["endpoint"].as_str().context("an address")?;
    let token = std::fs::read_to_string(home.folder().join("token"))?;
    assert!(started.contains(&format!("{endpoint}/ui/#token={token}")), "{started}");
    for file in ["daemon.json", "token", "launch.json", "daemon.log"] {
        let mode = std::fs::metadata(home.folder().join(file))?.permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }

    // No flag names the daemon or its token.
    assert!(home.ok("api agents list").await?.contains("demo"));
    home.ok("sessions create one --agent demo").await?;
    let pid = home.pid().await?;
    let below = descendants(pid);
    assert!(below.len() > 1, "a guardian and an agent: {below:?}");
    let again = home.ok("daemon start --port 0").await?;
    assert!(again.starts_with(&format!("the daemon is already running (pid {pid})")), "{again}");

    let stopped = home.ok("daemon stop").await?;
    assert_eq!(stopped, format!("the daemon has stopped (pid {pid})\n"));
    assert!(!is_alive(pid));
    until("the agents have ended", || below.iter().all(|process| !is_alive(process.pid))).await?;
    assert!(!home.folder().join("daemon.json").exists());
    assert_eq!(home.ok("daemon stop").await?, "no daemon is running\n");
    assert!(home.fails("api agents list").await?.contains("sandbox-agent daemon start"));

    // The session outlives its daemon.
    home.ok("daemon start --port 0").await?;
    assert!(home.ok("sessions list").await?.contains("one"));
    home.ok("daemon stop").await?;
    Ok(())
}

#[tokio::test]
async fn a_token_that_was_given_is_used_and_never_shown() -> Result<()> {
    let home = Home::new()?;
    let mut start = home.command("daemon start --port 0");
    start.env("SANDBOX_AGENT_TOKEN", "s3cret");
    let started = sa_testkit::Finished::wait(start).await?;
    assert!(started.status.success() && !started.stdout.contains("s3cret"), "{started}");
    assert_eq!(std::fs::read_to_string(home.folder().join("token"))?, "s3cret");
    let pid = home.pid().await?;
    let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline"))?;
    assert!(line.contains("daemon\0serve") && !line.contains("s3cret"), "{line:?}");
    home.ok("api info").await?;
    home.ok("daemon stop").await?;
    Ok(())
}

#[tokio::test]
async fn a_start_that_fails_leaves_no_token_behind() -> Result<()> {
    let home = Home::new()?;
    home.ok("daemon start --port 0 --token 0123456789abcdef").await?;
    home.ok("daemon stop").await?;
    let log = home.folder().join("daemon.log");
    std::fs::remove_file(&log)?;
    std::fs::create_dir(&log)?;
    home.fails("daemon start --port 0 --token 0123456789abcdef").await?;
    let entries =
        std::fs::read_dir(home.folder())?.map(|entry| Ok(entry?.file_name().into_string().unwrap()));
    let names: Vec<String> = entries.collect::<Result<_>>()?;
    assert!(!names.iter().any(|name| name.starts_with("launch-")), "{names:?}");
    Ok(())
}

#[tokio::test]
async fn a_port_that_is_taken_is_named_with_what_to_do() -> Result<()> {
    let home = Home::new()?;
    let taken = TcpListener::bind("127.0.0.1:0")?;
    let port = taken.local_addr()?.port();
    let said = home.fails(&format!("daemon start --port {port}")).await?;
    assert!(said.contains(&format!("port {port}")) && said.contains("--port"), "{said}");
    assert_eq!(home.status().await?["state"], "stopped");
    drop(taken);
    home.ok(&format!("daemon start --port {port}")).await?;
    home.ok("daemon stop").await?;
    Ok(())
}

#[tokio::test]
async fn mistakes_are_reported_before_anything_is_started() -> Result<()> {
    let home = Home::new()?;
    for line in [
        "daemon start --token two\u{a0}words",
        "daemon start --agent mine",
        "daemon start --config /nonexistent/config.toml",
        "daemon start --exit-on-stdin-close",
    ] {
        let ended = home.run(line).await?;
        assert_eq!(ended.status.code(), Some(64), "{ended}");
    }
    assert!(!home.folder().exists());
    Ok(())
}

#[tokio::test]
async fn the_log_is_printed_from_its_end_and_followed() -> Result<()> {
    let home = Home::new()?;
    assert!(home.fails("daemon logs").await?.contains("sandbox-agent daemon start"));
    home.ok("daemon start --port 0").await?;
    let log = home.ok("daemon logs -n 1").await?;
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("listening"), "{log}");
    let mut follower = home.command("daemon logs -f -n 1");
    follower.stdout(std::process::Stdio::piped());
    let mut follower = follower.spawn()?;
    let mut output = std::io::BufReader::new(follower.stdout.take().context("its output")?);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut output, &mut line)?;
    assert!(line.contains("listening"), "it follows: {line}");
    home.ok("daemon stop").await?;
    line.clear();
    std::io::BufRead::read_line(&mut output, &mut line)?;
    follower.kill()?;
    follower.wait()?;
    assert!(line.contains("SIGTERM: stopping"), "{line}");
    // The log outlives its daemon.
    assert!(home.ok("daemon logs").await?.contains("stopped"));
    Ok(())
}

#[tokio::test]
async fn the_log_stays_small_and_survives_its_deletion() -> Result<()> {
    /// A new file is begun at this size.
    const LOG_BYTES: u64 = 10 << 20;
    let home = Home::new()?;
    home.ok("daemon start --port 0").await?;
    let (log, older) = (home.folder().join("daemon.log"), home.folder().join("daemon.log.1"));
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    // As if the daemon had written that much, twice: only one older file is kept.
    for _ in 0..2 {
        std::fs::File::options().append(true).open(&log)?.set_len(LOG_BYTES + 1)?;
        until("a new file was begun", || size(&log) > 0 && size(&log) < LOG_BYTES).await?;
        assert_eq!(size(&older), LOG_BYTES + 1, "nothing of the older file is lost");
        let mode = std::fs::metadata(&log)?.permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "a log may quote anything");
        assert!(home.ok("daemon logs -n 1").await?.contains("daemon.log.1"));
    }
    std::fs::remove_file(&log)?;
    until("the log is there again", || log.exists()).await?;
    home.ok("daemon stop").await?;
    assert!(home.ok("daemon logs").await?.contains("SIGTERM: stopping"));
    Ok(())
}
