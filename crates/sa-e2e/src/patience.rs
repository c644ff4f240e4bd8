//! Waits for conditions that only the daemon can report.

use anyhow::{Result, bail};
use sa_testkit::{DEADLINE, is_alive};
use std::time::{Duration, Instant};

/// Asks again and again until there is a value.
pub async fn poll<T>(what: &str, mut ask: impl AsyncFnMut() -> Result<Option<T>>) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(value) = ask().await? {
            return Ok(value);
        }
        if started.elapsed() > DEADLINE {
            bail!("waited {DEADLINE:?} for {what}");
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until none of these processes runs, which must be so within `bound`.
pub async fn gone(pids: &[u32], bound: Duration) -> Result<()> {
    let started = Instant::now();
    loop {
        let left: Vec<u32> = pids.iter().copied().filter(|&pid| is_alive(pid)).collect();
        if left.is_empty() {
            return Ok(());
        }
        if started.elapsed() > bound {
            bail!("{left:?} of {pids:?} still run after {bound:?}");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
