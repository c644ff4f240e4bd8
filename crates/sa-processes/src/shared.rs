//! The part of a process that its owner shares with others: the output and the end.

use crate::handle::Ended;
use crate::log::Entry;
use bytes::Bytes;
use sa_api::{ProcessLogsStream, Timestamp};
use sa_journal::{Journal, Ring};
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// One writer, the owner; everybody else reads.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) journal: Arc<Journal<Entry>>,
    /// Bytes that may still be queued as input; closed when no more is taken.
    pub(crate) room: Arc<Semaphore>,
    ended: watch::Sender<Option<Ended>>,
}

impl Shared {
    pub(crate) fn new(log_bytes: usize, room: usize) -> Self {
        Self {
            journal: Arc::new(Journal::new(Ring::new(log_bytes))),
            room: Arc::new(Semaphore::new(room)),
            ended: watch::Sender::new(None),
        }
    }

    /// Appends output. Only the owner does, so no other entry gets the same number.
    pub(crate) fn append(&self, stream: ProcessLogsStream, data: Bytes) {
        let (newest, offset) = {
            let log = self.journal.ring();
            (log.newest(), log.end())
        };
        let entry = Entry { sequence: newest + 1, stream, timestamp: Timestamp::now(), data, offset };
        self.journal.append(entry);
    }

    /// Notes the end: nothing more will be added.
    pub(crate) fn end(&self, ended: Ended) {
        self.room.close();
        self.ended.send_replace(Some(ended));
        self.journal.close();
    }

    pub(crate) fn ended(&self) -> Option<Ended> {
        self.ended.borrow().clone()
    }

    pub(crate) async fn wait_for_end(&self) {
        // An error means that the sender is gone, and it lives in `self`.
        let _ = self.ended.subscribe().wait_for(Option::is_some).await;
    }
}
