//! The deletion of a session: done by the first request, waited for by all others.
//!
//! ```text
//! Idle ──begin──► UnderWay ──end(Ok)──► Done
//!   ▲                │
//!   └── begin ── Failed ◄── end(Err)
//! ```

use sa_store::StoreError;
use tokio::sync::watch;

/// A session that its creator makes again counts as deleted: requests that came before meant the earlier one.
#[derive(Debug, Default)]
pub(crate) struct Deletion(watch::Sender<Stage>);

#[derive(Debug, Clone, Default)]
enum Stage {
    #[default]
    Idle,
    UnderWay,
    Done,
    /// The session is as it was.
    Failed(StoreError),
}

impl Deletion {
    /// Returns whether the caller is the one to delete the session.
    pub(crate) fn begin(&self) -> bool {
        self.0.send_if_modified(|stage| {
            let is_free = matches!(stage, Stage::Idle | Stage::Failed(_));
            if is_free {
                *stage = Stage::UnderWay;
            }
            is_free
        })
    }

    pub(crate) fn end(&self, outcome: Result<(), StoreError>) {
        self.0.send_replace(outcome.map_or_else(Stage::Failed, |()| Stage::Done));
    }

    /// Waits for the outcome of a deletion that another request began.
    pub(crate) async fn outcome(&self) -> Result<(), StoreError> {
        let mut stage = self.0.subscribe();
        match stage.wait_for(|stage| !matches!(stage, Stage::UnderWay)).await.as_deref() {
            Ok(Stage::Failed(error)) => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_waits_gets_the_outcome_of_the_first() {
        for outcome in [Ok(()), Err(StoreError::Full)] {
            let deletion = Deletion::default();
            assert!(deletion.begin() && !deletion.begin());
            let end = async { deletion.end(outcome.clone()) };
            let (waited, ()) = tokio::join!(deletion.outcome(), end);
            assert_eq!(waited.is_ok(), outcome.is_ok());
            assert_eq!(deletion.begin(), outcome.is_err(), "one that failed can be tried again");
        }
    }
}
