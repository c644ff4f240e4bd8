//! Sessions by pages. Only those of the page are copied, so that a page costs little where there are many sessions.

use crate::Sessions;
use crate::record::{Detail, Record};
use crate::shared::Shared;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use sa_api::sessions::{Session, SessionState};
use serde_json::Value;
use std::cmp::Reverse;
use std::sync::Arc;

/// Which sessions. An empty list stands for any.
#[derive(Debug, Clone, Default)]
pub struct SessionFilter {
    /// Their states.
    pub states: Vec<SessionState>,
    /// Their agents.
    pub agents: Vec<String>,
    /// Members of their metadata, all of which they must have.
    pub metadata: Vec<(String, String)>,
}

/// A page of sessions.
#[derive(Debug, Clone, Default)]
pub struct SessionPage {
    /// The newest first.
    pub sessions: Vec<Session>,
    /// Where the next page begins, if there is one.
    pub next: Option<Cursor>,
}

/// A place in the list of sessions. It depends on nothing that changes, so that paging neither repeats nor leaves out a session
/// that is there all the while.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    created_at_ms: Reverse<u64>,
    id: String,
}

impl Cursor {
    fn of(shared: &Shared) -> Self {
        let created_at_ms = shared.peek(|record| record.created_at_ms);
        Self { created_at_ms: Reverse(created_at_ms), id: shared.id.clone() }
    }

    /// Returns it as clients see it.
    pub fn to_text(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(format!("{}/{}", self.created_at_ms.0, self.id))
    }

    /// Reads it from a client's text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (created_at_ms, id) = text.split_once('/')?;
        Some(Self { created_at_ms: Reverse(created_at_ms.parse().ok()?), id: id.to_owned() })
    }
}

impl Sessions {
    /// Returns the sessions that come after that place, at most so many.
    pub fn page(
        &self,
        filter: &SessionFilter,
        after: Option<&Cursor>,
        limit: usize,
        detail: Detail,
    ) -> SessionPage {
        let all: Vec<Arc<Shared>> = self.registry().values().cloned().collect();
        let mut found: Vec<(Cursor, &Arc<Shared>)> = all
            .iter()
            .map(|shared| (Cursor::of(shared), shared))
            .filter(|(at, shared)| after.is_none_or(|after| at > after) && filter.takes(shared))
            .collect();
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| has_more).map(|(at, _)| at.clone());
        let sessions = found.iter().map(|(_, shared)| shared.describe_with(detail)).collect();
        SessionPage { sessions, next }
    }

    /// Returns the state of each session.
    pub fn states(&self) -> Vec<SessionState> {
        self.registry().values().map(|shared| shared.shown_state()).collect()
    }

    /// Returns how many messages wait for their turn in all sessions.
    pub fn queued_total(&self) -> usize {
        self.registry().values().map(|shared| shared.queued()).sum()
    }

    /// Returns the ids of the sessions whose agents run on that ACP server.
    pub fn served_by(&self, server: &str) -> Vec<String> {
        let serves = |shared: &&Arc<Shared>| shared.server().as_deref() == Some(server);
        let mut ids: Vec<String> =
            self.registry().values().filter(serves).map(|shared| shared.id.clone()).collect();
        ids.sort();
        ids
    }

    /// Returns which sessions each ACP server serves, as pairs of server and session, in order.
    pub fn served(&self) -> Vec<(String, String)> {
        let pair = |shared: &Arc<Shared>| Some((shared.server()?, shared.id.clone()));
        let mut pairs: Vec<(String, String)> = self.registry().values().filter_map(pair).collect();
        pairs.sort();
        pairs
    }
}

impl SessionFilter {
    fn takes(&self, shared: &Shared) -> bool {
        (self.states.is_empty() || self.states.contains(&shared.shown_state()))
            && shared.peek(|record| self.takes_record(record))
    }

    fn takes_record(&self, record: &Record) -> bool {
        let agent = self.agents.is_empty() || self.agents.contains(&record.request.agent);
        let has =
            |(key, value): &(String, String)| record.metadata.get(key).is_some_and(|found| is(found, value));
        agent && self.metadata.iter().all(has)
    }
}

/// Compares a member of metadata with a client's text. Arrays and objects equal no text.
fn is(found: &Value, text: &str) -> bool {
    match found {
        Value::String(found) => found == text,
        Value::Array(_) | Value::Object(_) => false,
        scalar => {
            let scalar = scalar.to_string();
            scalar == text
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cursor_is_read_as_it_was_written() {
        let cursor = Cursor { created_at_ms: Reverse(17), id: "a/b:c".to_owned() };
        assert_eq!(Cursor::parse(&cursor.to_text()), Some(cursor));
        for bad in
            ["", "x", "!!", &BASE64_URL_SAFE_NO_PAD.encode("17"), &BASE64_URL_SAFE_NO_PAD.encode("x/y")]
        {
            assert_eq!(Cursor::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn metadata_is_compared_as_text() {
        for (found, text, equal) in [
            (json!("x"), "x", true),
            (json!("x"), "\"x\"", false),
            (json!(7), "7", true),
            (json!(true), "true", true),
            (json!(null), "null", true),
            (json!(["x"]), "[\"x\"]", false),
            (json!({}), "{}", false),
        ] {
            assert_eq!(is(&found, text), equal, "{found} {text}");
        }
    }
}
