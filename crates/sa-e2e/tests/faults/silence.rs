//! The timeout is on silence, not on the length of a turn.

use anyhow::Result;
use sa_e2e::{poll, request, response};
use sa_testkit::Daemon;
use serde_json::json;
use std::time::{Duration, Instant};

const SILENCE: u64 = 400;

async fn daemon() -> Result<Daemon> {
    Daemon::builder().puppet(&[]).limit("silence-ms", SILENCE).start().await
}

#[tokio::test]
async fn a_silent_agent_is_given_up_on_and_may_still_answer() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    let started = Instant::now();
    let late = r#"{"name":"late","z":1e+29}"#;
    let problem = acp.post(request(5, "hold", late)).await?.expect_problem(504, "timeout")?;
    assert!(started.elapsed() >= Duration::from_millis(SILENCE), "{:?}", started.elapsed());
    assert!(problem.detail.contains("0.4 s"), "{}", problem.detail);
    // The agent lives, the request is still open, and its answer goes to the stream under the client's id.
    assert_eq!(acp.listed().await?.unwrap()["pendingRequests"], json!(1));
    // Meanwhile the client may use the id again.
    assert_eq!(acp.post(request(5, "echo", "[5]")).await?.expect_status(200)?.text(), response(5, "[5]"));
    acp.call("release", r#"{"names":["late"]}"#).await?;
    stream.find("the late answer", |event| event.data == response(5, late)).await?;
    assert_eq!(acp.call("pid", "{}").await?, json!(pid));
    Ok(())
}

#[tokio::test]
async fn a_long_turn_that_is_not_silent_goes_on() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let started = Instant::now();
    let answer = acp.call("flood", r#"{"count":12,"everyMs":100}"#).await?;
    assert_eq!(answer, json!({"sent": 12}));
    assert!(started.elapsed() > Duration::from_millis(2 * SILENCE));
    Ok(())
}

#[tokio::test]
async fn an_agent_that_waits_for_a_client_is_not_silent() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let asking = acp.posting(request(5, "ask", r#"{"method":"session/request_permission","id":1}"#)).send();
    let answering = async {
        // Longer than the silence that an agent is allowed: somebody has to think.
        tokio::time::sleep(Duration::from_millis(3 * SILENCE)).await;
        acp.post(response(1, "{}")).await
    };
    let (reply, answered) = tokio::join!(asking, answering);
    answered?.expect_status(202)?;
    assert_eq!(reply?.expect_status(200)?.text(), response(5, &response(1, "{}")));
    Ok(())
}

#[tokio::test]
async fn the_silence_begins_again_when_the_client_has_answered() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.post_async(acp.envelope("ask", r#"{"method":"x","id":1}"#)).await?.expect_status(202)?;
    let waiting = acp.posting(request(5, "never", "{}")).send();
    let answering = async {
        poll("the request", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(2)).then_some(()))
        })
        .await?;
        tokio::time::sleep(Duration::from_millis(2 * SILENCE)).await;
        let answered = Instant::now();
        acp.post(response(1, "{}")).await?.expect_status(202)?;
        anyhow::Ok(answered)
    };
    let timed = async {
        let reply = waiting.await;
        (reply, Instant::now())
    };
    let ((reply, failed), answered) = tokio::join!(timed, answering);
    reply?.expect_problem(504, "timeout")?;
    assert!(failed - answered? >= Duration::from_millis(SILENCE));
    Ok(())
}

#[tokio::test]
async fn requests_that_were_given_up_do_not_use_up_the_limit() -> Result<()> {
    let builder = Daemon::builder().puppet(&[]).limit("silence-ms", SILENCE).limit("pending-requests", 3);
    let daemon = builder.start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let silent = (0..3).map(|id| acp.posting(request(id, "never", "{}")).send());
    for reply in futures_util::future::join_all(silent).await {
        reply?.expect_problem(504, "timeout")?;
    }
    for id in 0..3 {
        let answer = acp.post(request(id, "echo", &format!("[{id}]"))).await?.expect_status(200)?;
        assert_eq!(answer.text(), response(id, &format!("[{id}]")));
    }
    Ok(())
}

#[tokio::test]
async fn nobody_waits_forever_for_a_silent_agent() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    let mut socket = acp.ws("").connect().await?;
    acp.post_async(request("\"async\"", "never", "{}")).await?.expect_status(202)?;
    socket.send(&request("\"socket\"", "never", "{}")).await?;
    let failed = |message: serde_json::Value, id: &str| {
        assert_eq!((&message["id"], &message["error"]["code"]), (&json!(id), &json!(-32603)), "{message}");
        assert!(message["error"]["message"].as_str().unwrap().contains("0.4 s"), "{message}");
    };
    failed(serde_json::from_str(&socket.message().await?)?, "socket");
    failed(stream.event().await?.json()?, "async");
    // The same on a connection.
    let mut socket = daemon.http().ws("/acp?agent=puppet").connect().await?;
    socket.send(&request(0, "initialize", r#"{"protocolVersion":1}"#)).await?;
    socket.message().await?;
    socket.send(&request("\"connection\"", "never", "{}")).await?;
    failed(serde_json::from_str(&socket.message().await?)?, "connection");
    Ok(())
}

#[tokio::test]
async fn zero_means_never() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("silence-ms", 0).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    acp.post(request(5, "delay", r#"{"ms":700}"#)).await?.expect_status(200)?;
    Ok(())
}
