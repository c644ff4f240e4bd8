//! Commands about the daemon itself.

use crate::caller::Caller;
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;

#[tokio::test]
async fn health_needs_no_token() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon).without_token();
    let version = daemon.http().get("/").send().await?.json()?["version"].as_str().unwrap().to_owned();
    let said = caller.output(&["health"]).await?;
    assert!(said.starts_with(&format!("ok  version {version}  up ")) && said.ends_with("s\n"), "{said}");
    let health = caller.json(&["health", "--json"]).await?;
    assert_eq!((&health["status"], &health["version"]), (&json!("ok"), &json!(version)));
    assert!(health["uptimeMs"].is_u64());
    Ok(())
}

#[tokio::test]
async fn info_is_what_the_root_says() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let info = daemon.http().get("/").send().await?.expect_status(200)?.json()?;
    assert_eq!(caller.json(&["info", "--json"]).await?, info);
    let said = caller.output(&["info"]).await?;
    for value in info["links"].as_object().unwrap().values().chain([&info["name"], &info["version"]]) {
        let value = value.as_str().unwrap();
        assert!(said.lines().any(|line| line.ends_with(&format!("  {value}"))), "{value} is not in:\n{said}");
    }
    Ok(())
}

#[tokio::test]
async fn the_contract_is_printed_as_it_is_served() -> Result<()> {
    let daemon = Daemon::start().await?;
    let served = daemon.http().get("/v1/openapi.json").send().await?.expect_status(200)?.text();
    let printed = Caller::of(&daemon).output(&["openapi"]).await?;
    assert_eq!(printed.trim_end(), served.trim_end());
    Ok(())
}

#[tokio::test]
async fn metrics_are_printed() -> Result<()> {
    let daemon = Daemon::start().await?;
    daemon.acp("one").start("puppet").await?;
    let metrics = Caller::of(&daemon).output(&["metrics"]).await?;
    assert!(metrics.contains("\nsandbox_agent_agent_starts_total 1\n"), "{metrics}");
    assert!(metrics.ends_with("# EOF\n"), "{metrics}");
    Ok(())
}

#[tokio::test]
async fn a_ticket_from_the_command_line_opens_a_socket() -> Result<()> {
    let daemon = Daemon::start().await?;
    let caller = Caller::of(&daemon);
    let ticket = caller.output(&["ticket"]).await?;
    let structured = caller.json(&["ticket", "--json"]).await?;
    sa_e2e::millis(&structured["expiresAt"])?;
    let unknown = daemon.http().with_token(None);
    for ticket in [ticket.trim(), structured["ticket"].as_str().unwrap()] {
        unknown.ws(&format!("/v1/acp/one?agent=puppet&ticket={ticket}")).connect().await?;
    }
    let bound = caller.output(&["ticket", "--path", "/v1/acp/one", "--lifetime-ms", "60000"]).await?;
    let address = format!("/v1/acp/one?ticket={}", bound.trim());
    for _ in 0..2 {
        sa_testkit::Sse::open(unknown.get(&address)).await?;
    }
    caller.output(&["revoke-ticket", bound.trim()]).await?;
    unknown.get(&address).send().await?.expect_problem(401, "token_invalid")?;
    let said = caller.complaint(&["ticket", "--path", "/v1/fs/file"]).await?;
    assert!(said.contains("member 'path': expected the path of a stream"), "{said}");
    Ok(())
}
