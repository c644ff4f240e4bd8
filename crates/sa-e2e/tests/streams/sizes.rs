//! Messages of any size.

use anyhow::Result;
use sa_testkit::Daemon;

#[tokio::test]
async fn messages_of_every_size_arrive_whole() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    // Around the sizes of pipes, reads and chunks.
    for bytes in [100, 16_383, 16_384, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, 1 << 20, 5 << 20] {
        acp.call("huge", &format!(r#"{{"bytes":{bytes}}}"#)).await?;
        let event = stream.event().await?;
        assert_eq!((event.event.as_str(), event.data.len()), ("message", bytes));
        assert!(event.data.ends_with(r#"x"}}"#));
        stream.event().await?;
    }
    Ok(())
}

mod heavy {
    use super::*;
    use sa_testkit::until;
    use std::time::Duration;

    const MB: u64 = 1_000_000;

    #[tokio::test]
    async fn a_line_of_60_mb_passes_with_bounded_memory() -> Result<()> {
        let daemon = Daemon::start().await?;
        let acp = daemon.acp("one");
        acp.start("puppet").await?;
        let before = daemon.rss_bytes()?;
        let mut stream = acp.events().await?;
        acp.post_async(acp.envelope("huge", r#"{"bytes":60000000}"#)).await?.expect_status(202)?;
        let event = stream.next_within(Duration::from_secs(120)).await?.expect("an event");
        assert_eq!((event.event.as_str(), event.data.len()), ("message", 60_000_000));
        drop(event);
        // The line while it grows and the record that is made of it; not a copy for each step on its way.
        let peak = daemon.peak_rss_bytes()?.saturating_sub(before);
        assert!(peak < 200 * MB, "the daemon grew by {} MB", peak / MB);
        acp.delete().await?.expect_status(204)?;
        // The allocator may keep what the line grew through until the daemon next looks at its heap.
        until("the memory of a server that is gone", || {
            daemon.rss_bytes().is_ok_and(|now| now.saturating_sub(before) < 30 * MB)
        })
        .await
    }
}
