//! Pages of other origins: nothing unless allowed, and then what browsers need.

use anyhow::{Context, Result};
use sa_testkit::{Daemon, Http, Reply, Request};

const APP: &str = "https://app.example";

fn preflight(http: &Http, path: &str, origin: &str, method: &str) -> Result<Request> {
    let asking = http.with_token(None).request("OPTIONS".parse()?, path).header("origin", origin);
    let asking = asking.header("access-control-request-method", method);
    Ok(asking.header("access-control-request-headers", "authorization,content-type,last-event-id"))
}

fn lists(reply: &Reply, header: &str, wanted: &[&str]) {
    let listed: Vec<String> =
        reply.header(header).split(',').map(|name| name.trim().to_ascii_lowercase()).collect();
    for name in wanted {
        assert!(listed.contains(&name.to_ascii_lowercase()), "{name} is not in {header}: {listed:?}");
    }
}

fn has_no_cors_headers(reply: &Reply) {
    let names: Vec<_> =
        reply.headers.keys().filter(|name| name.as_str().starts_with("access-control-")).collect();
    assert!(names.is_empty(), "{names:?}");
}

#[tokio::test]
async fn it_is_off_by_default() -> Result<()> {
    let daemon = Daemon::start().await?;
    for path in ["/v1/agents", "/v1/health", "/v1/acp/one", "/acp"] {
        let reply = preflight(daemon.http(), path, APP, "GET")?.send().await?;
        match path {
            "/v1/health" => reply.expect_problem(405, "method_not_allowed")?,
            _ => reply.expect_problem(401, "token_invalid").context(path)?,
        };
        has_no_cors_headers(&reply);
    }
    let reply = daemon.http().get("/v1/agents").header("origin", APP).send().await?.expect_status(200)?;
    has_no_cors_headers(&reply);
    let open = Daemon::builder().no_token().start().await?;
    let reply = preflight(open.http(), "/v1/agents", APP, "GET")?.send().await?;
    reply.expect_problem(403, "permission_denied")?;
    has_no_cors_headers(&reply);
    Ok(())
}

#[tokio::test]
async fn a_preflight_needs_no_token() -> Result<()> {
    let daemon =
        Daemon::builder().puppet(&[]).arg("-O").arg(APP).arg("-O=http://localhost:3000").start().await?;
    for origin in [APP, "http://localhost:3000"] {
        for (path, method) in
            [("/v1/agents", "GET"), ("/v1/acp/one?agent=puppet", "POST"), ("/acp", "DELETE")]
        {
            let reply = preflight(daemon.http(), path, origin, method)?.send().await?.expect_status(200)?;
            assert_eq!(reply.header("access-control-allow-origin"), origin);
            lists(&reply, "access-control-allow-methods", &["GET", "POST", "PUT", "PATCH", "DELETE"]);
            let headers = [
                "authorization",
                "content-type",
                "accept",
                "last-event-id",
                "prefer",
                "x-sandbox-agent-token",
                "acp-connection-id",
                "acp-session-id",
            ];
            lists(&reply, "access-control-allow-headers", &headers);
            assert_eq!(reply.header("access-control-allow-credentials"), "");
            assert!(
                reply
                    .headers
                    .get_all("vary")
                    .iter()
                    .any(|value| value.to_str().is_ok_and(|v| v.contains("origin")))
            );
        }
    }
    Ok(())
}

#[tokio::test]
async fn other_origins_stay_out() -> Result<()> {
    let daemon = Daemon::builder().arg("-O").arg(APP).start().await?;
    for origin in [
        "https://evil.example",
        "null",
        "http://app.example",
        "https://app.example.evil",
        "https://app.example:444",
    ] {
        let reply = preflight(daemon.http(), "/v1/agents", origin, "GET")?.send().await?;
        assert_eq!(reply.header("access-control-allow-origin"), "", "{origin}");
        let reply =
            daemon.http().get("/v1/agents").header("origin", origin).send().await?.expect_status(200)?;
        assert_eq!(reply.header("access-control-allow-origin"), "", "{origin}");
    }
    Ok(())
}

#[tokio::test]
async fn an_allowed_page_can_read_everything_it_needs() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).arg("-O").arg(APP).start().await?;
    let initialize = sa_e2e::request(1, "initialize", "{}");
    let opening = daemon.http().post("/acp?agent=puppet").json(initialize).header("origin", APP);
    let opened = opening.send().await?.expect_status(200)?;
    assert_eq!(opened.header("access-control-allow-origin"), APP);
    assert!(!opened.header("acp-connection-id").is_empty());
    lists(&opened, "access-control-expose-headers", &["acp-connection-id", "acp-session-id"]);
    // Refusals as well, or the page could not distinguish a wrong token from a missing daemon.
    let unknown = daemon.http().with_token(None);
    let refused = unknown.get("/v1/agents").header("origin", APP).send().await?;
    refused.expect_problem(401, "token_invalid")?;
    assert_eq!(refused.header("access-control-allow-origin"), APP);
    let missing = daemon.http().get("/nothing").header("origin", APP).send().await?;
    missing.expect_problem(404, "not_found")?;
    assert_eq!(missing.header("access-control-allow-origin"), APP);
    let stream = daemon.acp("one");
    stream.start("puppet").await?;
    let events = sa_testkit::Sse::open(stream.listening().header("origin", APP)).await?;
    assert_eq!(events.headers()["access-control-allow-origin"], APP);
    Ok(())
}

#[tokio::test]
async fn methods_headers_and_credentials_can_be_chosen() -> Result<()> {
    let builder =
        Daemon::builder().arg("-O").arg(APP).arg("-M=GET,HEAD").arg("-A=x-mine").arg("-A=authorization");
    let daemon = builder.arg("--cors-allow-credentials").start().await?;
    let reply = preflight(daemon.http(), "/v1/agents", APP, "GET")?.send().await?.expect_status(200)?;
    assert_eq!(reply.header("access-control-allow-credentials"), "true");
    assert_eq!(reply.header("access-control-allow-methods"), "GET,HEAD");
    assert_eq!(reply.header("access-control-allow-headers"), "x-mine,authorization");
    let reply = daemon.http().get("/v1/agents").header("origin", APP).send().await?.expect_status(200)?;
    assert_eq!(reply.header("access-control-allow-credentials"), "true");
    Ok(())
}

#[tokio::test]
async fn every_origin_can_be_allowed_and_still_needs_the_token() -> Result<()> {
    let daemon = Daemon::builder().env("SANDBOX_AGENT_CORS_ALLOW_ORIGIN", "*").start().await?;
    let reply = preflight(daemon.http(), "/v1/agents", "https://any.example", "GET")?.send().await?;
    assert_eq!(reply.expect_status(200)?.header("access-control-allow-origin"), "*");
    let unknown = daemon.http().with_token(None).get("/v1/agents").header("origin", "https://any.example");
    unknown.send().await?.expect_problem(401, "token_invalid")?;
    Ok(())
}
