//! `kill -9` of the daemon at random moments under load.

use crate::witness::Witness;
use anyhow::{Result, ensure};

use sa_testkit::{Daemon, Sandbox, Signal};
use std::sync::Arc;
use std::time::Duration;

/// Returns the number of kills of the daemon, in all; `SA_KILLS` overrides it.
fn kills() -> u64 {
    std::env::var("SA_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

/// Sessions that are busy when it happens.
const SESSIONS: usize = 3;
/// The rounds are divided, so that they can be run side by side.
const PARTS: u64 = 2;

mod heavy {
    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_acknowledged_is_lost_1() -> Result<()> {
        rounds(1).await
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn nothing_acknowledged_is_lost_2() -> Result<()> {
        rounds(2).await
    }
}

async fn rounds(part: u64) -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let mut witnesses: Vec<Witness> = Vec::new();
    for round in 0..kills() / PARTS {
        let mut daemon = Daemon::builder().sandbox(Arc::clone(&sandbox)).start().await?;
        if witnesses.is_empty() {
            for n in 0..SESSIONS {
                witnesses.push(Witness::create(daemon.http(), &format!("busy-{n}")).await?);
            }
        }
        for witness in &mut witnesses {
            witness.verify(daemon.http()).await?;
            witness.work(daemon.http());
        }
        // The moments are spread over starting agents, running turns and queued messages.
        let moment = (round * 7919 + part * 104_729) % 173;
        tokio::time::sleep(Duration::from_millis(moment)).await;
        daemon.signal(Signal::KILL);
        daemon.exited().await?;
        for witness in &mut witnesses {
            witness.rest().await;
        }
    }
    let daemon = Daemon::builder().sandbox(sandbox).start().await?;
    for witness in &mut witnesses {
        witness.verify(daemon.http()).await?;
        ensure!(witness.events() > kills() / PARTS, "hardly anything happened: {} events", witness.events());
        println!("{} events", witness.events());
    }
    Ok(())
}
