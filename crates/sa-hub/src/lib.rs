//! The actor layer: which ACP servers exist, and one owner task for each.
//!
//! ```text
//!  handlers ──mpsc Command──►┌──────────────────────────┐◄── stdout, exit ──┐
//!                            │ Owner { Relay, Pipes }   │                   │ agent process
//!  readers ◄──Log (cursors)──└──────────────────────────┘─── stdin queue ──►┘
//! ```
//!
//! The owner alone changes the relay, the log and the pipes. Readers hold a cursor and take what they have not seen
//! from the log; they tell the owner how far they are, so that it can leave a fast agent's output unread for a
//! while. Knows nothing of HTTP and nothing of ACP methods.

mod command;
mod error;
mod hub;
mod inbox;
mod limits;
mod numbers;
mod owner;
mod pipes;
mod reader;
mod seats;
mod server;
mod server_id;
mod shared;
mod stats;
mod streams;

pub use error::{CallError, OpenError};
pub use hub::{Hub, HubOptions};
pub use limits::Limits;
pub use reader::{Past, Reader, Step};
pub use seats::Pulse;
pub use server::{OpenSocket, Position, Response, Server};
pub use server_id::{BadServerId, ServerId};
pub use stats::{Stats, StatsSnapshot};
pub use streams::{About, Attachment, CONNECTION_SCOPE, StreamError};
