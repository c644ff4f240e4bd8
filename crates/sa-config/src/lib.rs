//! Configuration that clients keep for a directory: MCP servers and skills, by name.
//!
//! The configuration lies in the daemon's data directory, not in the directory that it is for. It holds secrets, and files
//! of a workspace get committed, packed and shown. Each write is atomic and happens under a lock.

mod error;
mod store;

pub use error::ConfigError;
pub use store::{ConfigKind, ConfigStore, DirectoryConfig, Object, cleaned};
