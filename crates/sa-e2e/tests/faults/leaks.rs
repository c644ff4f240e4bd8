//! Connections that come and go leave nothing behind.

use anyhow::Result;
use sa_e2e::request;
use sa_testkit::{Acp, Daemon};

/// One connection of the kind that this number stands for, cut at a point that it stands for.
async fn connect_and_cut(acp: &Acp, round: usize) -> Result<()> {
    match round % 6 {
        0 => drop(acp.events().await?),
        1 => drop(acp.events_after(0).await?),
        2 => drop(acp.ws("").connect().await?),
        // Cut while it waits, perhaps before it was read.
        3 => drop(acp.posting(request(round, "delay", r#"{"ms":20}"#)).send_and_never_read().await?),
        4 => drop(acp.listening().send_and_never_read().await?),
        _ => {
            let mut socket = acp.ws("").connect().await?;
            socket.send(&request(round, "echo", "{}")).await?;
            if round % 4 == 1 {
                socket.close(1000, "").await?;
            }
        }
    }
    Ok(())
}

mod heavy {
    use super::*;

    #[tokio::test]
    async fn a_thousand_connections_that_are_cut() -> Result<()> {
        let daemon = Daemon::start().await?;
        let acp = daemon.acp("one");
        acp.start("puppet").await?;
        for round in 0..60 {
            connect_and_cut(&acp, round).await?;
        }
        let settled =
            |daemon: &Daemon| anyhow::Ok((daemon.open_fds()?, daemon.threads()?, daemon.children().len()));
        sa_e2e::poll("nothing pending", async || {
            Ok((acp.listed().await?.unwrap()["pendingRequests"] == serde_json::json!(0)).then_some(()))
        })
        .await?;
        sa_testkit::until("the warm-up to be over", || daemon.open_fds().is_ok_and(|open| open < 40)).await?;
        let (before, memory) = (settled(&daemon)?, daemon.rss_bytes()?);
        for round in 0..1000 {
            connect_and_cut(&acp, round).await?;
        }
        sa_testkit::until("all to be as before", || settled(&daemon).is_ok_and(|now| now <= before)).await?;
        let grown = daemon.rss_bytes()?.saturating_sub(memory);
        assert!(grown < 16 << 20, "{} KiB more memory", grown >> 10);
        acp.call("echo", "{}").await?;
        Ok(())
    }

    #[tokio::test]
    async fn a_hundred_servers_that_come_and_go() -> Result<()> {
        let daemon = Daemon::start().await?;
        for n in 0..10 {
            daemon.acp(&format!("warm{n}")).start("puppet").await?;
            daemon.acp(&format!("warm{n}")).delete().await?.expect_status(204)?;
        }
        let (descriptors, processes, threads) =
            (daemon.open_fds()?, daemon.children().len(), daemon.threads()?);
        for n in 0..100 {
            let acp = daemon.acp(&format!("s{n}"));
            acp.start("puppet").await?;
            let _stream = acp.events().await?;
            match n % 3 {
                0 => drop(acp.post(request(1, "crash", "{}")).await?.expect_status(502)?),
                1 => drop(acp.post_async(request(1, "never", "{}")).await?.expect_status(202)?),
                _ => {}
            }
            acp.delete().await?.expect_status(204)?;
        }
        sa_testkit::until("descriptors as before", || {
            daemon.open_fds().is_ok_and(|open| open <= descriptors)
        })
        .await?;
        sa_testkit::until("processes as before", || daemon.children().len() <= processes).await?;
        assert!(daemon.threads()? <= threads + 2, "{} threads, {threads} before", daemon.threads()?);
        assert!(Acp::list(daemon.http()).await?.is_empty());
        Ok(())
    }
}
