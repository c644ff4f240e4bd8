//! `--no-token`: programs of this machine only, whatever a web page tries.

use anyhow::{Context, Result};
use sa_e2e::request;
use sa_testkit::{Acp, Daemon, RawConnection, Request};

async fn refused(request: Request) -> Result<String> {
    let what = request.to_string();
    let problem = request.send().await?.expect_problem(403, "permission_denied").context(what)?;
    Ok(problem.detail)
}

#[tokio::test]
async fn programs_of_this_machine_get_in() -> Result<()> {
    let daemon = Daemon::builder().no_token().puppet(&[]).start().await?;
    daemon.acp("one").start("puppet").await?;
    daemon.acp("one").ws("").connect().await?;
    let port = daemon.http().address().port();
    for host in ["localhost", "LocalHost", "app.localhost", "127.0.0.1", "127.0.0.53", "[::1]"] {
        for host in [host.to_owned(), format!("{host}:{port}"), format!("{host}:1")] {
            daemon
                .http()
                .get("/v1/agents")
                .header("host", &host)
                .send()
                .await?
                .expect_status(200)
                .context(host)?;
        }
    }
    assert!(!daemon.stdout().contains("Bearer"), "{}", daemon.stdout());
    Ok(())
}

#[tokio::test]
async fn names_that_lead_here_from_elsewhere_do_not() -> Result<()> {
    let daemon = Daemon::builder().no_token().puppet(&[]).start().await?;
    let http = daemon.http();
    let port = http.address().port();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        &format!("127.0.0.1.nip.io:{port}"),
        &format!("localhost.evil.example:{port}"),
        "evillocalhost",
        "localhost@evil.example",
        "10.0.0.1",
        "0.0.0.0",
        "[::2]",
        "2130706433",
        "",
        "local host",
        "localhost, evil.example",
    ] {
        let posting = http.post("/v1/acp/one?agent=puppet").json(request(1, "pid", "{}"));
        let socket = http
            .get("/v1/acp/one?agent=puppet")
            .header("upgrade", "websocket")
            .header("connection", "upgrade");
        let socket = socket
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA==");
        for request in [http.get("/v1/agents"), http.get("/v1/health"), http.get("/nothing"), posting, socket]
        {
            let detail =
                refused(request.header("host", host)).await.with_context(|| format!("host {host:?}"))?;
            assert!(detail.contains("--allow-host") || detail.contains("Host header"), "{detail}");
        }
    }
    let mut raw = RawConnection::connect(http).await?;
    raw.write(b"GET /v1/agents HTTP/1.1\r\n\r\n").await?;
    let head = String::from_utf8(raw.read_until(b"\r\n\r\n", sa_testkit::DEADLINE).await?)?;
    assert!(head.starts_with("HTTP/1.1 403 ") || head.starts_with("HTTP/1.1 400 "), "{head}");
    assert!(Acp::list(http).await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn pages_of_other_origins_are_turned_away() -> Result<()> {
    let daemon = Daemon::builder().no_token().puppet(&[]).start().await?;
    let http = daemon.http();
    let address = http.address();
    for origin in [
        "https://evil.example",
        "null",
        "http://localhost",
        &format!("http://{}:{}", address.ip(), address.port() ^ 1),
        &format!("http://{address}.evil.example"),
        "file://",
        "",
    ] {
        let posting = http.post("/v1/acp/one?agent=puppet").json(request(1, "pid", "{}"));
        for request in [http.get("/v1/agents"), http.post("/v1/tickets"), http.get("/v1/health"), posting] {
            let detail =
                refused(request.header("origin", origin)).await.with_context(|| format!("{origin:?}"))?;
            assert!(detail.contains("--cors-allow-origin"), "{detail}");
        }
        let socket = http.ws("/v1/acp/one?agent=puppet").header("origin", origin);
        let Err(reply) = socket.attempt().await? else { panic!("a socket for {origin}") };
        reply.expect_problem(403, "permission_denied")?;
    }
    assert!(Acp::list(http).await?.is_empty() && daemon.children().is_empty());
    Ok(())
}

/// Images, scripts, links and navigations carry no Origin.
#[tokio::test]
async fn requests_that_browsers_make_for_other_sites_are_turned_away() -> Result<()> {
    let daemon = Daemon::builder().no_token().puppet(&[]).start().await?;
    let http = daemon.http();
    for site in ["cross-site", "same-site", "Cross-Site", "anything else"] {
        for mode in ["no-cors", "navigate"] {
            for path in ["/v1/agents", "/v1/fs/search?name=x", "/v1/agents/puppet/models?no_cache=true"] {
                let request = http.get(path).header("sec-fetch-site", site).header("sec-fetch-mode", mode);
                refused(request).await.with_context(|| format!("{site} {mode} {path}"))?;
            }
        }
    }
    assert!(daemon.children().is_empty(), "nothing was started");
    for site in ["same-origin", "none"] {
        http.get("/v1/agents").header("sec-fetch-site", site).send().await?.expect_status(200)?;
    }
    let guarded = Daemon::start().await?;
    guarded
        .http()
        .get("/v1/agents")
        .header("sec-fetch-site", "cross-site")
        .send()
        .await?
        .expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn pages_of_its_own_are_not() -> Result<()> {
    let daemon = Daemon::builder().no_token().puppet(&[]).start().await?;
    let own = daemon.base_url();
    daemon.http().get("/v1/agents").header("origin", &own).send().await?.expect_status(200)?;
    daemon.http().ws("/v1/acp/one?agent=puppet").header("origin", &own).connect().await?;
    let port = daemon.http().address().port();
    let asking = daemon.http().get("/v1/agents").header("host", &format!("localhost:{port}"));
    asking.header("origin", &format!("http://localhost:{port}")).send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn names_can_be_allowed() -> Result<()> {
    let daemon = Daemon::builder()
        .no_token()
        .arg("--allow-host=sandbox.example")
        .arg("--allow-host=10.1.2.3")
        .start()
        .await?;
    let http = daemon.http();
    for host in ["sandbox.example", "Sandbox.Example:8080", "10.1.2.3:2468", "localhost"] {
        http.get("/v1/agents").header("host", host).send().await?.expect_status(200).context(host)?;
    }
    for host in ["other.example", "a.sandbox.example", "sandbox.example.evil", "10.1.2.4"] {
        refused(http.get("/v1/agents").header("host", host)).await?;
    }
    // A page that the daemon serves behind a gateway with TLS.
    let asking = http.get("/v1/agents").header("host", "sandbox.example");
    asking.clone().header("origin", "https://sandbox.example").send().await?.expect_status(200)?;
    refused(asking.header("origin", "https://other.example")).await?;
    Ok(())
}

#[tokio::test]
async fn origins_can_be_allowed_but_not_their_names_as_hosts() -> Result<()> {
    let builder = Daemon::builder().no_token().puppet(&[]).arg("--cors-allow-origin=https://app.example");
    let daemon = builder.start().await?;
    let http = daemon.http();
    let asking = http.get("/v1/agents").header("origin", "https://app.example");
    let reply = asking.clone().send().await?.expect_status(200)?;
    assert_eq!(reply.header("access-control-allow-origin"), "https://app.example");
    http.ws("/v1/acp/one?agent=puppet").header("origin", "https://app.example").connect().await?;
    refused(asking.header("host", "app.example")).await?;
    refused(http.get("/v1/agents").header("origin", "https://app.example.evil")).await?;
    Ok(())
}
