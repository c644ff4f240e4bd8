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

/// A client that says `Prefer: wait` learns by the status what became of its request, however late that is.
#[tokio::test]
async fn a_client_that_waits_gets_the_status_with_the_answer() -> Result<()> {
    let daemon = daemon().await?;
    let hold = || request(7, "hold", r#"{"name":"turn"}"#);
    for prefer in ["wait", "wait=60"] {
        let acp = daemon.acp(&prefer.replace('=', "-"));
        acp.start("puppet").await?;
        let waiting = async |act: &str, params: &str| {
            let call = acp.posting(hold()).header("prefer", prefer).send();
            let act = async {
                poll("the request to reach the agent", async || {
                    Ok((acp.listed().await?.unwrap()["pendingRequests"] == json!(1)).then_some(()))
                })
                .await?;
                // Others get their status now.
                let reply = long_turn_beside(&acp).await?;
                acp.notify(act, params).await?;
                anyhow::Ok(reply)
            };
            let (reply, _beside) = tokio::try_join!(call, act)?;
            anyhow::Ok(reply)
        };
        let answered = waiting("release", "{}").await?.expect_status(200)?;
        assert_eq!(answered.text(), response(7, r#"{"name":"turn"}"#), "without white space");
        assert_eq!(answered.header("preference-applied"), prefer);
        acp.call("release", "{}").await?;
        let crashed = waiting("crash", r#"{"code":3,"stderr":"why"}"#).await?;
        let problem = crashed.expect_problem(502, "agent_process_exited")?;
        assert_eq!(problem.document["details"]["stderrTail"], "why");
        assert_eq!(crashed.header("preference-applied"), prefer);
    }
    Ok(())
}

/// Returns a request without preferences, which is answered with a status before the agent answers.
async fn long_turn_beside(acp: &Acp) -> Result<OpenReply> {
    let reply = acp.posting(request(8, "hold", r#"{"name":"other"}"#)).open().await?;
    assert_eq!(reply.status, 200);
    Ok(reply)
}

#[tokio::test]
async fn a_client_that_waits_for_a_silent_agent_gets_504() -> Result<()> {
    let limits = Daemon::builder().puppet(&[]).limit("early-answer-ms", 50);
    let daemon = limits.limit("silence-ms", 400).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let hold = || request(7, "hold", r#"{"name":"turn"}"#);
    let reply = acp.posting(hold()).header("prefer", "wait").send().await?;
    reply.expect_problem(504, "timeout")?;
    assert_eq!(reply.header("preference-applied"), "wait");
    // A wait that is over before the agent has answered ends as it does for others.
    let early = acp.posting(hold()).header("prefer", "wait=0").send().await?.expect_status(200)?;
    assert_eq!(early.header("preference-applied"), "wait=0");
    assert_eq!(early.json()?["error"]["data"]["status"], json!(504));
    let later = acp.posting(hold()).header("prefer", "respond-async").send().await?.expect_status(202)?;
    assert_eq!(later.header("preference-applied"), "respond-async");
    Ok(())
}
