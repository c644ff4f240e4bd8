//! Reports changes. A watch observes a directory and those below it, within a budget. Changes that it may have missed
//! are reported as `overflow`, so that the listener looks again.

mod changes;
mod nodes;
mod notice;
mod observer;
mod scan;
#[cfg(any(target_os = "linux", target_os = "android"))]
mod source_linux;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod source_none;

use crate::error::Result;
use crate::files::Files;
use observer::Observer;
use sa_api::{FsChange, FsOverflow, FsWatchReady};
#[cfg(any(target_os = "linux", target_os = "android"))]
use source_linux as source;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use source_none as source;
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Options of a watch.
#[derive(Debug, Clone, Copy)]
pub struct WatchOptions {
    /// Also what is below.
    pub recursive: bool,
    /// Also what `.gitignore` and the like exclude.
    pub with_ignored: bool,
}

/// An event of a watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchEvent {
    /// Every change is reported from here on.
    Ready(FsWatchReady),
    Change(FsChange),
    /// Changes of this directory, or of some below it, may be missing.
    Overflow(FsOverflow),
}

/// A watch. Dropped, it ends.
#[derive(Debug)]
pub struct Watch(Receiver<WatchEvent>);

impl Watch {
    /// Returns the next event; nothing when what was watched is gone or the daemon stops.
    pub async fn next(&mut self) -> Option<WatchEvent> {
        self.0.recv().await
    }

    pub fn poll_next(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Option<WatchEvent>> {
        self.0.poll_recv(context)
    }
}

/// Events that wait for the reader; the rest waits in the system, which says when it drops some.
const WAITING: usize = 64;

impl Files {
    /// Watches the file or directory at a path, through a link at its end.
    pub async fn watch(&self, path: &OsStr, options: WatchOptions) -> Result<Watch> {
        let located = self.locate(path)?;
        let slot = self.reserve_watch()?;
        let shared = Arc::clone(self.shared());
        let observer = self.run(move |_| Observer::start(shared, located, options)).await?;
        let (sender, receiver) = channel(WAITING);
        let (closed, gather) = (self.closed().clone(), Duration::from_millis(self.limits().watch_gather_ms));
        tokio::spawn(async move {
            let _slot = slot;
            tokio::select! {
                () = closed.cancelled() => {}
                () = sender.closed() => {}
                () = observe(observer, gather, &sender) => {}
            }
        });
        Ok(Watch(receiver))
    }
}

async fn observe(mut observer: Observer, gather: Duration, sender: &Sender<WatchEvent>) {
    let mut events = observer.ready();
    loop {
        for event in events {
            if sender.send(event).await.is_err() {
                return;
            }
        }
        if observer.is_over() || observer.readable().await.is_err() {
            return;
        }
        tokio::time::sleep(gather).await;
        // New directories are opened and looked into, which waits for the disk.
        let looked = tokio::task::spawn_blocking(move || {
            let events = observer.look();
            (observer, events)
        });
        let Ok((back, found)) = looked.await else { return };
        (observer, events) = (back, found);
    }
}
