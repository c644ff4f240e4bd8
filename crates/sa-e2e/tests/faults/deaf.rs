//! An agent that does not read its input.

use anyhow::Result;
use sa_e2e::{gone, notification, request};
use sa_testkit::Daemon;
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn messages_are_taken_up_to_a_bound_and_then_refused() -> Result<()> {
    let daemon =
        Daemon::builder().puppet(&["--ignore-term"]).limit("stdin-queue-bytes", 256 * 1024).start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    acp.call("deaf", "{}").await?;
    let message = notification("x", &format!("\"{}\"", "x".repeat(32 * 1024)));
    let mut taken = 0;
    let refusal = loop {
        let started = Instant::now();
        let reply = acp.post(message.clone()).await?;
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        if reply.status != 202 {
            break reply;
        }
        taken += 1;
        assert!(taken < 100, "there is no bound");
    };
    let problem = refusal.expect_problem(502, "stream_error")?;
    assert!(problem.detail.contains("does not read"), "{}", problem.detail);
    assert!(taken >= 256 / 32, "only {taken} were taken");
    // A request is refused as well, a small one still finds room, and others are not affected.
    acp.post(request(1, "echo", &format!("\"{}\"", "x".repeat(64 * 1024))))
        .await?
        .expect_problem(502, "stream_error")?;
    assert_eq!(acp.post(notification("session/cancel", "{}")).await?.status, 202);
    let other = daemon.acp("two");
    other.start("puppet").await?;
    assert_eq!(other.call("echo", "[1]").await?, json!([1]));
    // It can be looked at and ended.
    let _stream = acp.events().await?;
    let started = Instant::now();
    acp.delete().await?.expect_status(204)?;
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    gone(&[pid], Duration::from_secs(1)).await
}

#[tokio::test]
async fn a_request_that_waits_for_a_deaf_agent_ends_with_delete() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.call("deaf", "{}").await?;
    let body = request(1, "echo", &format!("\"{}\"", "x".repeat(1 << 20)));
    let waiting = acp.posting(body).send();
    let deleting = async {
        sa_e2e::poll("the request", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(1)).then_some(()))
        })
        .await?;
        acp.delete().await
    };
    let (reply, deleted) = tokio::join!(waiting, deleting);
    deleted?.expect_status(204)?;
    reply?.expect_problem(502, "stream_error")?;
    Ok(())
}

#[tokio::test]
async fn what_was_queued_arrives_when_the_agent_reads_again() -> Result<()> {
    // Slow to start rather than deaf: 400 ms in which nothing is read.
    let daemon = Daemon::builder().puppet(&["--slow-start", "400"]).start().await?;
    let acp = daemon.acp("one");
    for n in 0..40 {
        let params = format!(r#"{{"n":{n},"pad":"{}"}}"#, "x".repeat(50_000));
        acp.post_to("puppet", notification("x", &params)).await?.expect_status(202)?;
    }
    assert_eq!(acp.call("notify_count", "{}").await?, json!(40));
    Ok(())
}
