//! The actor layer: which ACP servers exist, and one owner task for each.
//!
//! ```text
//!  handlers ──mpsc Command──►┌──────────────────────────┐◄── stdout, exit ──┐
//!                            │ Owner { Relay, Pipes }   │                   │ agent process
//!  readers ◄──Journal────────└──────────────────────────┘─── stdin queue ──►┘
//! ```
//!
//! The owner alone changes the relay, the journal and the pipes. Readers are cursors into the journal; while one lags,
//! the owner leaves a fast agent's output unread. Knows nothing of HTTP and nothing of ACP methods.

mod command;
mod error;
mod hub;
mod inbox;
mod limits;
mod numbers;
mod owner;
mod pipes;
mod reader;
mod server;
mod server_id;
mod shared;
mod stats;
mod streams;

pub use error::{CallError, OpenError};
pub use hub::{Hub, HubOptions};
pub use limits::Limits;
pub use reader::{Past, Reader, ReaderKind};
pub use server::{OpenSocket, Position, Response, Server, WhenStopped};
pub use server_id::{BadServerId, ServerId};
pub use stats::{Stats, StatsSnapshot};
pub use streams::{About, Attachment, CONNECTION_SCOPE, StreamError};
