//! Each stream carries its messages, and nothing is lost between two readers.

use crate::connection::{Connection, PUPPET, label};
use anyhow::Result;
use sa_e2e::{request, response};
use sa_testkit::{Daemon, Sse};
use serde_json::json;

#[tokio::test]
async fn initialize_is_answered_in_the_body_everything_else_on_streams() -> Result<()> {
    let daemon = Daemon::start().await?;
    for path in [PUPPET, "/v1/agents/puppet/acp"] {
        let connection = Connection::open(&daemon, path).await?;
        let mut stream = connection.stream(None).await?;
        assert_eq!(stream.headers()["acp-connection-id"], connection.id.as_str());
        connection.post(None, request(1, "echo", r#"{"z":1e+29}"#)).await?;
        assert_eq!(stream.event().await?.data, response(1, r#"{"z":1e+29}"#), "and not initialize's answer");
    }
    Ok(())
}

#[tokio::test]
async fn messages_go_to_the_stream_of_their_session() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut whole = connection.stream(None).await?;
    let mut first = connection.stream(Some("s1")).await?;
    connection.say(Some("s1"), "for s1").await?;
    connection.say(None, "for all").await?;
    // Nobody reads s2 yet: it waits.
    connection.say(Some("s2"), "for s2").await?;
    connection.post(Some("s1"), request(1, "echo", r#"{"sessionId":"s1","label":"answer"}"#)).await?;
    assert_eq!(label(&mut first).await?, "for s1");
    assert_eq!(first.event().await?.json()?["result"]["label"], json!("answer"));
    assert_eq!(label(&mut whole).await?, "for all");
    let mut second = connection.stream(Some("s2")).await?;
    assert_eq!(label(&mut second).await?, "for s2");
    Ok(())
}

#[tokio::test]
async fn the_answer_for_a_session_that_nobody_reads_is_on_the_connections_stream() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut whole = connection.stream(None).await?;
    // Some clients open a session's stream only after the answer to session/load.
    connection.post(Some("s1"), request(1, "echo", r#"{"sessionId":"s1"}"#)).await?;
    assert_eq!(whole.event().await?.json()?["id"], json!(1));
    Ok(())
}

#[tokio::test]
async fn responses_of_clients_need_no_session_header() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut stream = connection.stream(Some("s1")).await?;
    let ask = r#"{"method":"session/request_permission","id":9,"params":{"sessionId":"s1"}}"#;
    connection.post(Some("s1"), request(1, "ask", ask)).await?;
    assert_eq!(stream.event().await?.json()?["id"], json!(9));
    connection.post(None, response(9, r#"{"ok":true}"#)).await?;
    let outcome = stream.event().await?;
    assert!(outcome.data.contains("\"ok\":true"), "{outcome:?}");
    Ok(())
}

#[tokio::test]
async fn a_second_reader_is_refused_unless_it_resumes() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut first = connection.stream(None).await?;
    connection.say(None, "one").await?;
    connection.say(None, "two").await?;
    let seen = first.event().await?.sequence()?;
    connection.listening(None).send().await?.expect_problem(409, "conflict")?;
    let mut second = Sse::open(connection.listening(None).header("last-event-id", &seen.to_string())).await?;
    assert_eq!(label(&mut second).await?, "two");
    // The first one has ended; what it had buffered may still come.
    while first.next_event().await?.is_some() {}
    connection.say(None, "three").await?;
    assert_eq!(label(&mut second).await?, "three");
    Ok(())
}

#[tokio::test]
async fn the_next_reader_goes_on_where_the_last_one_stopped() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    connection.say(None, "one").await?;
    connection.read_and_leave(None, r#""one""#).await?;
    connection.say(None, "two").await?;
    let mut second = sa_e2e::poll("the stream to be free", async || {
        Ok(Sse::attempt(connection.listening(None)).await?.ok())
    })
    .await?;
    assert_eq!(label(&mut second).await?, "two", "nothing between them is lost");
    Ok(())
}

#[tokio::test]
async fn both_transports_share_a_server() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("mine");
    acp.start("puppet").await?;
    let http = daemon.http();
    let named = |request: sa_testkit::Request| request.header("acp-connection-id", "mine");
    let mut stream = Sse::open(named(http.get("/v1/acp/mine").header("accept", "text/event-stream"))).await?;
    named(http.post("/v1/acp/mine").json(request(5, "echo", r#""standard""#)))
        .send()
        .await?
        .expect_status(202)?;
    assert_eq!(stream.event().await?.data, response(5, r#""standard""#), "and not what POSTs were answered");
    assert_eq!(acp.call("echo", r#""own""#).await?, json!("own"));
    named(http.delete("/v1/acp/mine")).send().await?.expect_status(202)?;
    assert_eq!(acp.listed().await?, None);
    Ok(())
}
