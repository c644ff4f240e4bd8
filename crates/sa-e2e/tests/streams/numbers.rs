//! The number of an event means one event, however often its server is made again.

use anyhow::Result;
use sa_testkit::{Acp, Daemon};
use serde_json::json;

/// Starts the puppet, lets it say `count` things, and gives the number of the last.
async fn life(acp: &Acp, label: &str, count: u64) -> Result<u64> {
    acp.start("puppet").await?;
    acp.call("flood", &format!(r#"{{"count":{count},"label":"{label}"}}"#)).await?;
    Ok(acp.listed().await?.unwrap()["lastEventId"].as_u64().unwrap())
}

/// A reader that was in an earlier life sees everything of this one, or gets a gap.
async fn nothing_is_skipped(acp: &Acp, cursor: u64, label: &str) -> Result<()> {
    let mut stream = acp.events_after(cursor).await?;
    let first = stream.event().await?;
    if first.event != "gap" {
        // The answer to `start` comes first in each life.
        assert!(first.json()?["result"].is_number(), "after {cursor}: {first:?}");
    }
    let first = stream.find("the flood", |event| event.data.contains(label)).await?;
    assert_eq!(first.json()?["params"]["n"], json!(1), "after {cursor}");
    assert!(first.sequence()? < 1 << 53);
    Ok(())
}

#[tokio::test]
async fn a_cursor_of_a_deleted_server_skips_nothing_of_the_next() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let last = life(&acp, "first", 4).await?;
    assert_eq!(last, 6, "numbers of a new id count from 1");
    acp.delete().await?.expect_status(204)?;
    life(&acp, "second", 9).await?;
    for cursor in [1, 3, last, last + 1] {
        nothing_is_skipped(&acp, cursor, "second").await?;
    }
    nothing_is_skipped(&acp, 0, "second").await
}

#[tokio::test]
async fn a_cursor_of_an_earlier_daemon_skips_nothing() -> Result<()> {
    let mut daemon = Daemon::builder().puppet(&[]).start().await?;
    let last = life(&daemon.acp("one"), "first", 4).await?;
    let sandbox = daemon.sandbox();
    daemon.stop().await?;
    let daemon = Daemon::builder().puppet(&[]).sandbox(sandbox).start().await?;
    let acp = daemon.acp("one");
    life(&acp, "second", 9).await?;
    for cursor in [0, 1, 3, last, last + 1] {
        nothing_is_skipped(&acp, cursor, "second").await?;
    }
    Ok(())
}
