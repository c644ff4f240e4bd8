//! Work that an earlier daemon left unfinished, read before anything else happens to a session.

use super::RETRY;
use crate::interrupted_messages;
use crate::parts::Parts;
use crate::record::Record;
use crate::session::Leftovers;
use crate::shared::{Inbox, Shared, Takes};
use sa_store::{Direction, StoreError};
use tokio::time::{Instant, timeout_at};

/// Reads what an earlier daemon left unfinished.
pub(super) async fn read(shared: &Shared, parts: &Parts, record: &Record, inbox: &mut Inbox) -> Leftovers {
    let store = &parts.options.store;
    let (pending, lost) = match patiently(shared, inbox, || store.pending_messages(&shared.id)).await {
        Ok(pending) => (pending, None),
        Err(error) => {
            tracing::error!(session = %shared.id, %error, "waiting messages cannot be read");
            (Vec::new(), Some(error))
        }
    };
    let unfinished_after = match record.turn {
        Some(_) => Some(record.turn_after),
        None => outside_turn_after(shared).await,
    };
    let cut_off = match unfinished_after {
        Some(after) => interrupted_messages::find(&shared.log, after).await,
        None => Vec::new(),
    };
    Leftovers { pending, lost, cut_off, was_killed: store.was_cut_off() }
}

/// Reads from the store, again and again while the system has no room for that. Meanwhile clients get the store's error.
async fn patiently<T, F>(shared: &Shared, inbox: &mut Inbox, read: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    loop {
        let error = match read().await {
            Err(error @ (StoreError::Exhausted(_) | StoreError::Io(_))) if !shared.stop.is_cancelled() => {
                error
            }
            outcome => {
                shared.stalled.send_replace(None);
                return outcome;
            }
        };
        tracing::warn!(session = %shared.id, %error, "waiting messages cannot be read; trying again");
        shared.stalled.send_replace(Some(error.clone()));
        let retry_at = Instant::now() + RETRY;
        let mut next = async || shared.stop.run_until_cancelled(inbox.next(Takes::All)).await;
        while let Ok(Some(command)) = timeout_at(retry_at, next()).await {
            command.fail(error.clone().into());
        }
    }
}

/// Returns the last event before the messages that an agent was writing outside of a turn; none if it was not.
async fn outside_turn_after(shared: &Shared) -> Option<u64> {
    let slice = shared.log.transcript(None, Direction::Forward, 0, 0).await;
    Some(slice.ok()?.unfinished?.from.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SessionError, SessionHandle};
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tokio::time::timeout;

    #[tokio::test]
    async fn clients_do_not_wait_for_a_store_that_cannot_be_read() {
        let (shared, mut inbox) = Shared::for_test(BTreeMap::new()).await;
        let session = SessionHandle(Arc::clone(&shared));
        let is_over = AtomicBool::new(false);
        let read = async || match is_over.load(Ordering::Relaxed) {
            true => Ok("read"),
            false => Err(StoreError::Exhausted("no descriptor".to_owned())),
        };
        let client = async {
            for _ in 0..100 {
                let answer = timeout(RETRY * 10, session.cancel()).await;
                assert!(
                    matches!(answer, Ok(Err(SessionError::Store(StoreError::Exhausted(_))))),
                    "{answer:?}"
                );
            }
            is_over.store(true, Ordering::Relaxed);
        };
        let (outcome, ()) = tokio::join!(patiently(&shared, &mut inbox, read), client);
        assert_eq!(outcome, Ok("read"));
        assert!(shared.stalled.borrow().is_none(), "clients wait for the session again");
    }
}
