//! What the standard transport refuses, and how.

use crate::connection::{Connection, PUPPET, initialize};
use anyhow::Result;
use sa_e2e::request;
use sa_testkit::Daemon;

#[tokio::test]
async fn a_connection_must_be_opened_before_it_is_used() -> Result<()> {
    let daemon = Daemon::start().await?;
    let http = daemon.http();
    http.post(PUPPET)
        .json(request(1, "session/new", "{}"))
        .send()
        .await?
        .expect_problem(400, "invalid_request")?;
    initialize(http, "/acp").await?.expect_problem(400, "invalid_request")?;
    initialize(http, "/acp?agent=nobody").await?.expect_problem(400, "unsupported_agent")?;
    initialize(http, "/v1/agents/nobody/acp").await?.expect_problem(400, "unsupported_agent")?;
    http.get("/acp")
        .header("accept", "text/event-stream")
        .send()
        .await?
        .expect_problem(400, "invalid_request")?;
    http.delete("/acp").send().await?.expect_problem(400, "invalid_request")?;
    for path in ["/acp", "/v1/agents/puppet/acp"] {
        let gone = |request: sa_testkit::Request| request.header("acp-connection-id", "acp-gone");
        gone(http.post(path).json(request(1, "x", "{}"))).send().await?.expect_problem(404, "not_found")?;
        gone(http.get(path).header("accept", "text/event-stream"))
            .send()
            .await?
            .expect_problem(404, "not_found")?;
        gone(http.delete(path)).send().await?.expect_problem(404, "not_found")?;
    }
    assert!(sa_testkit::Acp::list(http).await?.is_empty(), "nothing was started");
    Ok(())
}

#[tokio::test]
async fn contradictions_are_named() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mismatch = connection.posting(Some("s1"), request(1, "echo", r#"{"sessionId":"s2"}"#));
    mismatch.send().await?.expect_problem(400, "invalid_request")?;
    let batch = connection.posting(None, format!("[{}]", request(1, "echo", "1")));
    batch.send().await?.expect_problem(400, "invalid_request")?;
    let text = connection.posting(None, request(1, "echo", "1")).header("content-type", "text/plain");
    text.send().await?.expect_problem(415, "unsupported_media_type")?;
    let json = connection.listening(None).header("accept", "application/json");
    json.send().await?.expect_problem(406, "not_acceptable")?;
    let cursor = connection.listening(None).header("last-event-id", "soon");
    cursor.send().await?.expect_problem(400, "invalid_request")?;
    let other = daemon.http().post("/v1/acp/other").json(request(1, "x", "{}"));
    other.header("acp-connection-id", &connection.id).send().await?.expect_problem(400, "invalid_request")?;
    Ok(())
}

#[tokio::test]
async fn streams_are_bounded() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("streams-per-connection", 2).start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let _open = (connection.stream(Some("a")).await?, connection.stream(Some("b")).await?);
    connection.listening(Some("c")).send().await?.expect_problem(429, "too_many_requests")?;
    Ok(())
}

#[tokio::test]
async fn an_initialize_that_fails_leaves_no_connection() -> Result<()> {
    // It answers initialize with an error before anything else can.
    let script = r#"read line; echo '{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}}'; exec sleep 600"#;
    let daemon = Daemon::builder()
        .agent("grumpy", &format!("sh -c \"{}\"", script.replace('"', "\\\"")))
        .start()
        .await?;
    let reply = initialize(daemon.http(), "/acp?agent=grumpy").await?.expect_status(200)?;
    assert_eq!(reply.json()?["error"]["message"], "no");
    assert!(!reply.headers.contains_key("acp-connection-id"));
    assert!(sa_testkit::Acp::list(daemon.http()).await?.is_empty());
    Ok(())
}
