//! Starting, and refusing to.

use anyhow::Result;
use sa_testkit::{Daemon, Finished, Sandbox, daemon_path, until};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

fn expect_usage_error(ended: &Finished, words: &[&str]) {
    assert_eq!(ended.status.code(), Some(64), "{ended}");
    assert!(ended.stdout.is_empty(), "nothing is announced: {ended}");
    for word in words {
        assert!(ended.stderr.contains(word), "{word:?} is missing: {ended}");
    }
}

#[tokio::test]
async fn contradictions_about_access_are_bad_usage() -> Result<()> {
    let token = || Daemon::builder().token("s3cret");
    expect_usage_error(&token().arg("--no-token").run_to_end().await?, &["--token and --no-token"]);
    expect_usage_error(
        &token().arg("--token-file=/nonexistent").run_to_end().await?,
        &["--token and --token-file"],
    );
    let none = || Daemon::builder().token_unsaid();
    expect_usage_error(
        &none().arg("--no-token").arg("--token-file=/nonexistent").run_to_end().await?,
        &["--token-file and --no-token"],
    );
    expect_usage_error(&none().arg("--token-file=/nonexistent").run_to_end().await?, &["/nonexistent"]);
    expect_usage_error(&none().env("SANDBOX_AGENT_TOKEN", "").run_to_end().await?, &["the token is empty"]);
    let ended = Daemon::builder().token("s3cret words").run_to_end().await?;
    expect_usage_error(&ended, &["visible ASCII"]);
    assert!(!ended.stderr.contains("s3cret"), "{ended}");
    Ok(())
}

#[tokio::test]
async fn cors_that_browsers_would_refuse_is_bad_usage() -> Result<()> {
    let every = Daemon::builder().arg("-O=*").arg("-C");
    expect_usage_error(&every.run_to_end().await?, &["credentials"]);
    let nobody = Daemon::builder().arg("-M=GET");
    expect_usage_error(&nobody.run_to_end().await?, &["require --cors-allow-origin"]);
    let no_origin = Daemon::builder().arg("-O=app.example/path");
    expect_usage_error(&no_origin.run_to_end().await?, &["app.example/path"]);
    Ok(())
}

#[tokio::test]
async fn what_is_not_known_is_bad_usage() -> Result<()> {
    expect_usage_error(&Daemon::builder().arg("--tokn=x").run_to_end().await?, &["--tokn"]);
    expect_usage_error(&Daemon::builder().arg("leftover").run_to_end().await?, &["leftover"]);
    expect_usage_error(
        &Daemon::builder().env("SANDBOX_AGENT_NO_TOKEN", "maybe").run_to_end().await?,
        &["maybe"],
    );
    expect_usage_error(&Daemon::builder().config("no-tokn = true").run_to_end().await?, &["no-tokn"]);
    expect_usage_error(&Daemon::builder().limit("ticket-years", 3).run_to_end().await?, &["ticket-years"]);
    expect_usage_error(&Daemon::builder().agent("Bad Id", "x").run_to_end().await?, &["Bad Id"]);
    let sandbox = Sandbox::new()?;
    expect_usage_error(&sandbox.run(["serve"]).await?, &["serve"]);
    Ok(())
}

#[tokio::test]
async fn limits_that_cannot_work_are_bad_usage() -> Result<()> {
    for (key, value) in [("heartbeat-ms", 0), ("ticket-ms", 1 << 62), ("servers", 0)] {
        expect_usage_error(&Daemon::builder().limit(key, value).run_to_end().await?, &[key, "expected"]);
    }
    Ok(())
}

/// The owner of the data directory decides what the daemon runs.
#[tokio::test]
async fn a_data_directory_of_others_is_refused() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let mut homeless = sandbox.command(daemon_path()?);
    homeless.env_remove("HOME").env_remove("XDG_DATA_HOME").args(["server", "--no-token", "--port=0"]);
    expect_usage_error(&Finished::wait(homeless).await?, &["HOME", "--data-dir"]);
    let data = sandbox.path("shared");
    std::fs::create_dir(&data)?;
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o777))?;
    let arguments = ["server", "--no-token", "--port=0", "--data-dir"].map(OsStr::new);
    let ended = sandbox.run(arguments.into_iter().chain([data.as_os_str()])).await?;
    expect_usage_error(&ended, &["shared", "every user can write"]);
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755))?;
    // Only root can give a directory away.
    if std::os::unix::fs::chown(&data, Some(65534), Some(65534)).is_ok() {
        let ended = sandbox.run(arguments.into_iter().chain([data.as_os_str()])).await?;
        expect_usage_error(&ended, &["shared", "belongs to user 65534"]);
    }
    Ok(())
}

#[tokio::test]
async fn a_port_that_is_taken_is_a_failure_with_advice() -> Result<()> {
    let first = Daemon::start().await?;
    let port = first.http().address().port().to_string();
    let sandbox = Sandbox::new()?;
    let ended = sandbox.run(["server", "--no-token", "--port", &port]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert!(ended.stdout.is_empty(), "{ended}");
    for word in [port.as_str(), "127.0.0.1", "another program listens there", "--port"] {
        assert!(ended.stderr.contains(word), "{word:?} is missing: {ended}");
    }
    assert!(!ended.stderr.contains("panicked"), "{ended}");
    assert!(!sandbox.data_home().join("sandbox-agent").exists(), "nothing was written");
    first.http().get("/v1/agents").send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn an_address_that_is_not_ours_is_a_failure_with_advice() -> Result<()> {
    let sandbox = Sandbox::new()?;
    // Reserved for documentation, so no machine has it.
    let ended = sandbox.run(["server", "--no-token", "--host", "192.0.2.1", "--port", "0"]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert!(ended.stderr.contains("192.0.2.1") && ended.stderr.contains("--host"), "{ended}");
    Ok(())
}

#[tokio::test]
async fn help_and_version_are_no_errors() -> Result<()> {
    let sandbox = Sandbox::new()?;
    for words in [&["--version"][..], &["--help"], &["server", "--help"], &["api", "--help"], &["acp", "-h"]]
    {
        let ended = sandbox.run(words).await?;
        assert_eq!(ended.status.code(), Some(0), "{ended}");
        assert!(ended.stdout.contains("sandbox-agent") && ended.stderr.is_empty(), "{ended}");
    }
    Ok(())
}

#[tokio::test]
async fn a_flag_silences_the_variables_about_access() -> Result<()> {
    let builder = Daemon::builder().token("by-flag").env("SANDBOX_AGENT_NO_TOKEN", "true");
    let daemon = builder.env("SANDBOX_AGENT_TOKEN", "by-variable").start().await?;
    daemon.http().get("/v1/agents").send().await?.expect_status(200)?;
    let other = daemon.http().with_token(Some("by-variable"));
    other.get("/v1/agents").send().await?.expect_problem(401, "token_invalid")?;
    daemon.http().with_token(None).get("/v1/agents").send().await?.expect_problem(401, "token_invalid")?;
    Ok(())
}

#[tokio::test]
async fn the_first_line_says_where_it_listens() -> Result<()> {
    let daemon = Daemon::builder().token_unsaid().start().await?;
    until("the announcement", || daemon.stdout().lines().count() > 1).await?;
    assert_eq!(daemon.stdout().lines().next(), Some(format!("listening on {}", daemon.base_url()).as_str()));
    Ok(())
}
