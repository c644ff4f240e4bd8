//! The data directory holds programs that the daemon runs: nobody else may write there, and secrets are private.

use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox, daemon_path};
use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::sync::Arc;

/// Returns each entry below a directory with its mode, but links, which have none of their own.
fn modes(directory: &Path) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.path().symlink_metadata() else { continue };
        if metadata.is_symlink() {
            continue;
        }
        found.push((entry.path().display().to_string(), metadata.mode() & 0o7777));
        if metadata.is_dir() {
            found.extend(modes(&entry.path()));
        }
    }
    found
}

/// A daemon that a careless script starts.
#[tokio::test]
async fn a_permissive_umask_opens_nothing_to_others() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let wrapper = sandbox.path("daemon.sh");
    std::fs::write(&wrapper, format!("#!/bin/sh\numask 0\nexec '{}' \"$@\"\n", daemon_path()?.display()))?;
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755))?;
    let mut daemon =
        Daemon::builder().sandbox(Arc::clone(&sandbox)).binary(wrapper).puppet(&[]).start().await?;
    let http = daemon.http();
    http.post("/v1/sessions/s").json(r#"{"agent":"demo"}"#).send().await?.expect_status(201)?;
    let message = json!({"message": "say hello"}).to_string();
    http.post("/v1/sessions/s/messages/stream").json(message).send().await?.expect_status(200)?;
    let server = json!({"type": "local", "command": "x"}).to_string();
    let home = sandbox.home().display().to_string();
    let place = format!("/v1/config/mcp?directory={home}&mcpName=x");
    http.put(&place).json(server).send().await?.expect_status(204)?;
    daemon.acp("one").start("puppet").await?;
    assert!(daemon.stop().await?.status.success());
    let data = sandbox.data_home().join("sandbox-agent");
    let top = std::fs::metadata(&data).context("a data directory")?.mode() & 0o7777;
    assert_eq!(top & 0o022, 0, "others can write to it: {top:o}");
    for (path, mode) in modes(&data) {
        // A directory that others cannot enter protects everything in it.
        assert!(
            mode & 0o002 == 0 || top & 0o077 == 0,
            "{path} has mode {mode:o}, {} {top:o}",
            data.display()
        );
    }
    // It accepts its own directory again.
    Daemon::builder().sandbox(sandbox).start().await?;
    Ok(())
}

#[tokio::test]
async fn a_link_is_judged_by_the_directory_that_it_leads_to() -> Result<()> {
    let sandbox = Sandbox::new()?;
    let (target, link) = (sandbox.path("target"), sandbox.path("link"));
    std::fs::create_dir(&target)?;
    symlink(&target, &link)?;
    let arguments = ["server", "--no-token", "--port=0", "--data-dir"].map(std::ffi::OsStr::new);
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o777))?;
    let ended = sandbox.run(arguments.into_iter().chain([link.as_os_str()])).await?;
    assert_eq!(ended.status.code(), Some(64), "{ended}");
    assert!(ended.stderr.contains("every user can write"), "{ended}");
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o700))?;
    // Only root can give a directory away.
    if std::os::unix::fs::chown(&target, Some(65534), Some(65534)).is_ok() {
        let ended = sandbox.run(arguments.into_iter().chain([link.as_os_str()])).await?;
        assert_eq!(ended.status.code(), Some(64), "{ended}");
        assert!(ended.stderr.contains("belongs to user 65534"), "{ended}");
        std::os::unix::fs::chown(&target, Some(0), Some(0))?;
    }
    std::fs::remove_file(&link)?;
    symlink(sandbox.path("nothing"), &link)?;
    let ended = sandbox.run(arguments.into_iter().chain([link.as_os_str()])).await?;
    assert_ne!(ended.status.code(), Some(0), "a dangling link: {ended}");
    Ok(())
}
