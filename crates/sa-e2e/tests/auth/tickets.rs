//! Tickets: for one socket, once, soon.

use anyhow::{Context, Result};
use futures_util::future::join_all;
use sa_e2e::poll;
use sa_testkit::{Daemon, Http};
use std::time::{SystemTime, UNIX_EPOCH};

async fn issue(http: &Http) -> Result<(String, u64)> {
    let ticket = http.post("/v1/tickets").send().await?.expect_status(200)?.json()?;
    let text = ticket["ticket"].as_str().context("a ticket")?.to_owned();
    Ok((text, ticket["expiresAtMs"].as_u64().context("when it expires")?))
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
        unknown.get(&format!("/v1/acp/one?ticket={ticket}")),
        unknown.post(&format!("/v1/tickets?ticket={ticket}")),
        unknown.post(&format!("/v1/tickets?ticket={ticket}")).header("upgrade", "websocket"),
        unknown.delete(&format!("/v1/acp/one?ticket={ticket}")).header("upgrade", "websocket"),
        unknown.get("/v1/agents").header("authorization", &format!("Bearer {ticket}")),
        unknown.get("/v1/agents").header("x-sandbox-agent-token", &ticket),
    ] {
        let what = request.to_string();
        request.send().await?.expect_problem(401, "token_invalid").context(what)?;
    }
    let elsewhere = other.http().with_token(None).ws(&format!("/v1/acp/one?agent=puppet&ticket={ticket}"));
    let Err(reply) = elsewhere.attempt().await? else { panic!("another daemon took it") };
    reply.expect_problem(401, "token_invalid")?;
    unknown.ws(&format!("/v1/acp/one?ticket={ticket}")).connect().await.context("it was not used up")?;
    Ok(())
}
