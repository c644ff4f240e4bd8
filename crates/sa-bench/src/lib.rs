//! Shared by the load generator and the stand-in agent: the numbered message, and an HTTP/1.1 client that costs
//! little enough to stay out of the figures. Nothing here knows the daemon's crates.

mod connection;
mod decoder;
pub mod message;
pub mod page;
mod readiness;
mod tally;

pub use connection::{Answer, Connection, Progress};
pub use decoder::Decoder;
pub use readiness::Readiness;
pub use tally::Tally;
