//! Work that waits for the disk, away from the threads that serve.

use std::future::pending;
use std::panic::resume_unwind;

/// Runs work that waits for the disk on a thread that may wait. The work runs to its end even if the caller is dropped, and a
/// panic of the work is one of the caller.
pub async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            // The runtime is shutting down and drops the caller as well.
            Err(_) => pending().await,
        },
    }
}
