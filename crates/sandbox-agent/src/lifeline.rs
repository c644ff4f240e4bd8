//! Standard input as a lifeline: the daemon ends when the program that started it does, even by SIGKILL.
//!
//! The operating system closes a dead program's end of a pipe, so no signal, process id or polling is needed.
//! Everything that arrives on standard input is discarded.

use crate::settings::Lifetime;
use std::io;
use std::thread;
use tokio::sync::oneshot;

/// Reports when standard input closes.
pub(crate) struct Lifeline {
    /// Absent if the daemon does not depend on standard input, or if its end was already reported.
    closed: Option<oneshot::Receiver<()>>,
}

impl Lifeline {
    /// Starts to watch standard input if `lifetime` depends on it.
    ///
    /// A thread of its own reads it: a blocking read on the runtime would delay the end of the daemon.
    pub(crate) fn open(lifetime: Lifetime) -> io::Result<Self> {
        if lifetime == Lifetime::UntilSignal {
            return Ok(Self { closed: None });
        }
        let (sender, closed) = oneshot::channel();
        thread::Builder::new().name("lifeline".to_owned()).spawn(move || {
            // An input that cannot be read is as good as closed.
            drop(io::copy(&mut io::stdin().lock(), &mut io::sink()));
            drop(sender);
        })?;
        Ok(Self { closed: Some(closed) })
    }

    /// Waits until standard input is closed; forever if nothing depends on it.
    pub(crate) async fn closed(&mut self) {
        match &mut self.closed {
            // The sender is dropped without a message.
            Some(closed) => drop(closed.await),
            None => std::future::pending().await,
        }
        self.closed = None;
    }
}
