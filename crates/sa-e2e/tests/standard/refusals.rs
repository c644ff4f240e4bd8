//! Refusals of the standard transport, and their form.

use crate::connection::{Connection, PUPPET, initialize};
use anyhow::Result;
use sa_e2e::{notification, request, response};
use sa_testkit::Daemon;
use serde_json::{Value, json};

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

#[tokio::test]
async fn a_connection_is_initialized_once() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let id = connection.id.split('-').map(str::len).collect::<Vec<_>>();
    assert_eq!(id, [8, 4, 4, 4, 12], "a UUID: {}", connection.id);
    let again = connection.posting(None, request(1, "initialize", "{}"));
    again.send().await?.expect_problem(400, "invalid_request")?;
    let mut opened = daemon.http().ws(PUPPET).connect().await?;
    opened.send(&request(0, "initialize", "{}")).await?;
    assert_eq!(opened.message().await?, response(0, "{}"));
    let joined = daemon.http().ws("/acp").header("acp-connection-id", &connection.id).connect().await?;
    for mut socket in [opened, joined] {
        socket.send(&request(7, "initialize", "{}")).await?;
        let refused: Value = serde_json::from_str(&socket.message().await?)?;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
        socket.send(&request(8, "echo", "{}")).await?;
        assert_eq!(socket.message().await?, response(8, "{}"), "the socket lives");
    }
    Ok(())
}

#[tokio::test]
async fn a_new_socket_says_initialize_first() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("header-read-ms", 300).start().await?;
    for first in [Some(request(1, "echo", "{}")), Some(notification("echo", "{}")), None] {
        let mut socket = daemon.http().ws(PUPPET).connect().await?;
        if let Some(first) = &first {
            socket.send("no json").await?;
            assert!(socket.message().await?.contains("-32700"), "a broken frame is none");
            socket.send(first).await?;
        }
        assert_eq!(socket.next().await?, None, "{first:?}");
        assert_eq!(socket.closed().map(|(code, _)| *code), Some(1002), "{first:?}");
    }
    sa_e2e::poll("their agents to end", async || {
        Ok(sa_testkit::Acp::list(daemon.http()).await?.is_empty().then_some(()))
    })
    .await
}

#[tokio::test]
async fn messages_of_sessions_name_them() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let named = r#"{"sessionId":"s1"}"#;
    for method in ["prompt", "cancel", "close", "set_mode", "set_config_option"] {
        for params in ["{}", named] {
            let message = request(1, &format!("session/{method}"), params);
            let refused = connection.posting(None, message.clone()).send().await?;
            refused.expect_problem(400, "invalid_request")?;
            connection.post(Some("s1"), message).await?;
        }
    }
    // Some stock clients leave the header out here.
    for method in ["load", "resume", "fork", "delete", "set_model"] {
        let method = format!("session/{method}");
        let refused = connection.posting(None, request(1, &method, "{}")).send().await?;
        refused.expect_problem(400, "invalid_request")?;
        connection.post(None, request(1, &method, named)).await?;
    }
    for method in ["session/new", "session/list", "authenticate", "_x/y"] {
        connection.post(None, request(1, method, "{}")).await?;
    }
    Ok(())
}
