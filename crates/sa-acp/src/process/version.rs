//! Versions of CLIs.

use crate::protocol::errors::failure;
use agent_client_protocol_schema::v1::Error;
use serde_json::json;
use std::fmt;

/// A version number, compared part by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u64, pub u64, pub u64);

impl Version {
    /// Reads `1.2.3`, with or without a suffix. A number of another form is not ours to judge.
    pub fn parse(text: &str) -> Option<Self> {
        let number = text.split([' ', '-', '+']).next()?;
        let mut parts = number.split('.').map(|part| part.parse().ok());
        Some(Self(parts.next()??, parts.next()??, parts.next()??))
    }

    /// Returns the error for a CLI that is older than this version; `None` if it does not report its version.
    pub fn required(self, agent: &str, found: Option<&str>) -> Error {
        let words = found.unwrap_or("one that does not report its version");
        let (message, kind) =
            (format!("{agent} {self} or newer is needed; this is {words}"), "version_too_old");
        let details = json!({ "errorKind": kind, "version": found, "oldest": self.to_string() });
        failure(message, kind).data(details)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let oldest = Version(2, 1, 113);
        assert!(Version::parse("2.1.20").is_some_and(|version| version < oldest));
        assert!(Version::parse("2.1.1000 (Claude Code)").is_some_and(|version| version > oldest));
        assert_eq!(Version::parse("0.144.3-alpha.1"), Some(Version(0, 144, 3)));
        assert_eq!(Version::parse("dev"), None);
    }
}
