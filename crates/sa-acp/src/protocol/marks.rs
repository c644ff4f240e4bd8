//! Marks that the daemon and built-in agents exchange in `_meta.sandboxAgent`.
//!
//! The daemon opens a session that has rules with `askAll`. The agent then also asks about what it would allow by itself, and
//! marks the request with `allowed`, so that rules see it and clients are not bothered with it.

use agent_client_protocol_schema::v1::Meta;
use serde_json::json;

/// Our name in `_meta`.
const NAME: &str = "sandboxAgent";

/// The party that decides on calls that the agent would allow by itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Asking {
    #[default]
    Needed,
    /// The client, which is asked about everything.
    All,
}

impl Asking {
    /// Reads what the client says when it opens a session.
    pub(crate) fn read(meta: Option<&Meta>) -> Self {
        let asks_all = meta.and_then(|meta| meta.get(NAME)).is_some_and(|ours| ours["askAll"] == true);
        if asks_all { Self::All } else { Self::Needed }
    }
}

/// Marks a request about something that the agent would allow by itself.
pub(crate) fn allowed() -> Meta {
    Meta::from_iter([(NAME.to_owned(), json!({ "allowed": true }))])
}
