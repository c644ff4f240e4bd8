//! Bounds on counts: reaching one is reported, and passes.

use anyhow::Result;
use sa_e2e::request;
use sa_testkit::{DEADLINE, Daemon, RawConnection};

#[tokio::test]
async fn an_agent_owes_only_so_many_answers() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("pending-requests", 2).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    for id in ["\"a\"", "\"b\""] {
        acp.post_async(request(id, "hold", "{}")).await?.expect_status(202)?;
    }
    acp.post(request(9, "pid", "{}")).await?.expect_problem(429, "too_many_requests")?;
    acp.notify("release", "{}").await?;
    sa_e2e::poll("room for requests", async || {
        Ok((acp.post(request(9, "pid", "{}")).await?.status == 200).then_some(()))
    })
    .await
}

#[tokio::test]
async fn there_are_only_so_many_servers() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).limit("servers", 2).start().await?;
    daemon.acp("a").start("puppet").await?;
    daemon.acp("b").start("puppet").await?;
    let third = daemon.acp("c");
    third.post_to("puppet", request(1, "pid", "{}")).await?.expect_problem(429, "too_many_requests")?;
    daemon.acp("a").delete().await?.expect_status(204)?;
    third.start("puppet").await?;
    Ok(())
}

#[tokio::test]
async fn a_body_that_stops_coming_is_given_up() -> Result<()> {
    let daemon = Daemon::builder().puppet(&[]).config("[files]\nbody-stall-ms = 200\n").start().await?;
    let http = daemon.http();
    let json = |path: &str| http.post(path).json("");
    let requests = [
        json("/v1/acp/one?agent=puppet"),
        json("/acp?agent=puppet"),
        json("/v1/processes/run"),
        json("/v1/fs/move"),
        json("/v1/sessions/s"),
        json("/v1/agents/demo/install"),
        http.post("/v1/sessions/import").header("content-type", "application/x-ndjson").body(""),
    ];
    let stalls = requests.map(|request| async move {
        let mut wire = request.header("content-length", "10").to_wire();
        let path = String::from_utf8_lossy(&wire).lines().next().unwrap_or_default().to_owned();
        wire.extend_from_slice(b"{\"a\"");
        let mut raw = RawConnection::connect(http).await?;
        raw.write(&wire).await?;
        let head = raw.read_until(b"\r\n\r\n", DEADLINE).await?;
        assert!(head.starts_with(b"HTTP/1.1 408"), "{path}: {}", String::from_utf8_lossy(&head));
        anyhow::Ok(())
    });
    futures_util::future::try_join_all(stalls).await?;
    assert!(sa_testkit::Acp::list(http).await?.is_empty(), "nothing was started");
    Ok(())
}
