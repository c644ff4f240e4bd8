//! Work that waits for the disk, away from the threads that serve.

use crate::{DiskError, at};
use std::future::pending;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;

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

/// Runs work like [`on_disk`], but a panic of the work is an error about `place`. For files that others wrote: one that
/// breaks our code must not end the session that meets it.
pub async fn try_on_disk<T, E>(
    place: impl Into<PathBuf>,
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E>
where
    T: Send + 'static,
    E: From<DiskError> + Send + 'static,
{
    let contained = on_disk(|| catch_unwind(AssertUnwindSafe(work))).await;
    contained.unwrap_or_else(|_panic| Err(at(place)(io::Error::other("the work failed with a panic")).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_that_names_the_place() {
        let work = || -> Result<(), DiskError> { panic!("on purpose") };
        let failed = try_on_disk("/srv/skills", work).await.map_err(|error| error.to_string());
        assert_eq!(failed, Err("/srv/skills: the work failed with a panic".to_owned()));
        assert_eq!(try_on_disk("/srv", || Ok::<_, DiskError>(7)).await.map_err(|_| ()), Ok(7));
    }
}
