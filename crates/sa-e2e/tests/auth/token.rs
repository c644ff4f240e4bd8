//! Where the token may be.

use anyhow::{Context, Result};
use sa_testkit::{Acp, Daemon};

/// Everything that visible ASCII allows and a query does not.
const ODD: &str = "a+b/c=d&e%20f#g?h\"i'j{k}~";
const ODD_IN_A_QUERY: &str = "a%2Bb%2Fc%3Dd%26e%2520f%23g%3Fh%22i'j%7Bk%7D~";

#[tokio::test]
async fn a_header_carries_it() -> Result<()> {
    for token in ["testkit-token", ODD] {
        let daemon = Daemon::builder().token(token).start().await?;
        let unknown = daemon.http().with_token(None);
        for scheme in ["Bearer ", "bearer ", "BEARER ", "bEaReR ", "Bearer    "] {
            let asking = unknown.get("/v1/agents").header("authorization", &format!("{scheme}{token}"));
            asking.send().await?.expect_status(200).context(scheme)?;
        }
        unknown.get("/v1/agents").header("x-sandbox-agent-token", token).send().await?.expect_status(200)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_gateway_may_use_authorization_itself() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).start().await?;
    let unknown = daemon.http().with_token(None);
    for gateway in
        ["Bearer the-gateways-own", "Basic dXNlcjpwYXNz", "", "Bearer", "Digest username=\"x\", uri=\"/\""]
    {
        let asking = unknown.get("/v1/agents").header("authorization", gateway);
        let refused = asking.clone().send().await?;
        let problem = refused.expect_problem(401, "token_invalid").context(gateway)?;
        let has_token = gateway.starts_with("Bearer ");
        assert_eq!(problem.detail.starts_with("the token is not the daemon's"), has_token, "{gateway}");
        let asking = asking.header("x-sandbox-agent-token", "testkit-token");
        asking.send().await?.expect_status(200).context(gateway)?;
        let socket = unknown.ws("/v1/acp/one?agent=puppet").header("authorization", gateway);
        socket.header("x-sandbox-agent-token", "testkit-token").connect().await.context(gateway)?;
    }
    // The other way round, too: one that is right is enough.
    let asking = daemon.http().get("/v1/agents").header("x-sandbox-agent-token", "of another daemon");
    asking.also_header("authorization", "Basic dXNlcjpwYXNz").send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn what_only_looks_like_it_is_refused() -> Result<()> {
    let daemon = Daemon::start().await?;
    let unknown = daemon.http().with_token(None);
    for (name, value) in [
        ("authorization", "testkit-token"),
        ("authorization", "Bearer"),
        ("authorization", "Bearer "),
        ("authorization", "Bearertestkit-token"),
        ("authorization", "Token testkit-token"),
        ("authorization", "Basic testkit-token"),
        ("authorization", "Bearer \"testkit-token\""),
        ("authorization", "Bearer testkit-token, Bearer x"),
        ("authorization", "Bearer testkit-token\u{e9}"),
        ("x-sandbox-agent-token", "Bearer testkit-token"),
        ("x-sandbox-agent-token", ""),
        ("cookie", "token=testkit-token; access_token=testkit-token"),
        ("proxy-authorization", "Bearer testkit-token"),
    ] {
        let reply = unknown.get("/v1/agents").header(name, value).send().await?;
        reply.expect_problem(401, "token_invalid").with_context(|| format!("{name}: {value}"))?;
    }
    Ok(())
}

#[tokio::test]
async fn a_query_carries_it_for_sockets_only() -> Result<()> {
    let daemon = Daemon::builder().token(ODD).puppet(&[]).start().await?;
    let unknown = daemon.http().with_token(None);
    let query = format!("agent=puppet&access_token={ODD_IN_A_QUERY}");
    unknown.ws(&format!("/v1/acp/one?{query}")).connect().await?;
    unknown.ws(&format!("/acp?{query}")).connect().await?;
    unknown.ws(&format!("/v1/agents/puppet/acp?access_token={ODD_IN_A_QUERY}")).connect().await?;

    let running = Acp::list(daemon.http()).await?.len();
    for name in ["access_token", "token", "ticket"] {
        let query = format!("agent=puppet&{name}={ODD_IN_A_QUERY}");
        let plain = [
            unknown.get(&format!("/v1/agents?{query}")),
            unknown.get(&format!("/v1/acp/one?{query}")).header("accept", "text/event-stream"),
            unknown.post(&format!("/v1/acp/two?{query}")).json(sa_e2e::request(1, "pid", "{}")),
            unknown.delete(&format!("/v1/acp/one?{query}")),
            // A request that claims to become a socket but cannot is none.
            unknown.post(&format!("/v1/tickets?{query}")).header("upgrade", "websocket"),
            unknown.delete(&format!("/v1/acp/one?{query}")).header("upgrade", "websocket"),
        ];
        for request in plain {
            let what = request.to_string();
            request.send().await?.expect_problem(401, "token_invalid").context(what)?;
        }
    }
    assert_eq!(Acp::list(daemon.http()).await?.len(), running);
    Ok(())
}

#[tokio::test]
async fn with_a_token_any_name_may_be_addressed() -> Result<()> {
    let daemon = Daemon::start().await?;
    let asking = daemon.http().get("/v1/agents").header("host", "sandbox-7f3a.gateway.example");
    asking.header("origin", "https://app.example").send().await?.expect_status(200)?;
    Ok(())
}
