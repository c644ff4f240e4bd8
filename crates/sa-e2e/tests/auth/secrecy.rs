//! The token is in no log, at any level.

use anyhow::Result;
use sa_e2e::{notification, request};
use sa_testkit::Daemon;

const TOKEN: &str = "tok-3e5f0c77d1";

#[tokio::test]
async fn no_level_of_the_log_has_the_token() -> Result<()> {
    for format in ["text", "json"] {
        let builder = Daemon::builder().puppet(&[]).token(TOKEN).env("SANDBOX_AGENT_LOG_FORMAT", format);
        let mut daemon = builder.arg("--log").arg("trace").start().await?;
        let acp = daemon.acp("one");
        acp.start("puppet").await?;
        let stranger = daemon.http().with_token(None);
        let query = format!("?access_token={TOKEN}");
        let ticket =
            daemon.http().post("/v1/tickets").send().await?.json()?["ticket"].as_str().unwrap().to_owned();
        // In every place where a client may put it, right or wrong.
        stranger.get(&format!("/v1/agents{query}")).send().await?.expect_status(401)?;
        stranger
            .get(&format!("/nothing{query}"))
            .header("x-sandbox-agent-token", TOKEN)
            .send()
            .await?
            .expect_status(404)?;
        stranger
            .get("/v1/agents")
            .header("authorization", &format!("Basic {TOKEN}"))
            .send()
            .await?
            .expect_status(401)?;
        drop(stranger.ws(&acp.path(&query)).connect().await?);
        let mut socket = stranger.ws(&acp.path(&format!("?ticket={ticket}"))).connect().await?;
        socket.send(&request(1, "echo", "{}")).await?;
        socket.message().await?;
        drop(stranger.ws(&acp.path(&format!("?access_token={TOKEN}x"))).attempt().await?);
        drop(daemon.http().ws(&format!("/acp{query}&agent=puppet")).connect().await?);
        let mut raw = sa_testkit::RawConnection::connect(daemon.http()).await?;
        raw.write(format!("GET /v1/acp{query} HTTP/9\r\n\r\n").as_bytes()).await?;
        raw.read_to_end(sa_testkit::DEADLINE).await?;
        acp.post(notification("crash", "{}")).await?.expect_status(202)?;
        assert_eq!(daemon.stop().await?.status.code(), Some(0));
        let log = daemon.stderr();
        assert!(log.contains("agent started"), "the log is there: {log}");
        assert!(!log.contains(TOKEN) && !daemon.stdout().contains(TOKEN), "{log}");
        assert!(!log.contains(&ticket), "a ticket is a secret, too");
    }
    Ok(())
}

#[tokio::test]
async fn the_token_is_on_no_command_line_but_the_one_it_was_given_on() -> Result<()> {
    let daemon =
        Daemon::builder().puppet(&[]).token_unsaid().env("SANDBOX_AGENT_TOKEN", TOKEN).start().await?;
    let acp = sa_testkit::Acp::new(&daemon.http().with_token(Some(TOKEN)), "one");
    acp.start("puppet").await?;
    acp.post_to("puppet", request(1, "pid", "{}")).await?.expect_status(200)?;
    for process in daemon.children() {
        for file in ["cmdline", "environ"] {
            let text = std::fs::read(format!("/proc/{}/{file}", process.pid))?;
            assert!(!String::from_utf8_lossy(&text).contains(TOKEN), "{file} of {process:?}");
        }
    }
    Ok(())
}
