//! An agent that ends: nobody is left waiting, and it can be started again.

use anyhow::Result;
use futures_util::future::join_all;
use sa_e2e::{notification, poll, request};
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn everybody_who_waits_is_reported_at_once() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.post_async(request("\"async\"", "never", "{}")).await?.expect_status(202)?;
    let waiting = join_all((0..10).map(|id| acp.posting(request(id, "hold", "{}")).send()));
    let crashing = async {
        poll("eleven pending requests", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(11)).then_some(()))
        })
        .await?;
        let crashed = Instant::now();
        acp.post(notification("crash", r#"{"code":3,"stderr":"last words"}"#)).await?.expect_status(202)?;
        anyhow::Ok(crashed)
    };
    let timed = async {
        let replies = waiting.await;
        (replies, Instant::now())
    };
    let ((replies, answered), crashed) = tokio::join!(timed, crashing);
    let took = answered - crashed?;
    assert!(took < Duration::from_secs(1), "they were told after {took:?}");
    let exit = json!({"code": 3, "signal": null, "stderrTail": "last words"});
    for reply in replies {
        let problem = reply?.expect_problem(502, "agent_process_exited")?;
        assert_eq!(problem.document["details"], exit);
        assert!(problem.detail.contains("exit code 3"), "{}", problem.detail);
    }
    // A client that waits on the stream gets the error there, before the exit itself.
    let failed = stream.event().await?.json()?;
    assert_eq!((&failed["id"], &failed["error"]["data"]), (&json!("async"), &exit));
    let ended = stream.event().await?;
    assert_eq!((ended.event.as_str(), ended.json()?), ("exit", exit));
    Ok(())
}

#[tokio::test]
async fn a_message_to_an_ended_agent_says_how_it_ended() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.post(request(1, "crash", r#"{"code":4,"stderr":"why"}"#)).await?.expect_status(502)?;
    let messages = [request(2, "pid", "{}"), notification("x", "{}"), sa_e2e::response(1, "{}")];
    for message in messages {
        let problem = acp.post(message).await?.expect_problem(502, "agent_process_exited")?;
        assert_eq!(problem.document["details"], json!({"code": 4, "signal": null, "stderrTail": "why"}));
        assert!(problem.detail.contains("?agent="), "it says how to go on: {}", problem.detail);
    }
    assert_eq!(acp.listed().await?.unwrap()["status"], json!("exited"), "it stays listed");
    Ok(())
}

#[tokio::test]
async fn the_next_bootstrap_starts_it_again() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let first = acp.start("puppet").await?;
    acp.post_async(request(7, "never", "{}")).await?.expect_status(202)?;
    acp.post(request(8, "signal", r#"{"sig":9}"#)).await?.expect_problem(502, "agent_process_exited")?;
    let second = acp.start("puppet").await?;
    assert_ne!(first, second);
    let entry = acp.listed().await?.unwrap();
    assert_eq!(
        (&entry["status"], &entry["pid"], entry.get("exit")),
        (&json!("running"), &json!(second), None)
    );
    assert_eq!(entry["pendingRequests"], json!(0));
    assert_eq!(
        acp.call("ids", "{}").await?.as_array().unwrap().len(),
        2,
        "it got nothing of what was before"
    );
    // And again, by a notification this time, many at once: one of them starts it.
    acp.post(request(9, "crash", "{}")).await?.expect_status(502)?;
    let replies = join_all((0..5).map(|_| acp.posting_to("puppet", notification("x", "{}")).send())).await;
    assert!(replies.into_iter().all(|reply| reply.is_ok_and(|reply| reply.status == 202)));
    assert_eq!(acp.call("notify_count", "{}").await?, json!(5));
    Ok(())
}

#[tokio::test]
async fn an_agent_that_ends_at_once_is_reported_with_its_complaint() -> Result<()> {
    let daemon = Daemon::builder().puppet(&["--no-start"]).start().await?;
    let acp = daemon.acp("one");
    let problem =
        acp.post_to("puppet", request(1, "pid", "{}")).await?.expect_problem(502, "agent_process_exited")?;
    assert_eq!(problem.document["details"]["code"], json!(3));
    let tail = problem.document["details"]["stderrTail"].as_str().unwrap();
    assert!(tail.contains("told not to start"), "{tail}");
    let entry = acp.listed().await?.unwrap();
    assert_eq!((&entry["status"], &entry["exit"]["code"]), (&json!("exited"), &json!(3)));
    Ok(())
}

#[tokio::test]
async fn an_agent_that_leaves_in_good_order_has_still_not_answered() -> Result<()> {
    let daemon = Daemon::builder().puppet(&["--exit-after", "300"]).start().await?;
    let acp = daemon.acp("one");
    let reply = acp.post_to("puppet", request(1, "never", "{}")).await?;
    let problem = reply.expect_problem(502, "agent_process_exited")?;
    assert_eq!(problem.document["details"], json!({"code": 0, "signal": null, "stderrTail": ""}));
    Ok(())
}

#[tokio::test]
async fn an_agent_that_closes_its_output_is_ended() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    let waiting = acp.posting(request(1, "never", "{}")).send();
    let closing = async {
        poll("the request", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(1)).then_some(()))
        })
        .await?;
        acp.notify("close_stdout", "{}").await
    };
    let started = Instant::now();
    let (reply, closed) = tokio::join!(waiting, closing);
    closed?;
    reply?.expect_problem(502, "agent_process_exited")?;
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(stream.event().await?.event, "exit");
    sa_e2e::gone(&[pid], Duration::from_secs(3)).await?;
    assert_eq!(acp.listed().await?.unwrap()["status"], json!("exited"));
    assert_ne!(acp.start("puppet").await?, pid);
    Ok(())
}

