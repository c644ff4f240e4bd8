//! The bytes of a stream.

use anyhow::Result;
use sa_e2e::{response, write};
use sa_testkit::{DEADLINE, Daemon, OpenReply};
use std::time::Duration;

async fn read_until(reply: &mut OpenReply, end: &str) -> Result<String> {
    let mut text = String::new();
    while !text.ends_with(end) {
        let chunk = reply.chunk(DEADLINE).await?.expect("the stream goes on");
        text.push_str(std::str::from_utf8(&chunk)?);
    }
    Ok(text)
}

#[tokio::test]
async fn an_event_is_framed_in_three_lines() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut reply = acp.listening().open().await?;
    let header =
        |name: &str| reply.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    assert_eq!(reply.status, 200);
    assert!(header("content-type").starts_with("text/event-stream"));
    assert_eq!((header("cache-control"), header("x-accel-buffering")), ("no-cache", "no"));
    // The opening says when to come back and where the reader stands: the first one before everything.
    let opening = read_until(&mut reply, "\n\n").await?;
    assert!(
        opening.lines().any(|line| line.strip_prefix("retry: ").is_some_and(|ms| ms.parse::<u32>().is_ok()))
    );
    assert!(opening.lines().any(|line| line == "id: 0"), "{opening:?}");
    let first = r#"{"jsonrpc":"2.0","method":"a","params":{"text":"x\ny"}}"#;
    let second = r#"{"jsonrpc":"2.0","method":"b"}"#;
    acp.post(sa_e2e::request(7, "raw", &write(format!("{first}\r\n\n{second}\nnoise\n")))).await?;
    let answer = response(7, "null");
    let unparsed = r#"{"raw":"noise","bytes":5,"truncated":false,"reason":"#;
    let text = read_until(&mut reply, &format!("data: {answer}\n\n")).await?;
    let expected = [
        format!("event: message\nid: 2\ndata: {first}\n\n"),
        format!("event: message\nid: 3\ndata: {second}\n\n"),
        format!("event: unparsed\nid: 4\ndata: {unparsed}"),
        format!("\n\nevent: message\nid: 5\ndata: {answer}\n\n"),
    ];
    assert!(text.starts_with(&expected[..3].concat()) && text.ends_with(&expected[3]), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_quiet_stream_has_a_heartbeat() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("heartbeat-ms", 50).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    stream.wait_for_comments(3).await?;
    acp.call("flood", r#"{"count":1}"#).await?;
    assert_eq!(stream.event().await?.sequence()?, 2, "events come between heartbeats");
    assert!(stream.retry().is_some_and(|retry| retry >= Duration::from_millis(100)), "{:?}", stream.retry());
    let beats = stream.comments();
    stream.wait_for_comments(beats + 2).await
}

#[tokio::test]
async fn a_heartbeat_is_not_due_by_default_within_seconds() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    stream.expect_silence(Duration::from_millis(500)).await?;
    assert_eq!(stream.comments(), 0);
    Ok(())
}
