//! The agent's end of an ACP v1 connection: lines, JSON-RPC messages, open requests, the handshake, time stamps.
//!
//! Knows the protocol's frame and nothing of what a certain agent does with it.

mod calls;
mod clock;
mod handshake;
mod incoming;
mod lines;
mod outbound;
mod outgoing;
mod stdio;

pub use calls::Calls;
pub use clock::{Now, timestamp};
pub use handshake::Handshake;
pub use incoming::{RequestKey, answer, params, refusal, session_not_found};
pub use lines::{Line, LineReader, MAX_LINE};
pub use outbound::Outbound;
pub use outgoing::{write_error, write_notification, write_request, write_result};
pub use stdio::{StdinReader, StdoutWriter};
