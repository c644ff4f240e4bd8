//! Typed client of the daemon's HTTP contract: one method for each operation, event streams that continue where they
//! broke. Used by the command line and by tests; knows the contract's types and nothing of the daemon's inside.

mod acp;
mod agents;
mod client;
mod config;
mod connections;
mod error;
mod files;
mod operations;
mod page;
mod processes;
mod session_events;
mod session_list;
mod sessions;
mod sse;
mod stream;
mod terminal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod transfer;
mod usage;

pub use acp::{PostOptions, Posted};
pub use agents::{AgentQuery, InstallEvents};
pub use client::Client;
pub use config::ConfigKind;
pub use connections::{AcpRoute, ConnectionPost, ConnectionPosted};
pub use error::ClientError;
pub use files::{FsHead, FsListing, FsPackOptions, FsSearch, FsWatchOptions, FsWriteOptions};
pub use page::Page;
pub use processes::{ProcessEnding, ProcessOutput};
pub use session_events::{SessionEvents, SessionStep};
pub use session_list::{SessionPages, SessionQuery};
pub use sessions::{EventQuery, TranscriptQuery};
pub use sse::{EventTooLarge, SseEvent, SseParser};
pub use stream::{EventStream, ReconnectingStream};
pub use terminal::{Terminal, TerminalEvent};
pub use transfer::{Download, Upload};

use error::Result;
