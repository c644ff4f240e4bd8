//! Tickets: for any stream once and soon, or for one stream until they expire.

use anyhow::{Context, Result};
use futures_util::future::join_all;
use sa_e2e::{millis, poll};
use sa_testkit::{Daemon, Http, Request, Sse};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Returns a ticket and when it expires, in milliseconds since 1970.
async fn issue(http: &Http) -> Result<(String, u64)> {
    let ticket = http.post("/v1/tickets").send().await?.expect_status(201)?.json()?;
    assert_eq!(ticket.get("path"), None);
    read(&ticket)
}

async fn issue_for(http: &Http, path: &str) -> Result<(String, u64)> {
    let body = json!({ "path": path }).to_string();
    let ticket = http.post("/v1/tickets").json(body).send().await?.expect_status(201)?.json()?;
    assert_eq!(ticket["path"], path);
    read(&ticket)
}

fn read(ticket: &Value) -> Result<(String, u64)> {
    let text = ticket["ticket"].as_str().context("a ticket")?.to_owned();
    Ok((text, millis(&ticket["expiresAt"])?))
}

/// Returns the request that an `EventSource` makes: no custom header but the last id.
fn event_source(http: &Http, path: &str, last_event_id: Option<&str>) -> Request {
    let request = http.with_token(None).get(path).header("accept", "text/event-stream");
    match last_event_id {
        Some(id) => request.header("last-event-id", id),
        None => request,
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64
}

#[tokio::test]
async fn a_ticket_opens_one_socket_of_any_kind() -> Result<()> {
    let daemon = Daemon::start().await?;
    let unknown = daemon.http().with_token(None);
    for path in
        ["/v1/acp/one?agent=puppet&ticket=", "/acp?agent=puppet&ticket=", "/v1/agents/puppet/acp?ticket="]
    {
        let before = now();
        let (ticket, expires) = issue(daemon.http()).await?;
        assert!((before + 30_000..=now() + 30_000).contains(&expires), "half a minute: {expires}");
        assert!(ticket.len() >= 32 && ticket.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{ticket}");
        let address = format!("{path}{ticket}");
        let mut socket = unknown.ws(&address).connect().await.context(path)?;
        socket.send(&sa_e2e::request(0, "initialize", r#"{"protocolVersion":1}"#)).await?;
        socket.message().await?;
        socket.send(&sa_e2e::request(1, "echo", "7")).await?;
        assert_eq!(socket.message().await?, sa_e2e::response(1, "7"));
        let Err(reply) = unknown.ws(&address).attempt().await? else { panic!("{path} opened twice") };
        reply.expect_problem(401, "token_invalid")?;
        socket.send(&sa_e2e::request(2, "echo", "8")).await?;
        assert_eq!(socket.message().await?, sa_e2e::response(2, "8"), "the first socket does not notice");
    }
    Ok(())
}

#[tokio::test]
async fn of_many_who_come_with_one_ticket_one_gets_in() -> Result<()> {
    let daemon = Daemon::start().await?;
    daemon.acp("one").start("puppet").await?;
    let unknown = daemon.http().with_token(None);
    let (ticket, _) = issue(daemon.http()).await?;
    let address = format!("/v1/acp/one?ticket={ticket}");
    let attempts = join_all((0..16).map(|_| unknown.ws(&address).attempt())).await;
    let mut opened = 0;
    for attempt in attempts {
        match attempt? {
            Ok(_) => opened += 1,
            Err(reply) => drop(reply.expect_problem(401, "token_invalid")?),
        }
    }
    assert_eq!(opened, 1);
    Ok(())
}

#[tokio::test]
async fn a_ticket_does_not_last() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("ticket-ms", 50).start().await?;
    daemon.acp("one").start("puppet").await?;
    let (ticket, expires) = issue(daemon.http()).await?;
    poll("the ticket to expire", async || Ok((now() > expires).then_some(()))).await?;
    let address = format!("/v1/acp/one?ticket={ticket}");
    let Err(reply) = daemon.http().with_token(None).ws(&address).attempt().await? else {
        panic!("it opened")
    };
    reply.expect_problem(401, "token_invalid")?;
    Ok(())
}

#[tokio::test]
async fn a_ticket_is_good_for_nothing_else() -> Result<()> {
    let daemon = Daemon::start().await?;
    let other = Daemon::start().await?;
    daemon.acp("one").start("puppet").await?;
    let unknown = daemon.http().with_token(None);
    let (ticket, _) = issue(daemon.http()).await?;
    for request in [
        unknown.get(&format!("/v1/agents?ticket={ticket}")),
        unknown.request("HEAD".parse()?, &format!("/v1/acp/one?ticket={ticket}")),
        unknown.get(&format!("/v1/fs/file?path=x&ticket={ticket}")),
        unknown.get(&format!("/v1/fs/file?path=x&ticket={ticket}")).header("accept", "text/event-stream"),
        unknown.get(&format!("/v1/sessions?ticket={ticket}")).header("upgrade", "websocket"),
        unknown.post(&format!("/v1/tickets?ticket={ticket}")),
        unknown.post(&format!("/v1/tickets?ticket={ticket}")).header("upgrade", "websocket"),
        unknown.delete(&format!("/v1/acp/one?ticket={ticket}")).header("upgrade", "websocket"),
        unknown.get("/v1/agents").header("authorization", &format!("Bearer {ticket}")),
        unknown.get("/v1/agents").header("x-sandbox-agent-token", &ticket),
    ] {
        let what = request.to_string();
        assert_eq!(request.send().await?.status, 401, "{what}");
    }
    let elsewhere = other.http().with_token(None).ws(&format!("/v1/acp/one?agent=puppet&ticket={ticket}"));
    let Err(reply) = elsewhere.attempt().await? else { panic!("another daemon took it") };
    reply.expect_problem(401, "token_invalid")?;
    unknown.ws(&format!("/v1/acp/one?ticket={ticket}")).connect().await.context("it was not used up")?;
    Ok(())
}

#[tokio::test]
async fn an_event_source_reconnects_with_its_ticket() -> Result<()> {
    let daemon = Daemon::start().await?;
    let http = daemon.http();
    http.post("/v1/sessions/s").json(r#"{"agent":"demo"}"#).send().await?;
    let before = now();
    let (ticket, expires) = issue_for(http, "/v1/sessions/s/events/sse").await?;
    assert!((before + 3_600_000..=now() + 3_600_000).contains(&expires), "an hour: {expires}");
    let address = format!("/v1/sessions/s/events/sse?ticket={ticket}");
    let mut stream = Sse::open(event_source(http, &address, None)).await?;
    let first = stream.event().await?.sequence()?;
    drop(stream);
    let say =
        |text: &str| http.post("/v1/sessions/s/messages").json(json!({ "message": text }).to_string()).send();
    say("say one").await?;
    let mut again = Sse::open(event_source(http, &address, Some(&first.to_string()))).await?;
    assert_eq!(again.event().await?.sequence()?, first + 1, "where it was cut off");

    let unknown = http.with_token(None);
    http.post("/v1/sessions/t").json(r#"{"agent":"demo"}"#).send().await?;
    for other in ["/v1/sessions/t/events/sse", "/v1/sessions/s/events", "/v1/sessions/s", "/v1/fs/watch"] {
        let reply = event_source(&unknown, &format!("{other}?ticket={ticket}"), None).send().await?;
        reply.expect_problem(401, "token_invalid").context(other)?;
    }
    http.delete(&format!("/v1/tickets/{ticket}")).send().await?.expect_status(204)?;
    event_source(http, &address, None).send().await?.expect_problem(401, "token_invalid")?;
    http.delete(&format!("/v1/tickets/{ticket}")).send().await?.expect_status(204)?;
    // A stream that is open stays open.
    say("say two").await?;
    again.find("the second message", |event| event.data.contains("say two")).await?;
    Ok(())
}

#[tokio::test]
async fn a_ticket_opens_any_event_stream_once() -> Result<()> {
    let daemon = Daemon::start().await?;
    let http = daemon.http();
    daemon.acp("one").start("puppet").await?;
    let process = http.post("/v1/processes").json(r#"{"command":"cat"}"#).send().await?.json()?;
    let logs = format!("/v1/processes/{}/logs/sse", process["id"].as_str().context("an id")?);
    for path in ["/v1/acp/one", logs.as_str(), "/v1/fs/watch"] {
        let (ticket, _) = issue(http).await?;
        let address = format!("{path}?ticket={ticket}");
        let stream = Sse::open(event_source(http, &address, None)).await.context(path.to_owned())?;
        event_source(http, &address, None).send().await?.expect_problem(401, "token_invalid")?;
        drop(stream);
    }
    Ok(())
}

#[tokio::test]
async fn a_request_for_a_ticket_that_makes_no_sense_is_refused() -> Result<()> {
    let daemon = Daemon::start().await?;
    let wrong = [
        (json!({"path": "/v1/fs/file"}), "member 'path': expected the path of a stream (/acp, "),
        (
            json!({"path": "/v1/sessions/s/events/sse?offset=1"}),
            "member 'path': expected the path of a stream",
        ),
        (json!({"path": "https://elsewhere/v1/fs/watch"}), "member 'path': expected the path of a stream"),
        (json!({"path": ""}), "member 'path': expected the path of a stream"),
        (
            json!({"lifetimeMs": 0}),
            "member 'lifetimeMs': expected a number from 1 to 300000 in a request without 'path', got 0",
        ),
        (json!({"lifetimeMs": 300_001}), "member 'lifetimeMs': expected a number from 1 to 300000"),
        (
            json!({"path": "/v1/fs/watch", "lifetimeMs": 86_400_001}),
            "member 'lifetimeMs': expected a number from 1 to 86400000 in a request with 'path', got 86400001",
        ),
        (json!({"life": 1}), "unknown member 'life'"),
    ];
    for (body, said) in wrong {
        let reply = daemon.http().post("/v1/tickets").json(body.to_string()).send().await?;
        let problem = reply.expect_problem(400, "invalid_request")?;
        assert!(problem.detail.starts_with(said), "{body}: {}", problem.detail);
    }
    let most = json!({"path": "/v1/fs/watch", "lifetimeMs": 86_400_000}).to_string();
    daemon.http().post("/v1/tickets").json(most).send().await?.expect_status(201)?;
    Ok(())
}
