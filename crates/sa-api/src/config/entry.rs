//! Entries as clients and other programs write them, brought into one form.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

pub(super) type Object = Map<String, Value>;

/// A kind of entries that have a name.
pub trait ConfigEntry: DeserializeOwned {
    /// Brings an entry into its usual form, or says what is wrong with it. Unknown members stay.
    fn normalize(entry: Map<String, Value>) -> Result<Map<String, Value>, InvalidEntry>;
}

/// A member of an entry that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidEntry {
    /// The member, such as `args[1]`.
    pub member: String,
    /// The problem with it, as the predicate of a sentence.
    pub problem: String,
}

impl fmt::Display for InvalidEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.member, self.problem)
    }
}

impl Error for InvalidEntry {}

/// Reads entries by name, each in any form that is accepted.
pub(crate) fn by_name<'de, D, T>(deserializer: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: ConfigEntry,
{
    let entries = BTreeMap::<String, Normalized<T>>::deserialize(deserializer)?;
    Ok(entries.into_iter().map(|(name, entry)| (name, entry.0)).collect())
}

/// An entry that is normalized when it is read. It has its own type, so that errors are placed at the entry.
struct Normalized<T>(T);

impl<'de, T: ConfigEntry> Deserialize<'de> for Normalized<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entry = T::normalize(Object::deserialize(deserializer)?).map_err(D::Error::custom)?;
        // By way of text, so that there is one reader of each type.
        let text = serde_json::to_vec(&entry).map_err(D::Error::custom)?;
        serde_json::from_slice(&text).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::sessions::CreateSession;
    use serde_json::{Value, json};

    /// Returns a session with one entry, as it is written after it was read.
    fn read(kind: &str, entry: Value) -> Result<Value, String> {
        let body = json!({"agent": "demo", kind: {"x": entry}}).to_string();
        let session: CreateSession = serde_json::from_str(&body).map_err(|error| error.to_string())?;
        Ok(serde_json::to_value(session).unwrap()[kind]["x"].clone())
    }

    #[test]
    fn sessions_take_servers_as_other_programs_write_them() {
        for (given, usual) in [
            (json!({"command": "y"}), json!({"type": "local", "command": "y"})),
            (
                json!({"type": "local", "command": ["y", "z"], "environment": {"A": "b"}, "mine": 1}),
                json!({"type": "local", "command": "y", "args": ["z"], "env": {"A": "b"}, "mine": 1}),
            ),
            (
                json!({"type": "http", "url": "http://h/", "http_headers": {"X": "1"}, "bearer_token_env_var": "T"}),
                json!({"type": "remote", "url": "http://h/", "transport": "http", "headers": {"X": "1"}, "bearerTokenEnvVar": "T"}),
            ),
            (
                json!({"type": "sse", "url": "http://h/"}),
                json!({"type": "remote", "url": "http://h/", "transport": "sse"}),
            ),
        ] {
            assert_eq!(read("mcp", given.clone()), Ok(usual.clone()), "{given}");
            assert_eq!(read("mcp", usual.clone()), Ok(usual), "{given}");
        }
    }

    #[test]
    fn sessions_refuse_entries_that_a_directory_cannot_have() {
        for (kind, entry, why) in [
            ("mcp", json!({"type": "local"}), "`command` is missing"),
            ("mcp", json!({"type": "local", "command": "x", "env": {"A": 1}}), "`env.A` must be a text"),
            ("mcp", json!([]), "invalid type"),
            ("skills", json!({"sources": []}), "`sources` must name at least one source"),
            (
                "skills",
                json!({"sources": [{"type": "svn", "source": "x"}]}),
                "`sources[0].type` must be one of",
            ),
        ] {
            let error = read(kind, entry).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
