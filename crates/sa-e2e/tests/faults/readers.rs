//! Fast agents and slow readers: nobody who reads loses anything, nobody who does not costs anything.

use anyhow::{Result, ensure};
use sa_testkit::{Acp, Daemon, Pace, Sse};
use serde_json::json;
use std::time::Duration;

/// Reads a flood of so many events from its first to its last, each in its place.
async fn read_flood(mut stream: Sse, count: u64) -> Result<()> {
    for n in 1..=count {
        let event = stream.event().await?;
        // Parsing each would make this reader the slowest part; its number stands at a known place.
        let expected = format!(r#"{{"jsonrpc":"2.0","method":"flood","params":{{"n":{n},"#);
        ensure!(
            event.event == "message" && event.data.starts_with(&expected),
            "{n} was expected, not {event:?}"
        );
    }
    Ok(())
}

async fn newest(acp: &Acp) -> Result<u64> {
    Ok(acp.listed().await?.unwrap()["lastEventId"].as_u64().unwrap())
}

mod heavy {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nine_readers_get_everything_while_the_tenth_reads_nothing() -> Result<()> {
        let log = 8 * MIB;
        let daemon = Daemon::builder()
            .puppet(&[])
            .limit("log-bytes", log)
            .limit("reader-lag-bytes", MIB)
            .start()
            .await?;
        let acp = daemon.acp("one");
        acp.start("puppet").await?;
        let mut readers = Vec::new();
        for _ in 0..9 {
            readers.push(tokio::spawn(read_flood(acp.events().await?, 20_000)));
        }
        let mut tenth = Sse::open(acp.listening().receive_buffer(4096)).await?;
        tenth.set_pace(Pace::Stalled);
        let before = daemon.rss_bytes()?;
        // 20 MB, more than the log and the kernel's buffers hold.
        acp.post_async(acp.envelope("flood", r#"{"count":20000,"bytes":1000}"#)).await?.expect_status(202)?;
        for reader in readers {
            reader.await??;
        }
        let grown = daemon.peak_rss_bytes()?.saturating_sub(before);
        assert!(grown < log + 16 * MIB, "the daemon grew by {} KiB", grown >> 10);
        // It reads again: everything in order, but for gaps that are reported.
        tenth.set_pace(Pace::Free);
        let (mut last, mut gaps, newest) = (1, 0, newest(&acp).await?);
        while last < newest {
            let event = tenth.event().await?;
            if event.event == "gap" {
                gaps += 1;
                last = event.json()?["oldest"].as_u64().unwrap() - 1;
            } else {
                assert_eq!(event.sequence()?, last + 1, "{event:?}");
                last += 1;
            }
        }
        assert_eq!(gaps, 1, "of 20 MB, 8 were kept");
        Ok(())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_slow_reader_loses_nothing_of_a_flood() -> Result<()> {
        let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", 8 * MIB).start().await?;
        let acp = daemon.acp("one");
        acp.start("puppet").await?;
        let before = daemon.rss_bytes()?;
        let slow = Pace::Slow { bytes: 128 * 1024, pause: Duration::from_millis(2) };
        let stream = Sse::open(acp.listening().pace(slow)).await?;
        acp.post_async(acp.envelope("flood", r#"{"count":20000,"bytes":10000}"#))
            .await?
            .expect_status(202)?;
        read_flood(stream, 20_000).await?;
        let grown = daemon.peak_rss_bytes()?.saturating_sub(before);
        assert!(grown < 32 * MIB, "the daemon grew by {} KiB", grown >> 10);
        let holds = daemon.http().get("/metrics").send().await?.text();
        let gaps = holds.lines().find(|line| line.starts_with("sandbox_agent_reader_gaps_total"));
        assert_eq!(gaps, Some("sandbox_agent_reader_gaps_total 0"));
        Ok(())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_reader_that_takes_long_for_one_message_still_reads() -> Result<()> {
        // At this pace a message of a mebibyte takes longer than a reader may be without progress.
        let limits = [("log-bytes", 4 * MIB), ("reader-lag-bytes", 2 * MIB), ("reader-stall-ms", 300)];
        let builder =
            limits.into_iter().fold(Daemon::builder().puppet(&[]), |b, (key, value)| b.limit(key, value));
        let daemon = builder.start().await?;
        let acp = daemon.acp("one");
        acp.start("puppet").await?;
        let slow = Pace::Slow { bytes: 64 * 1024, pause: Duration::from_millis(25) };
        let stream = Sse::open(acp.listening().receive_buffer(64 * 1024).pace(slow)).await?;
        acp.post_async(acp.envelope("flood", r#"{"count":14,"bytes":1048576}"#)).await?.expect_status(202)?;
        read_flood(stream, 14).await
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_log_smaller_than_the_lag_still_holds_the_agent_back() -> Result<()> {
        let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", MIB).start().await?;
        let acp = daemon.acp("one");
        acp.start("puppet").await?;
        let slow = Pace::Slow { bytes: 64 * 1024, pause: Duration::from_millis(5) };
        let stream = Sse::open(acp.listening().receive_buffer(64 * 1024).pace(slow)).await?;
        acp.post_async(acp.envelope("flood", r#"{"count":3000,"bytes":10000}"#)).await?.expect_status(202)?;
        read_flood(stream, 3000).await
    }

    #[tokio::test]
    async fn readers_of_one_server_do_not_hold_another_back() -> Result<()> {
        let daemon = Daemon::start().await?;
        let (one, two) = (daemon.acp("one"), daemon.acp("two"));
        one.start("puppet").await?;
        two.start("puppet").await?;
        let _stalled = one.listening().receive_buffer(4096).send_and_never_read().await?;
        one.post_async(one.envelope("flood", r#"{"count":3000,"bytes":10000}"#)).await?.expect_status(202)?;
        for n in 0..50 {
            assert_eq!(two.call("echo", &format!("{n}")).await?, json!(n));
        }
        Ok(())
    }
}
