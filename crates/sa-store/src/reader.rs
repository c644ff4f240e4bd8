//! Reading: a few connections next to the writer's, or the writer's own if the store is in memory.

use crate::error::{Result, StoreError};
use crate::limits::READERS;
use crate::open;
use crate::writer::{Queue, Work};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::{Semaphore, oneshot};

/// The connections for reads.
#[derive(Debug)]
pub(crate) enum Readers {
    /// On connections of their own; each sees the last commit and disturbs nobody.
    Pool(Pool),
    /// Between two transactions of the writer: a database in memory has one connection only.
    Writer,
}

/// Connections that only read.
#[derive(Debug)]
pub(crate) struct Pool {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn of_file(path: PathBuf) -> Self {
        Self::Pool(Pool { path, idle: Arc::default(), permits: Arc::new(Semaphore::new(READERS)) })
    }

    /// Runs a read and waits for it. It runs to its end if the caller is dropped.
    pub(crate) async fn read<T, F>(&self, queue: &Queue, read: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        match self {
            Self::Pool(pool) => pool.read(read).await,
            Self::Writer => {
                let (answer, answered) = oneshot::channel();
                let work = Work::Read(Box::new(move |connection| {
                    let _ = answer.send(read(connection));
                }));
                queue.send(work).await?;
                answered.await.map_err(|_| StoreError::Closed)?
            }
        }
    }

    /// Lets nobody read any more.
    pub(crate) fn close(&self) {
        if let Self::Pool(pool) = self {
            pool.permits.close();
            pool.idle.lock().clear();
        }
    }
}

impl Pool {
    async fn read<T, F>(&self, read: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&mut Connection) -> Result<T> + Send + 'static,
    {
        let permits = Arc::clone(&self.permits);
        let permit = permits.clone().acquire_owned().await.map_err(|_| StoreError::Closed)?;
        let (idle, path) = (Arc::clone(&self.idle), self.path.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let kept = idle.lock().pop();
            let mut connection = kept.map_or_else(|| open::reader(&path), Ok)?;
            let found = read(&mut connection);
            let mut idle = idle.lock();
            if !permits.is_closed() {
                idle.push(connection);
            }
            drop(idle);
            drop(permit);
            found
        });
        reading.await.unwrap_or_else(|error| Err(StoreError::Io(error.to_string())))
    }
}
