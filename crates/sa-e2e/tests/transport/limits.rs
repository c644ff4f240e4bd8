//! Bounds on counts: reaching one is told, and passes.

use anyhow::Result;
use sa_e2e::request;
use sa_testkit::Daemon;

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
