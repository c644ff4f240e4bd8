//! A daemon without a token: only this machine, by its own names, and no web page.

use anyhow::{Context, Result};
use sa_e2e::request;
use sa_testkit::{Daemon, Request};

fn addressed(request: Request, host: &str) -> Request {
    request.header("host", host)
}

#[tokio::test]
async fn only_loopback_may_be_addressed() -> Result<()> {
    let daemon = Daemon::builder().no_token().puppet(&[]).start().await?;
    let http = daemon.http();
    let port = http.address().port();
    for host in ["127.0.0.1", "localhost", "LocalHost", "[::1]", "127.1.2.3", "app.localhost"] {
        for host in [host.to_owned(), format!("{host}:{port}"), format!("{host}:1")] {
            addressed(http.get("/v1/agents"), &host).send().await?.expect_status(200).context(host)?;
        }
    }
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.1",
        "0.0.0.0",
        "evil.example:80",
    ] {
        for path in ["/v1/agents", "/v1/health", "/nothing"] {
            let reply = addressed(http.get(path), host).send().await?;
            reply.expect_problem(403, "permission_denied").with_context(|| format!("{host} {path}"))?;
        }
        let posting = http.post("/v1/acp/one?agent=puppet").json(request(1, "pid", "{}"));
        addressed(posting, host).send().await?.expect_problem(403, "permission_denied").context(host)?;
    }
    assert_eq!(daemon.acp("one").listed().await?, None);
    Ok(())
}

#[tokio::test]
async fn other_names_can_be_allowed() -> Result<()> {
    let daemon = Daemon::builder().no_token().arg("--allow-host").arg("box.example").start().await?;
    let http = daemon.http();
    for host in ["box.example", "BOX.example:8080", "localhost"] {
        addressed(http.get("/v1/agents"), host).send().await?.expect_status(200).context(host)?;
    }
    for host in ["other.example", "x.box.example", "box.example.org"] {
        addressed(http.get("/v1/agents"), host)
            .send()
            .await?
            .expect_problem(403, "permission_denied")
            .context(host)?;
    }
    Ok(())
}

#[tokio::test]
async fn a_page_of_another_origin_is_turned_away() -> Result<()> {
    let daemon = Daemon::builder().no_token().puppet(&[]).start().await?;
    let (http, acp) = (daemon.http(), daemon.acp("one"));
    acp.start("puppet").await?;
    let address = http.address();
    for origin in
        ["http://evil.example", "https://127.0.0.1.evil.example", "null", "http://127.0.0.1:1", "file://"]
    {
        let reply = http.get("/v1/agents").header("origin", origin).send().await?;
        reply.expect_problem(403, "permission_denied").context(origin)?;
        let posting = acp.posting(request(1, "pid", "{}")).header("origin", origin);
        posting.send().await?.expect_problem(403, "permission_denied").context(origin)?;
        let Err(reply) = acp.ws("").header("origin", origin).attempt().await? else { panic!("{origin}") };
        reply.expect_problem(403, "permission_denied").context(origin)?;
    }
    http.get("/v1/agents").header("origin", &format!("http://{address}")).send().await?.expect_status(200)?;
    acp.ws("").header("origin", &format!("http://{address}")).connect().await?;
    Ok(())
}

#[tokio::test]
async fn an_allowed_origin_may_call() -> Result<()> {
    let daemon =
        Daemon::builder().no_token().arg("--cors-allow-origin").arg("https://app.example").start().await?;
    let get = |origin: &str| daemon.http().get("/v1/agents").header("origin", origin);
    let reply = get("https://app.example").send().await?.expect_status(200)?;
    assert_eq!(reply.header("access-control-allow-origin"), "https://app.example");
    get("https://other.example").send().await?.expect_problem(403, "permission_denied")?;
    Ok(())
}

#[tokio::test]
async fn with_a_token_any_name_will_do() -> Result<()> {
    // A sandbox is reached under names that nobody knows beforehand; there the token decides.
    let daemon = Daemon::start().await?;
    let get = || daemon.http().get("/v1/agents");
    addressed(get(), "sandbox-42.example").send().await?.expect_status(200)?;
    get().header("origin", "https://app.example").send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn no_token_has_to_be_said() -> Result<()> {
    let daemon = Daemon::builder().token_unsaid().start().await?;
    daemon.http().get("/v1/agents").send().await?.expect_problem(401, "token_invalid")?;
    Ok(())
}
