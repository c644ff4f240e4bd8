//! How a server comes to be and ends.

use anyhow::Result;
use sa_e2e::{gone, notification, request};
use sa_testkit::{Acp, Daemon, Sse};
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_new_server_needs_an_agent() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("new");
    for message in [request(1, "pid", "{}"), notification("pid", "{}")] {
        let problem = acp.post(message).await?.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.contains("?agent="), "{}", problem.detail);
    }
    assert_eq!(acp.listed().await?, None);
    Ok(())
}

#[tokio::test]
async fn an_unknown_agent_is_refused_and_the_known_ones_are_named() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("new");
    let reply = acp.post_to("nobody", request(1, "pid", "{}")).await?;
    let problem = reply.expect_problem(400, "unsupported_agent")?;
    assert_eq!(problem.document["agent"], json!("nobody"));
    assert!(problem.detail.contains("puppet") && problem.detail.contains("demo"), "{}", problem.detail);
    assert_eq!(acp.listed().await?, None);
    Ok(())
}

#[tokio::test]
async fn a_server_keeps_its_agent() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).puppet_as("other", &[]).start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let reply = acp.post_to("other", request(1, "pid", "{}")).await?;
    let problem = reply.expect_problem(409, "conflict")?;
    assert_eq!(problem.document["agent"], json!("puppet"));
    assert_eq!(acp.start("puppet").await?, pid, "naming its own agent again starts nothing");
    assert_eq!(acp.call("pid", "{}").await?, json!(pid));
    acp.delete().await?.expect_status(204)?;
    assert_ne!(acp.start("other").await?, pid, "after DELETE the id is free");
    Ok(())
}

#[tokio::test]
async fn a_notification_starts_an_agent_too() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("quiet");
    let reply = acp.post_to("puppet", notification("anything", "{}")).await?.expect_status(202)?;
    assert!(reply.body.is_empty());
    assert_eq!(acp.call("notify_count", "{}").await?, json!(1));
    Ok(())
}

#[tokio::test]
async fn there_is_no_stream_of_an_unknown_server() -> Result<()> {
    let daemon = Daemon::builder().limit("stream-wait-ms", 10).start().await?;
    let Err(reply) = Sse::attempt(daemon.acp("nobody").listening()).await? else { panic!("a stream") };
    let problem = reply.expect_problem(404, "not_found")?;
    assert!(problem.detail.contains("nobody"), "{}", problem.detail);
    Ok(())
}

#[tokio::test]
async fn a_stream_may_be_asked_for_a_moment_before_its_server_exists() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("stream-wait-ms", 20_000).start().await?;
    let acp = daemon.acp("one");
    let opening = acp.events();
    let starting = async {
        // The stream is asked for first, and this long before.
        tokio::time::sleep(Duration::from_millis(300)).await;
        acp.start("puppet").await
    };
    let (stream, pid) = tokio::join!(opening, starting);
    let first = stream?.event().await?;
    assert_eq!((first.sequence()?, first.json()?["result"].clone()), (1, json!(pid?)), "nothing was missed");
    Ok(())
}

#[tokio::test]
async fn delete_may_be_repeated() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("stream-wait-ms", 10).start().await?;
    let acp = daemon.acp("one");
    assert!(acp.delete().await?.expect_status(204)?.body.is_empty(), "also before it ever was");
    let pid = acp.start("puppet").await?;
    acp.delete().await?.expect_status(204)?;
    gone(&[pid], Duration::ZERO).await?;
    acp.delete().await?.expect_status(204)?;
    assert_eq!(acp.listed().await?, None);
    acp.post(request(1, "pid", "{}")).await?.expect_problem(400, "invalid_request")?;
    acp.listening().send().await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn servers_do_not_share_anything() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (one, two) = (daemon.acp("one"), daemon.acp("two"));
    let pids = (one.start("puppet").await?, two.start("puppet").await?);
    assert_ne!(pids.0, pids.1);
    let (mut first, mut second) = (one.events().await?, two.events().await?);
    one.call("flood", r#"{"count":2,"label":"one"}"#).await?;
    two.call("flood", r#"{"count":1,"label":"two"}"#).await?;
    for (stream, count, label) in [(&mut first, 2, "one"), (&mut second, 1, "two")] {
        for n in 1..=count {
            assert_eq!(stream.event().await?.json()?["params"], json!({"label": label, "n": n, "pad": ""}));
        }
        assert!(stream.event().await?.json()?["result"].is_object());
    }
    one.post(request(9, "crash", "{}")).await?.expect_problem(502, "agent_process_exited")?;
    assert_eq!(two.call("pid", "{}").await?, json!(pids.1));
    assert_eq!(Acp::list(daemon.http()).await?.len(), 2);
    Ok(())
}
