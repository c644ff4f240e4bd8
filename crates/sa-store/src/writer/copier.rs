//! Copies the write-ahead log to the database, on a separate thread: it waits for the disk, and commits need not.

use super::queue::Counters;
use crate::open;
use rusqlite::Connection;
use rusqlite::wal::CheckpointMode;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// The thread. Dropping it waits for what it does.
pub(super) struct Copier {
    asked: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Copier {
    pub(super) fn start(path: &Path, counters: Arc<Counters>) -> Result<Self, crate::StoreError> {
        let connection = open::copier(path)?;
        let (asked, asks) = sync_channel(1);
        let thread = std::thread::Builder::new().name("store-copier".to_owned());
        let thread = thread.spawn(move || run(&connection, &asks, &counters));
        let thread = thread.map_err(|error| crate::StoreError::Io(error.to_string()))?;
        Ok(Self { asked: Some(asked), thread: Some(thread) })
    }

    /// Asks for what is in the log to be copied; nothing happens if that is being done.
    pub(super) fn ask(&self) {
        if let Some(asked) = &self.asked {
            let _ = asked.try_send(());
        }
    }
}

impl Drop for Copier {
    fn drop(&mut self) {
        self.asked = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(connection: &Connection, asks: &Receiver<()>, counters: &Counters) {
    while asks.recv().is_ok() {
        match connection.wal_checkpoint_v2(Some("main"), CheckpointMode::PASSIVE) {
            Ok(_) => counters.lock().checkpoints += 1,
            // The log stays and grows; commits say so if there is no room for that.
            Err(error) => tracing::debug!(%error, "the write-ahead log could not be copied"),
        }
    }
}
