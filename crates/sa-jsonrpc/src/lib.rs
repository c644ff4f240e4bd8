//! JSON-RPC 2.0 messages as bytes. A message that is passed on is looked at, never rebuilt: [`Shape`] says what it is and
//! where its parts lie, and the one edit this crate knows, another id, leaves every other byte as it was.
//!
//! Knows nothing of ACP, of transports, of time.

mod cancel;
mod envelope;
mod error;
mod id;
mod lines;
mod shape;
#[cfg(feature = "testing")]
pub mod testing;
mod write;

pub use cancel::Cancellation;
pub use error::{ErrorObject, codes};
pub use id::Id;
pub use lines::{InputLine, LineBuffer};
pub use shape::{Invalid, Kind, Message, Shape};
pub use write::{write_call, write_response};
