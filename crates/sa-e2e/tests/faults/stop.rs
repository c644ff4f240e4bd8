//! DELETE means gone, whatever the agent thinks of it.

use anyhow::Result;
use futures_util::future::try_join_all;
use sa_e2e::{gone, request};
use sa_testkit::{Acp, Daemon};
use std::time::{Duration, Instant};

/// The contract's bound on DELETE.
const BOUND: Duration = Duration::from_secs(2);

async fn delete(acp: &Acp) -> Result<()> {
    let started = Instant::now();
    acp.delete().await?.expect_status(204)?;
    assert!(started.elapsed() < BOUND, "DELETE took {:?}", started.elapsed());
    Ok(())
}

async fn tree(acp: &Acp, params: &str) -> Result<Vec<u32>> {
    Ok(serde_json::from_value(acp.call("spawn_tree", params).await?["pids"].clone())?)
}

#[tokio::test]
async fn a_live_agent_is_gone_when_delete_answers() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    delete(&acp).await?;
    gone(&[pid], Duration::ZERO).await?;
    assert!(daemon.children().iter().all(|process| process.pid != pid), "not even a zombie is left");
    Ok(())
}

#[tokio::test]
async fn every_delete_waits_until_the_agent_is_gone() -> Result<()> {
    let daemon = Daemon::builder().puppet(&["--ignore-term"]).start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let deleting = || async {
        acp.delete().await?.expect_status(204)?;
        gone(&[pid], Duration::ZERO).await
    };
    let second = async {
        // The first has taken the id away; the agent still runs.
        sa_e2e::poll("the id to be free", async || Ok(acp.listed().await?.is_none().then_some(()))).await?;
        deleting().await
    };
    tokio::try_join!(deleting(), second)?;
    Ok(())
}

#[tokio::test]
async fn an_agent_that_ignores_the_signal_is_gone_with_all_it_started() -> Result<()> {
    let daemon = Daemon::builder().puppet(&["--ignore-term"]).start().await?;
    let acp = daemon.acp("one");
    let mut pids = vec![acp.start("puppet").await?];
    for params in [
        r#"{"depth":3}"#,
        r#"{"depth":2,"ignore_term":true}"#,
        r#"{"depth":2,"ignore_term":true,"setsid":true}"#,
        r#"{"depth":3,"orphan":true}"#,
        r#"{"depth":3,"orphan":true,"setsid":true,"ignore_term":true}"#,
        r#"{"hold_stdout":true,"setsid":true}"#,
    ] {
        pids.extend(tree(&acp, params).await?);
    }
    assert_eq!(pids.len(), 1 + 3 + 2 + 2 + 1 + 1 + 1);
    delete(&acp).await?;
    gone(&pids, Duration::from_secs(1)).await?;
    assert!(daemon.leftovers().iter().all(|process| !pids.contains(&process.pid)));
    Ok(())
}

#[tokio::test]
async fn what_an_agent_left_behind_goes_when_it_crashes() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let mut pids = tree(&acp, r#"{"depth":2,"ignore_term":true}"#).await?;
    pids.extend(tree(&acp, r#"{"depth":3,"orphan":true,"setsid":true,"ignore_term":true}"#).await?);
    acp.post(request(1, "crash", "{}")).await?.expect_status(502)?;
    gone(&pids, Duration::from_secs(3)).await
}

#[tokio::test]
async fn the_trees_of_others_stay() -> Result<()> {
    let daemon = Daemon::start().await?;
    let (one, two) = (daemon.acp("one"), daemon.acp("two"));
    one.start("puppet").await?;
    let mut others = vec![two.start("puppet").await?];
    let own = tree(&one, r#"{"depth":2,"orphan":true,"setsid":true}"#).await?;
    others.extend(tree(&two, r#"{"depth":2}"#).await?);
    others.extend(tree(&two, r#"{"depth":2,"orphan":true,"setsid":true}"#).await?);
    delete(&one).await?;
    gone(&own, Duration::from_secs(1)).await?;
    assert!(others.iter().all(|&pid| sa_testkit::is_alive(pid)), "{others:?}");
    delete(&two).await?;
    gone(&others, Duration::from_secs(1)).await
}

#[tokio::test]
async fn delete_ends_every_wait() -> Result<()> {
    let daemon = Daemon::builder().puppet(&["--ignore-term"]).start().await?;
    let acp = daemon.acp("one");
    acp.start("puppet").await?;
    let waiting = try_join_all((0..5).map(|id| acp.posting(request(id, "never", "{}")).send()));
    let deleting = async {
        sa_e2e::poll("the requests", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == serde_json::json!(5)).then_some(()))
        })
        .await?;
        delete(&acp).await
    };
    let (replies, deleted) = tokio::join!(waiting, deleting);
    deleted?;
    for reply in replies? {
        reply.expect_problem(502, "stream_error")?;
    }
    Ok(())
}

#[tokio::test]
async fn many_deletes_of_many_servers_at_once() -> Result<()> {
    let daemon = Daemon::builder().puppet(&["--ignore-term"]).start().await?;
    let servers: Vec<Acp> = (0..20).map(|n| daemon.acp(&format!("s{n}"))).collect();
    let pids = try_join_all(servers.iter().map(|acp| acp.start("puppet"))).await?;
    let started = Instant::now();
    let deletes = servers.iter().flat_map(|acp| [acp.delete(), acp.delete()]);
    for reply in try_join_all(deletes).await? {
        reply.expect_status(204)?;
    }
    assert!(started.elapsed() < Duration::from_secs(4), "{:?}", started.elapsed());
    gone(&pids, Duration::from_secs(1)).await
}

#[tokio::test]
async fn delete_while_the_agent_floods() -> Result<()> {
    let daemon = Daemon::start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("puppet").await?;
    let mut stream = acp.events().await?;
    acp.post_async(request(1, "flood", r#"{"count":10000000,"bytes":1000}"#)).await?.expect_status(202)?;
    stream.event().await?;
    let reading = async {
        while stream.next_event().await?.is_some() {}
        anyhow::Ok(())
    };
    let deleting = async { delete(&acp).await };
    let (read, deleted) = tokio::join!(reading, deleting);
    deleted?;
    read?;
    gone(&[pid], Duration::from_secs(1)).await
}
