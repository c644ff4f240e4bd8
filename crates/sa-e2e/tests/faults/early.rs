//! A turn that takes long: the status comes early, white space keeps the connection alive, the answer follows.

use anyhow::Result;
use sa_e2e::{poll, request, response};
use sa_testkit::{Acp, DEADLINE, Daemon, OpenReply};
use serde_json::{Value, json};

async fn daemon() -> Result<Daemon> {
    Daemon::builder().puppet(&[]).limit("early-answer-ms", 100).start().await
}

/// Sends a request that is not answered, and gives the head of the response, which has come already.
async fn long_turn(acp: &Acp, id: &str) -> Result<OpenReply> {
    let reply = acp.posting(request(id, "hold", r#"{"name":"turn","z":1e+29}"#)).open().await?;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.headers["content-type"], "application/json");
    assert_eq!(acp.listed().await?.unwrap()["pendingRequests"], json!(1), "the agent has not answered yet");
    Ok(reply)
}

/// The answer that follows.
async fn late_answer(reply: OpenReply) -> Result<Value> {
    reply.finish(DEADLINE).await?.json()
}

#[tokio::test]
async fn white_space_then_the_answer() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut reply = long_turn(&acp, r#""a\u0041""#).await?;
    for _ in 0..3 {
        let chunk = reply.chunk(DEADLINE).await?.expect("white space");
        assert!(chunk.iter().all(|byte| *byte == b' '), "{chunk:?}");
    }
    acp.call("release", "{}").await?;
    let reply = reply.finish(DEADLINE).await?;
    assert_eq!(
        reply.text().trim_start_matches(' '),
        response(r#""a\u0041""#, r#"{"name":"turn","z":1e+29}"#)
    );
    assert!(reply.json().is_ok(), "white space in front of JSON is JSON");
    Ok(())
}

#[tokio::test]
async fn an_answer_in_time_has_no_white_space() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    assert_eq!(acp.post(request(1, "echo", "1")).await?.expect_status(200)?.text(), response(1, "1"));
    Ok(())
}

#[tokio::test]
async fn a_crash_after_the_status_is_an_error_in_the_body() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let reply = long_turn(&acp, "\"turn\"").await?;
    acp.notify("crash", r#"{"code":3,"stderr":"why"}"#).await?;
    let error = late_answer(reply).await?;
    assert_eq!(
        (&error["jsonrpc"], &error["id"], &error["error"]["code"]),
        (&json!("2.0"), &json!("turn"), &json!(-32603))
    );
    let data = &error["error"]["data"];
    assert_eq!(data["type"], json!("urn:sandbox-agent:error:agent_process_exited"));
    assert_eq!(data["details"], json!({"code": 3, "signal": null, "stderrTail": "why"}));
    Ok(())
}

#[tokio::test]
async fn silence_after_the_status_is_an_error_in_the_body() -> Result<()> {
    let limits = Daemon::builder().puppet(&[]).limit("early-answer-ms", 100);
    let daemon = limits.limit("silence-ms", 1000).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let error = late_answer(long_turn(&acp, "7").await?).await?;
    assert_eq!((&error["id"], &error["error"]["data"]["status"]), (&json!(7), &json!(504)));
    // The answer may still come, on the stream.
    let mut stream = acp.events().await?;
    acp.call("release", "{}").await?;
    assert_eq!(stream.event().await?.data, response(7, r#"{"name":"turn","z":1e+29}"#));
    Ok(())
}

#[tokio::test]
async fn delete_after_the_status_is_an_error_in_the_body() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let reply = long_turn(&acp, "7").await?;
    acp.delete().await?.expect_status(204)?;
    let error = late_answer(reply).await?;
    assert_eq!((&error["id"], &error["error"]["data"]["status"]), (&json!(7), &json!(502)));
    Ok(())
}

#[tokio::test]
async fn a_client_that_leaves_a_long_turn_finds_the_answer_on_the_stream() -> Result<()> {
    let daemon = daemon().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    drop(long_turn(&acp, "7").await?);
    // The daemon notices at the next byte of white space; the agent never does.
    acp.call("release", "{}").await?;
    assert_eq!(stream.event().await?.data, response(7, r#"{"name":"turn","z":1e+29}"#));
    poll("nothing pending", async || {
        Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(0)).then_some(()))
    })
    .await
}
