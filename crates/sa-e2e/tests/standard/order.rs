//! Everything about one session comes in the order in which the agent said it.

use crate::connection::{Connection, PUPPET, label};
use anyhow::Result;
use sa_e2e::{notification, poll, request, response};
use sa_testkit::{Acp, Daemon, Sse};
use serde_json::json;

async fn write(connection: &Connection, line: String) -> Result<()> {
    connection.post(None, notification("raw", &sa_e2e::write(line + "\n"))).await
}

/// Makes a session as `session/new` does: its id is in the answer to a request of the connection.
async fn make(connection: &Connection, whole: &mut Sse, session: &str) -> Result<()> {
    connection.post(None, request("\"new\"", "never", "{}")).await?;
    write(connection, response("\"new\"", &format!(r#"{{"sessionId":"{session}"}}"#))).await?;
    assert_eq!(whole.event().await?.json()?["result"]["sessionId"], json!(session));
    Ok(())
}

#[tokio::test]
async fn an_answer_waits_with_the_updates_before_it() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut whole = connection.stream(None).await?;
    make(&connection, &mut whole, "s1").await?;
    connection.say(Some("s1"), "update").await?;
    connection.post(Some("s1"), request(2, "echo", r#"{"sessionId":"s1"}"#)).await?;
    connection.post(None, request(3, "echo", "{}")).await?;
    assert_eq!(whole.event().await?.json()?["id"], json!(3), "the connection's own answer only");
    // Some clients open the stream of a session only now.
    let read = connection.read_and_leave(Some("s1"), r#""id":2"#).await?;
    assert!(read.contains(r#""update""#), "it was said before the answer: {read}");
    // The same after the reader went away.
    connection.say(Some("s1"), "again").await?;
    connection.post(Some("s1"), request(4, "echo", r#"{"sessionId":"s1"}"#)).await?;
    let mut session = poll("the stream to be free", async || {
        Ok(Sse::attempt(connection.listening(Some("s1"))).await?.ok())
    })
    .await?;
    assert_eq!(label(&mut session).await?, "again");
    assert_eq!(session.event().await?.json()?["id"], json!(4));
    whole.expect_silence(std::time::Duration::from_millis(50)).await
}

#[tokio::test]
async fn a_session_without_a_stream_is_loaded_on_the_connections() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut whole = connection.stream(None).await?;
    // Clients that open a session's stream after the answer to `session/load` must get the history before it.
    connection.post(None, request(1, "hold", r#"{"name":"load","sessionId":"old"}"#)).await?;
    connection.say(Some("old"), "history").await?;
    connection.post(None, notification("release", r#"{"names":["load"]}"#)).await?;
    assert_eq!(label(&mut whole).await?, "history");
    assert_eq!(whole.event().await?.json()?["id"], json!(1));
    // Later messages are on the session's own stream.
    connection.say(Some("old"), "later").await?;
    connection.say(None, "for all").await?;
    assert_eq!(label(&mut whole).await?, "for all");
    assert_eq!(label(&mut connection.stream(Some("old")).await?).await?, "later");
    Ok(())
}

#[tokio::test]
async fn a_session_with_a_stream_is_loaded_there() -> Result<()> {
    let daemon = Daemon::start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut whole = connection.stream(None).await?;
    let mut session = connection.stream(Some("old")).await?;
    connection.post(Some("old"), request(1, "hold", r#"{"name":"load","sessionId":"old"}"#)).await?;
    connection.say(Some("old"), "history").await?;
    connection.post(None, notification("release", r#"{"names":["load"]}"#)).await?;
    assert_eq!(label(&mut session).await?, "history");
    assert_eq!(session.event().await?.json()?["id"], json!(1));
    connection.say(None, "for all").await?;
    assert_eq!(label(&mut whole).await?, "for all");
    Ok(())
}

/// Fills the log several times over and returns the number of the newest event.
async fn fill(daemon: &Daemon, server: &str) -> Result<()> {
    let acp = daemon.acp(server);
    acp.call("flood", r#"{"count":400,"bytes":1500}"#).await?;
    Ok(())
}

#[tokio::test]
async fn streams_work_after_the_log_was_cut() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", 200_000).start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    connection.post(None, request(1, "echo", r#"{"sessionId":"before"}"#)).await?;
    fill(&daemon, &connection.id).await?;
    // Nothing of a new session can be lost.
    connection.say(Some("new"), "hello").await?;
    connection.read_and_leave(Some("new"), r#""hello""#).await?;
    // The connection has lost its answer: its stream ends, and the next one continues with what is left.
    let mut lost = connection.stream(None).await?;
    while lost.next_event().await?.is_some() {}
    let mut whole =
        poll("the stream to be free", async || Ok(Sse::attempt(connection.listening(None)).await?.ok()))
            .await?;
    connection.say(None, "still here").await?;
    whole.find("what is said now", |event| event.data.contains("still here")).await?;
    // The same for a reader that was away, whether or not it sends Last-Event-ID.
    fill(&daemon, &connection.id).await?;
    for header in [None, Some("3"), Some("3")] {
        let listening = || match header {
            Some(id) => connection.listening(Some("new")).header("last-event-id", id),
            None => connection.listening(Some("new")),
        };
        let mut ended = poll("the stream", async || Ok(Sse::attempt(listening()).await?.ok())).await?;
        if header.is_none() {
            while ended.next_event().await?.is_some() {}
            let mut next = poll("the stream", async || Ok(Sse::attempt(listening()).await?.ok())).await?;
            connection.say(Some("new"), "back").await?;
            assert_eq!(label(&mut next).await?, "back");
        } else {
            assert!(ended.next_event().await?.is_none(), "the end is the sign of the gap");
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_standard_transport_joins_a_server_whose_log_was_cut() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("log-bytes", 200_000).start().await?;
    daemon.acp("mine").start("puppet").await?;
    fill(&daemon, "mine").await?;
    let http = daemon.http();
    let named = |request: sa_testkit::Request| request.header("acp-connection-id", "mine");
    let mut stream = Sse::open(named(http.get("/v1/acp/mine").header("accept", "*/*"))).await?;
    named(http.post("/v1/acp/mine").json(request(5, "echo", "{}"))).send().await?.expect_status(202)?;
    stream.find("the answer", |event| event.data == response(5, "{}")).await?;
    assert_eq!(Acp::list(http).await?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn sessions_are_not_counted_for_life() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("streams-per-connection", 3).start().await?;
    let connection = Connection::open(&daemon, PUPPET).await?;
    let mut whole = connection.stream(None).await?;
    for n in 0..12 {
        let session = format!("s{n}");
        let asked = request(n, "echo", &format!(r#"{{"sessionId":"{session}"}}"#));
        connection.post(Some(&session), asked).await?;
        assert_eq!(whole.event().await?.json()?["id"], json!(n), "nobody has opened its stream");
        drop(connection.stream(Some(&session)).await?);
        poll("the stream to be free", async || {
            Ok(Sse::attempt(connection.listening(Some(&session))).await?.ok())
        })
        .await?;
    }
    let long = "x".repeat(1025);
    connection.listening(Some(&long)).send().await?.expect_problem(400, "invalid_request")?;
    // Such a session has no stream but the connection's.
    connection.say(Some(&long), "long").await?;
    assert_eq!(label(&mut whole).await?, "long");
    Ok(())
}
