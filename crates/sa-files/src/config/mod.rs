//! Configuration that clients keep for a directory: MCP servers and skills, by name.
//!
//! It lies in the daemon's data directory, not in the directory that it is for: it holds secrets, and what lies in a
//! workspace gets committed, packed and shown. Each write is atomic and happens under a lock.

mod field;
mod mcp;
mod skills;
mod store;

pub use store::{ConfigKind, ConfigStore, Object};
