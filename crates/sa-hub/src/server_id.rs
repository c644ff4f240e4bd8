//! The client-chosen name of an ACP server.

use std::fmt;
use thiserror::Error;

/// A valid server id: safe in a URL, a log line and a header.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerId(Box<str>);

/// The text is no server id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a server id has 1 to 128 of A-Z, a-z, 0-9, '-', '_', '.', '~', ':', '@'")]
pub struct BadServerId;

impl ServerId {
    /// Checks a client's text.
    pub fn parse(text: &str) -> Result<Self, BadServerId> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~' | ':' | '@');
        if (1..=128).contains(&text.len()) && text.chars().all(fits) {
            Ok(Self(text.into()))
        } else {
            Err(BadServerId)
        }
    }

    /// Creates an id that nobody else has, for a connection whose client did not choose one.
    pub fn mint() -> Self {
        Self(uuid::Uuid::new_v4().to_string().into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
