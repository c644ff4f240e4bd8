//! Bringing a session in from elsewhere, its events with their ids: in parts, and for readers all at once.

use crate::error::Result;
use crate::listings::Listed;
use crate::store::Inner;
use crate::types::{Listing, NewEvent};
use crate::writer;
use bytes::Bytes;
use std::sync::Arc;

/// A session that is being brought in. Nobody sees it before [`finish`](Self::finish); dropping it gives it up.
#[derive(Debug)]
#[must_use = "an import that is not finished is given up"]
pub struct Import {
    store: Arc<Inner>,
    number: i64,
    finished: bool,
}

impl Import {
    pub(crate) async fn begin(store: Arc<Inner>) -> Result<Self> {
        let number = store.queue.change(0, |transaction| writer::stage(transaction, None, &[])).await?;
        Ok(Self { store, number, finished: false })
    }

    /// Appends events. The first one of all may have any id from 1; from then on each is the one before it plus one.
    ///
    /// # Errors
    ///
    /// [`StoreError::Sequence`] if one is not; what came before this call is still there.
    pub async fn append(&mut self, events: Vec<NewEvent>) -> Result<()> {
        let bytes = events.iter().map(|event| event.data.len() + crate::limits::CHANGE_COST).sum();
        let number = self.number;
        let stage = move |transaction: &writer::Transaction<'_>| {
            writer::stage(transaction, Some(number), &events).map(drop)
        };
        self.store.queue.change(bytes, stage).await?;
        self.store.queue.grew(bytes);
        Ok(())
    }

    /// Gives the session its id and record, and with that to everybody. `false` if there is one with that id; then nothing
    /// was imported.
    ///
    /// # Errors
    ///
    /// Those of the disk. Then nothing was imported.
    pub async fn finish(
        mut self,
        session: &str,
        record: Bytes,
        listing: Listing,
        ended: bool,
    ) -> Result<bool> {
        let (number, id) = (self.number, session.to_owned());
        let publish = move |transaction: &writer::Transaction<'_>| {
            let listed = Listed { session: number, id: id.clone(), listing: listing.clone(), ended };
            writer::publish(transaction, &listed, &record)
        };
        self.finished = self.store.queue.change(session.len(), publish).await?;
        Ok(self.finished)
    }
}

impl Drop for Import {
    fn drop(&mut self) {
        if !self.finished {
            self.store.queue.abandon(self.number);
        }
    }
}
