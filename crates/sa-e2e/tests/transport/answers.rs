//! An answer reaches its caller, or can be read later.

use crate::clients::pending;
use anyhow::Result;
use sa_e2e::{request, response};
use sa_testkit::{Acp, Daemon, Ws};
use serde_json::{Value, json};

const EVENTS: &str = "sandbox-agent.events.v1";

/// Returns the next message of a socket that has events, or bare messages.
async fn message(socket: &mut Ws, has_events: bool) -> Result<Value> {
    let message: Value = serde_json::from_str(&socket.message().await?)?;
    assert!(!has_events || message["event"] == json!("message"), "{message}");
    Ok(if has_events { message["data"].clone() } else { message })
}

/// Sends a request over a socket that is cut before the answer.
async fn ask_and_cut(acp: &Acp, id: u64, name: &str) -> Result<()> {
    let before = acp.listed().await?.unwrap()["pendingRequests"].as_u64().unwrap();
    let mut socket = acp.ws("").connect().await?;
    socket.send(&request(id, "hold", &format!(r#"{{"name":"{name}"}}"#))).await?;
    pending(acp, before + 1).await
}

#[tokio::test]
async fn a_socket_that_resumes_gets_the_answer_that_the_cut_one_asked_for() -> Result<()> {
    let daemon = Daemon::start().await?;
    for (server, is_late, has_events) in
        [("a", false, false), ("b", true, false), ("c", false, true), ("d", true, true)]
    {
        let acp = daemon.acp(server);
        acp.start("puppet").await?;
        ask_and_cut(&acp, 7, "turn").await?;
        if !is_late {
            acp.call("release", r#"{"names":["turn"]}"#).await?;
        }
        let again = acp.ws("?lastEventId=1");
        let mut again = if has_events { again.subprotocol(EVENTS) } else { again }.connect().await?;
        if is_late {
            acp.call("release", r#"{"names":["turn"]}"#).await?;
        }
        let expected: Value = serde_json::from_str(&response(7, r#"{"name":"turn"}"#))?;
        assert_eq!(message(&mut again, has_events).await?, expected, "{server}");
        // A socket that does not resume is shown nobody else's.
        let mut fresh = acp.ws("").connect().await?;
        fresh.send(&request(1, "echo", "1")).await?;
        assert_eq!(fresh.message().await?, response(1, "1"));
    }
    Ok(())
}

#[tokio::test]
async fn a_connection_is_resumed_by_its_next_socket() -> Result<()> {
    let daemon = Daemon::start().await?;
    let mut socket = daemon.http().ws("/acp?agent=puppet").connect().await?;
    let id = socket.headers["acp-connection-id"].to_str()?.to_owned();
    socket.send(&request(0, "initialize", r#"{"protocolVersion":1}"#)).await?;
    socket.message().await?;
    socket.send(&request(1, "hold", r#"{"name":"turn"}"#)).await?;
    let acp = daemon.acp(&id);
    pending(&acp, 1).await?;
    drop(socket);
    acp.call("release", r#"{"names":["turn"]}"#).await?;
    let again = daemon.http().ws("/acp?lastEventId=1").header("acp-connection-id", &id);
    assert_eq!(again.connect().await?.message().await?, response(1, r#"{"name":"turn"}"#));
    Ok(())
}

#[tokio::test]
async fn an_answer_that_may_be_anothers_is_not_passed_off_as_ones_own() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    ask_and_cut(&acp, 7, "first").await?;
    ask_and_cut(&acp, 7, "second").await?;
    acp.call("release", r#"{"names":["first","second"]}"#).await?;
    let mut bare = acp.ws("?lastEventId=1").connect().await?;
    assert_eq!(bare.next().await?, None);
    assert_eq!(bare.closed().unwrap().0, 4000);
    let mut events = acp.ws("?lastEventId=1").subprotocol(EVENTS).connect().await?;
    for name in ["first", "second"] {
        let event: Value = serde_json::from_str(&events.message().await?)?;
        assert_eq!((&event["event"], &event["data"]["result"]["name"]), (&json!("response"), &json!(name)));
    }
    Ok(())
}

#[tokio::test]
async fn answers_under_colliding_ids_are_on_the_streams_for_those_who_lost_them() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut live = acp.events().await?;
    // A socket and two POSTs under one id. The socket is cut, one POST is cut after the answer was written.
    ask_and_cut(&acp, 5, "socket").await?;
    let unread = acp.posting(request(5, "hold", r#"{"name":"unread"}"#)).send_and_never_read().await?;
    pending(&acp, 2).await?;
    let read = acp.posting(request(5, "hold", r#"{"name":"read"}"#)).send();
    let releasing = acp.call("release", r#"{"names":["read","unread","socket"]}"#);
    let (read, released) = tokio::join!(read, releasing);
    released?;
    assert_eq!(read?.expect_status(200)?.text(), response(5, r#"{"name":"read"}"#));
    drop(unread);
    // Later answers to which nothing happened.
    acp.post(request(6, "echo", "6")).await?.expect_status(200)?;
    for stream in [&mut live, &mut acp.events_after(0).await?] {
        for name in ["read", "unread", "socket"] {
            let expected = response(5, &format!(r#"{{"name":"{name}"}}"#));
            let event = stream.find(name, |event| event.data == expected).await?;
            assert_eq!(event.event, "response", "{name}: clients that match by id alone must not take it");
        }
        stream.find("the later answer", |event| event.data == response(6, "6")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_socket_that_is_gone_learns_of_a_crash_when_it_resumes() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    ask_and_cut(&acp, 7, "never released").await?;
    acp.post(request(1, "crash", r#"{"code":3}"#)).await?.expect_status(502)?;
    let mut stream = acp.events_after(1).await?;
    let failed = stream.event().await?.json()?;
    assert_eq!((&failed["id"], &failed["error"]["data"]["code"]), (&json!(7), &json!(3)));
    let mut again = acp.ws("?lastEventId=1").connect().await?;
    let failed: Value = serde_json::from_str(&again.message().await?)?;
    assert_eq!((&failed["id"], &failed["error"]["data"]["code"]), (&json!(7), &json!(3)));
    Ok(())
}
