//! The daemon's harness around a shell script: starting, failing to start, stopping, cleaning up.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use anyhow::Result;
use sa_testkit::{Daemon, DaemonBuilder, Sandbox, is_alive, until};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

fn scripted(script: &str) -> Result<DaemonBuilder> {
    let sandbox = Arc::new(Sandbox::new()?);
    let path = sandbox.path("daemon");
    std::fs::write(&path, format!("#!/bin/sh\n{script}"))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    Ok(Daemon::builder().binary(path).sandbox(sandbox))
}

const LISTEN: &str = "echo 'some text'; echo 'listening on http://127.0.0.1:1234 as always'\n";

#[tokio::test]
async fn it_is_ready_when_it_says_so_and_stops_when_told() -> Result<()> {
    let script = format!("trap 'exit 7' TERM\necho oops >&2\n{LISTEN}while :; do sleep 0.01; done");
    let mut daemon = scripted(&script)?.start().await?;
    assert_eq!(daemon.base_url(), "http://127.0.0.1:1234");
    assert_eq!(daemon.token(), Some("testkit-token"));
    assert!(daemon.rss_bytes()? > 0 && daemon.peak_rss_bytes()? >= daemon.rss_bytes()?);
    assert!(daemon.threads()? == 1 && daemon.open_fds()? >= 3);
    until("the text on stderr", || daemon.stderr().contains("oops")).await?;
    assert!(daemon.stdout().starts_with("some text\n"));
    let stopped = daemon.stop().await?;
    assert_eq!(stopped.status.code(), Some(7));
    assert!(stopped.elapsed < Duration::from_secs(20));
    Ok(())
}

#[tokio::test]
async fn it_gets_only_what_the_test_gave() -> Result<()> {
    let script =
        format!("for a; do echo \"arg:$a\"; done; env; cat \"$HOME/../config.toml\"\n{LISTEN} sleep 600");
    let daemon = scripted(&script)?
        .no_token()
        .arg("--extra")
        .env("EXTRA", "1")
        .agent("mine", "run 'it now'")
        .puppet(&["--slow-start", "5"])
        .limit("log-bytes", 4096)
        .config("[agents.x]\ncommand = \"y\"")
        .start()
        .await?;
    let out = daemon.stdout();
    let lines: Vec<&str> = out.lines().collect();
    let arguments: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("arg:")).collect();
    let fixed =
        ["server", "--host", "127.0.0.1", "--port", "0", "--no-token", "--agent", "mine=run 'it now'"];
    assert_eq!(arguments[..fixed.len()], fixed);
    assert!(
        arguments.iter().any(|arg| arg.starts_with("puppet=") && arg.ends_with("sa-puppet --slow-start 5"))
    );
    assert!(arguments.ends_with(&["--extra"]), "{arguments:?}");
    assert!(lines.contains(&"EXTRA=1") && lines.contains(&"[limits]") && lines.contains(&"log-bytes = 4096"));
    let home = daemon.sandbox().home().display().to_string();
    assert!(lines.contains(&format!("HOME={home}").as_str()));
    assert!(!out.contains("CARGO"), "the environment of the test leaks: {out}");
    assert_eq!(daemon.token(), None);
    Ok(())
}

#[tokio::test]
async fn a_failed_start_shows_the_log() -> Result<()> {
    let error = scripted("echo 'port taken' >&2; exit 3")?.start().await.unwrap_err();
    let text = format!("{error:#}");
    assert!(text.contains("port taken") && text.contains("it ended"), "{text}");
    let finished = scripted("echo out; echo err >&2; exit 64")?.run_to_end().await?;
    assert_eq!((finished.status.code(), finished.stdout.as_str()), (Some(64), "out\n"));
    assert_eq!(finished.stderr, "err\n");
    Ok(())
}

#[tokio::test]
async fn all_that_it_started_goes_with_it() -> Result<()> {
    let script = format!("sh -c 'trap \"\" TERM; sleep 600' &\n(sh -c 'sleep 601' &)\n{LISTEN} wait");
    let daemon = scripted(&script)?.start().await?;
    until("both sleeps", || daemon.leftovers().iter().filter(|process| process.name == "sleep").count() == 2)
        .await?;
    let below = daemon.children();
    assert!(below.iter().all(|process| is_alive(process.pid)) && !below.is_empty());
    let started: Vec<u32> = daemon.leftovers().iter().chain(&below).map(|process| process.pid).collect();
    let (pid, home) = (daemon.pid(), PathBuf::from(daemon.sandbox().home()));
    drop(daemon);
    until("every process to be gone", || started.iter().all(|&pid| !is_alive(pid))).await?;
    assert!(!is_alive(pid) && !home.exists());
    Ok(())
}