#[tokio::test]
async fn an_agent_that_closes_its_input_is_ended() -> Result<()> {
    let daemon = Daemon::builder().puppet(&["--ignore-term"]).start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    acp.call("close_stdin", "{}").await?;
    let input = format!("/proc/{pid}/fd/0");
    let closed = || std::fs::read_link(&input).is_ok_and(|target| target.ends_with("null"));
    sa_testkit::until("the input to be closed", closed).await?;
    // The pipe is found closed by the message that goes there.
    let reply = acp.post(request(1, "pid", "{}")).await?;
    reply.expect_problem(502, "agent_process_exited")?;
    sa_e2e::gone(&[pid], Duration::from_secs(3)).await?;
    assert_ne!(acp.start("puppet").await?, pid);
    Ok(())
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_does_not_delay_the_news() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let tree = acp.call("spawn_tree", r#"{"hold_stdout":true,"ignore_term":true,"setsid":true}"#).await?;
    let pids: Vec<u32> = serde_json::from_value(tree["pids"].clone())?;
    let started = Instant::now();
    acp.post(request(1, "crash", "{}")).await?.expect_problem(502, "agent_process_exited")?;
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    sa_e2e::gone(&pids, Duration::from_secs(3)).await?;
    assert_eq!(acp.listed().await?.unwrap()["exit"]["code"], json!(1));
    Ok(())
}

#[tokio::test]
async fn a_crash_in_the_middle_of_a_flood_loses_nothing_that_was_written() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.post_async(request(1, "flood", r#"{"count":1000000,"bytes":1000}"#)).await?.expect_status(202)?;
    stream
        .find("the 500th", |event| event.json().is_ok_and(|data| data["params"]["n"] == json!(500)))
        .await?;
    acp.notify("crash", r#"{"code":5}"#).await?;
    let mut expected = 501;
    let ended = loop {
        let event = stream.event().await?;
        match event.json()?["params"]["n"].as_u64() {
            Some(n) => {
                assert_eq!(n, expected);
                expected += 1;
            }
            None if event.event == "exit" => break event.json()?,
            // The line that was being written and the request that it was written for.
            None => assert!(event.event == "unparsed" || event.json()?["error"].is_object(), "{event:?}"),
        }
    };
    assert_eq!(ended["code"], json!(5));
    assert_ne!(ended["stderrTail"], Value::Null);
    Ok(())
}
