//! Clients that act at random, as seeded, and note what they see.

mod asking;
mod reading;
mod server;
mod server_reading;
mod session;
mod steady;
mod visitor;

pub(crate) use reading::{Page, Reader};
pub(crate) use server::{ServerClient, delete as delete_server};
pub(crate) use server_reading::ServerReader;
pub(crate) use session::SessionClient;
pub(crate) use steady::Steady;
pub(crate) use visitor::Visitor;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The time during which clients act. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Round(Arc<AtomicBool>);

impl Round {
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Asks all clients to finish what they do.
    pub(crate) fn end(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
