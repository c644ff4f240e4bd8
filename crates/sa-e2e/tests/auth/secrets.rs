//! Where the token comes from, and that it shows up nowhere else.

use anyhow::{Context, Result};
use sa_e2e::request;
use sa_testkit::{Daemon, Sandbox, until};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

const SECRET: &str = "s3cret-token-0123456789";

/// Returns the token that a daemon printed for people.
fn printed_token(stdout: &str) -> Option<String> {
    let line = stdout.lines().find_map(|line| line.trim_start().strip_prefix("token "))?;
    line.split_whitespace().next().map(str::to_owned)
}

async fn generated(builder: sa_testkit::DaemonBuilder) -> Result<(Daemon, String)> {
    let daemon = builder.token_unsaid().start().await?;
    until("the whole announcement", || daemon.stdout().contains("try ")).await?;
    let token = printed_token(&daemon.stdout()).context("no token was printed")?;
    Ok((daemon, token))
}

#[tokio::test]
async fn without_a_word_of_it_one_is_made_up_and_printed() -> Result<()> {
    let (first, one) = generated(Daemon::builder()).await?;
    let (second, two) = generated(Daemon::builder().puppet(&[])).await?;
    assert_ne!(one, two);
    assert!(one.len() >= 43 && one.bytes().all(|byte| byte.is_ascii_alphanumeric()), "256 bits: {one}");
    for (daemon, token) in [(&first, &one), (&second, &two)] {
        daemon.http().get("/v1/agents").send().await?.expect_problem(401, "token_invalid")?;
        daemon.http().with_token(Some(token)).get("/v1/agents").send().await?.expect_status(200)?;
        assert!(!daemon.stderr().contains(token.as_str()), "{}", daemon.stderr());
    }
    first
        .http()
        .with_token(Some(&two))
        .get("/v1/agents")
        .send()
        .await?
        .expect_problem(401, "token_invalid")?;
    let told = second.stdout().matches(two.as_str()).count();
    second.http().with_token(Some(&two)).get("/v1/acp").send().await?.expect_status(200)?;
    assert_eq!(second.stdout().matches(two.as_str()).count(), told, "it is told at the start only");
    Ok(())
}

#[tokio::test]
async fn a_file_can_hold_it() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let file = sandbox.path("token");
    for (mode, warns) in [(0o600, false), (0o640, false), (0o644, true)] {
        std::fs::write(&file, format!("\n  {SECRET}\r\n\n"))?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode))?;
        let builder = Daemon::builder().token_unsaid().sandbox(Arc::clone(&sandbox));
        let daemon = builder.arg("--token-file").arg(file.to_str().unwrap()).start().await?;
        let known = daemon.http().with_token(Some(SECRET));
        known.get("/v1/agents").send().await?.expect_status(200)?;
        daemon.http().get("/v1/agents").send().await?.expect_problem(401, "token_invalid")?;
        assert!(!daemon.stdout().contains(SECRET), "{}", daemon.stdout());
        let log = daemon.stderr();
        assert!(!log.contains(SECRET) && log.contains("every user can read it") == warns, "{mode:o}: {log}");
    }
    Ok(())
}

#[tokio::test]
async fn the_environment_and_the_configuration_can_hold_it() -> Result<()> {
    let environment = Daemon::builder().token_unsaid().env("SANDBOX_AGENT_TOKEN", SECRET).start().await?;
    let configuration =
        Daemon::builder().token_unsaid().config(&format!("token = \"{SECRET}\"")).start().await?;
    for daemon in [&environment, &configuration] {
        daemon.http().with_token(Some(SECRET)).get("/v1/agents").send().await?.expect_status(200)?;
        daemon.http().get("/v1/agents").send().await?.expect_problem(401, "token_invalid")?;
        assert!(!daemon.stdout().contains(SECRET), "{}", daemon.stdout());
    }
    Ok(())
}

/// Uses the token and a ticket in every way that there is, right and wrong.
async fn use_everything(daemon: &Daemon) -> Result<Vec<String>> {
    let (known, unknown) = (daemon.http(), daemon.http().with_token(None));
    daemon.acp("one").start("puppet").await?;
    let ticket = known.post("/v1/tickets").send().await?.expect_status(201)?.json()?;
    let ticket = ticket["ticket"].as_str().context("a ticket")?.to_owned();
    let wrong = format!("{SECRET}-but-wrong");
    unknown.get("/v1/agents").header("x-sandbox-agent-token", SECRET).send().await?.expect_status(200)?;
    unknown
        .get("/v1/agents")
        .header("authorization", &format!("Bearer {wrong}"))
        .send()
        .await?
        .expect_status(401)?;
    unknown.get(&format!("/v1/agents?access_token={SECRET}")).send().await?.expect_status(401)?;
    known.get(&format!("/nothing?access_token={SECRET}")).send().await?.expect_status(404)?;
    known
        .get(&format!("/v1/acp/one?access_token={SECRET}&lastEventId=x"))
        .send()
        .await?
        .expect_status(400)?;
    for query in
        [format!("access_token={SECRET}"), format!("ticket={ticket}"), format!("access_token={wrong}")]
    {
        if let Ok(mut socket) = unknown.ws(&format!("/v1/acp/one?{query}")).attempt().await? {
            socket.send(&request(1, "echo", "{}")).await?;
            socket.message().await?;
            socket.send("no message").await?;
            socket.message().await?;
        }
    }
    // A head that cannot be read is what a server likes to log.
    let mut raw = sa_testkit::RawConnection::connect(known).await?;
    raw.write(
        format!("GET /?access_token={SECRET} HTTP/9.9\r\nauthorization: Bearer {SECRET}\r\n\r\n").as_bytes(),
    )
    .await?;
    raw.read_to_end(sa_testkit::DEADLINE).await?;
    daemon.acp("one").post(request(2, "crash", "{}")).await?.expect_status(502)?;
    daemon.acp("one").delete().await?.expect_status(204)?;
    Ok(vec![SECRET.to_owned(), ticket])
}

#[tokio::test]
async fn it_is_never_logged() -> Result<()> {
    for (filter, format) in [("info", "text"), ("debug", "text"), ("trace", "json")] {
        let builder = Daemon::builder().token(SECRET).puppet(&[]).arg(&format!("--log={filter}"));
        let mut daemon = builder.arg(&format!("--log-format={format}")).start().await?;
        let secrets = use_everything(&daemon).await?;
        assert!(daemon.stop().await?.status.success());
        until("the last line of the log", || daemon.stderr().contains("stopped")).await?;
        let said = daemon.stderr() + &daemon.stdout();
        assert!(said.contains("agent started"), "there is a log: {said}");
        for secret in secrets {
            let leak = said.lines().find(|line| line.contains(&secret));
            assert_eq!(leak, None, "at {filter}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn no_answer_repeats_it() -> Result<()> {
    let daemon = Daemon::builder().token(SECRET).puppet(&[]).start().await?;
    daemon.acp("one").start("puppet").await?;
    for path in [
        "/",
        "/v1/agents",
        "/v1/acp",
        "/metrics",
        "/v1/health",
        "/v1/openapi.json",
        "/v1/acp/none",
        "/nothing",
    ] {
        let reply = daemon.http().get(&format!("{path}?access_token={SECRET}")).send().await?;
        let head: Vec<_> =
            reply.headers.values().filter(|value| value.as_bytes() == SECRET.as_bytes()).collect();
        assert!(!reply.text().contains(SECRET) && head.is_empty(), "{path}: {}", reply.text());
    }
    Ok(())
}
