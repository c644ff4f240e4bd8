//! A store that is damaged, in use, or newer: refused, with a way out, never replaced.

use anyhow::{Context, Result, ensure};
use sa_testkit::{Daemon, Sandbox};
use serde_json::json;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// Returns a home in which a daemon has kept a session, and where.
async fn with_a_session() -> Result<(Arc<Sandbox>, PathBuf)> {
    let mut daemon = Daemon::builder().start().await?;
    let body = json!({ "agent": "demo" }).to_string();
    daemon.http().post("/v1/sessions/kept").json(body).send().await?.expect_status(201)?;
    daemon.stop().await?;
    let sandbox = daemon.sandbox();
    let store = find(sandbox.home()).context("a store")?;
    Ok((sandbox, store))
}

pub(crate) fn find(folder: &std::path::Path) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.filter_map(Result::ok).find_map(|entry| {
        let path = entry.path();
        if path.is_dir() { find(&path) } else { path.ends_with("sessions.db").then_some(path) }
    })
}

#[tokio::test]
async fn a_damaged_store_is_refused_with_a_way_out() -> Result<()> {
    let (sandbox, store) = with_a_session().await?;
    let mut bytes = fs::read(&store)?;
    let middle = bytes.len() / 2;
    bytes[..100].fill(b'?');
    bytes[middle..].fill(0xA5);
    fs::write(&store, &bytes)?;
    let ended = Daemon::builder().sandbox(Arc::clone(&sandbox)).run_to_end().await?;
    ensure!(ended.status.code() == Some(1), "{ended:?}");
    ensure!(ended.stderr.contains("damaged") && ended.stderr.contains("mv "), "{}", ended.stderr);
    ensure!(fs::read(&store)? == bytes, "it was changed");
    fs::rename(&store, store.with_extension("damaged"))?;
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    let list = daemon.http().get("/v1/sessions").send().await?.expect_status(200)?.json()?;
    ensure!(list["sessions"] == json!([]), "{list}");
    Ok(())
}

#[tokio::test]
async fn two_daemons_do_not_share_a_store() -> Result<()> {
    let first = Daemon::builder().start().await?;
    let second = Daemon::builder().sandbox(first.sandbox()).run_to_end().await?;
    ensure!(second.status.code() == Some(1), "{second:?}");
    ensure!(second.stderr.contains("in use"), "{}", second.stderr);
    Ok(())
}
