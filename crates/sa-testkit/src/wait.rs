//! Waiting for a condition with a deadline.

use anyhow::{Context, Result, bail};
use std::future::Future;
use std::time::{Duration, Instant};

/// Deadline for something that should happen soon. Far above the usual time, so that a loaded machine does not fail a
/// test.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// Pause between two looks at a condition.
pub(crate) const POLL: Duration = Duration::from_millis(5);

/// Waits until the condition holds; the error names `what` was waited for.
pub async fn until(what: &str, mut condition: impl FnMut() -> bool) -> Result<()> {
    until_some(what, || condition().then_some(())).await
}

pub async fn until_some<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(value) = look() {
            return Ok(value);
        }
        if started.elapsed() > DEADLINE {
            bail!("waited {DEADLINE:?} for {what}");
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Returns the future's value, or an error that names `what` did not come in time.
pub async fn within<T>(what: &str, deadline: Duration, future: impl Future<Output = T>) -> Result<T> {
    tokio::time::timeout(deadline, future).await.with_context(|| format!("waited {deadline:?} for {what}"))
}
