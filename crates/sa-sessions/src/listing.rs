//! Sessions by pages. A page reads as many sessions as it has, however many there are.

use crate::Sessions;
use crate::error::Result;
use crate::record::{Detail, View};
use crate::shared::Shared;
use crate::taking_up::Arrival;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use sa_api::sessions::{Session, SessionState};
use sa_store::{ListPlace, Listing, StoredSession, Which};
use serde_json::{Map, Value};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The sessions to list. An empty list stands for any.
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
    /// The beginning of the next page, if there is one.
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
    /// Returns the sessions that come after that place, at most so many: those in memory as they are now, all others as the store has
    /// them.
    pub async fn page(
        &self,
        filter: &SessionFilter,
        after: Option<&Cursor>,
        limit: usize,
        detail: Detail,
    ) -> Result<SessionPage> {
        // In this order: a session that is made meanwhile is then in one of them.
        let mut elsewhere = self.registry().coming();
        let live = self.registry().live();
        elsewhere.extend(live.iter().map(|shared| shared.id.clone()));
        let mut found: Vec<(Cursor, Found)> = live
            .into_iter()
            .map(|shared| (Cursor::of(&shared), shared))
            .filter(|(at, shared)| after.is_none_or(|after| at > after) && filter.takes(shared))
            .map(|(at, shared)| (at, Found::Live(shared)))
            .collect();
        // One more than fits says that there is another page.
        for stored in self.stored_after(filter, after, limit + 1, elsewhere).await? {
            let at = Cursor { created_at_ms: Reverse(stored.listing.created_at_ms), id: stored.id.clone() };
            match self.registry().find_live(&stored.id) {
                // Somebody has asked for it meanwhile.
                Some(shared) if filter.takes(&shared) => found.push((at, Found::Live(shared))),
                Some(_) => {}
                None => found.push((at, Found::Stored(Box::new(stored)))),
            }
        }
        found.sort_by(|(a, _), (b, _)| a.cmp(b));
        let has_more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| has_more).map(|(at, _)| at.clone());
        let sessions = found.into_iter().filter_map(|(_, found)| found.describe(detail)).collect();
        Ok(SessionPage { sessions, next })
    }

    /// Returns sessions that are in the store alone.
    async fn stored_after(
        &self,
        filter: &SessionFilter,
        after: Option<&Cursor>,
        limit: usize,
        elsewhere: HashSet<String>,
    ) -> Result<Vec<StoredSession>> {
        let Some(which) = filter.stored() else { return Ok(Vec::new()) };
        let after =
            after.map(|after| ListPlace { created_at_ms: after.created_at_ms.0, id: after.id.clone() });
        let filter = filter.clone();
        let takes =
            move |id: &str, listing: &Listing| !elsewhere.contains(id) && filter.takes_listing(listing);
        Ok(self.store().list(which, after, limit, takes).await?)
    }

    /// Counts the sessions by their states.
    pub fn states(&self) -> StateCounts {
        let live: Vec<SessionState> =
            self.registry().live().iter().map(|shared| shared.shown_state()).collect();
        let stats = self.store().stats();
        let ended_live = live.iter().filter(|state| **state == SessionState::Ended).count() as u64;
        let ended = stats.ended.saturating_sub(ended_live);
        // The others have no agent.
        let interrupted = stats.sessions.saturating_sub(live.len() as u64 + ended);
        StateCounts { live, ended, interrupted }
    }

    /// Returns how many messages wait for their turn in all sessions.
    pub fn queued_total(&self) -> usize {
        self.registry().live().iter().map(|shared| shared.state().queue.len()).sum()
    }

    /// Returns the ids of the sessions whose agents run on that ACP server.
    pub fn served_by(&self, server: &str) -> Vec<String> {
        let live = self.registry().live();
        let serves = |shared: &&Arc<Shared>| shared.state().server.as_deref() == Some(server);
        let mut ids: Vec<String> = live.iter().filter(serves).map(|shared| shared.id.clone()).collect();
        ids.sort();
        ids
    }

    /// Returns which sessions each ACP server serves, as pairs of server and session, in order.
    pub fn served(&self) -> Vec<(String, String)> {
        let pair = |shared: &Arc<Shared>| Some((shared.state().server.clone()?, shared.id.clone()));
        let mut pairs: Vec<(String, String)> = self.registry().live().iter().filter_map(pair).collect();
        pairs.sort();
        pairs
    }
}

/// The number of sessions in each state.
#[derive(Debug, Clone)]
pub struct StateCounts {
    live: Vec<SessionState>,
    ended: u64,
    interrupted: u64,
}

impl StateCounts {
    /// Returns how many are in that state.
    pub fn of(&self, state: SessionState) -> u64 {
        let live = self.live.iter().filter(|other| **other == state).count() as u64;
        match state {
            SessionState::Ended => live + self.ended,
            SessionState::Interrupted => live + self.interrupted,
            _ => live,
        }
    }
}

/// A session of a page.
enum Found {
    Live(Arc<Shared>),
    Stored(Box<StoredSession>),
}

impl Found {
    /// Returns the session as clients see it; nothing if its record cannot be read.
    fn describe(self, detail: Detail) -> Option<Session> {
        let stored = match self {
            Self::Live(shared) => return Some(shared.describe_with(detail)),
            Self::Stored(stored) => stored,
        };
        let id = stored.id.clone();
        match Arrival::read(*stored, BTreeMap::new()) {
            Ok(Arrival { record, ends, webhook, .. }) => {
                let view = View { queue: Vec::new(), ends, webhook, detail };
                Some(record.describe(&id, view))
            }
            Err(error) => {
                tracing::error!(session = id, %error, "a stored session cannot be read and is not listed");
                None
            }
        }
    }
}

impl SessionFilter {
    fn takes(&self, shared: &Shared) -> bool {
        (self.states.is_empty() || self.states.contains(&shared.shown_state()))
            && shared.peek(|record| self.takes_parts(&record.request.agent, &record.metadata))
    }

    /// Returns which sessions to look for in the store, if any: those that are there alone have ended or are interrupted.
    fn stored(&self) -> Option<Which> {
        let has = |state| self.states.is_empty() || self.states.contains(&state);
        match (has(SessionState::Ended), has(SessionState::Interrupted)) {
            (true, true) => Some(Which::All),
            (true, false) => Some(Which::Ended),
            (false, true) => Some(Which::Open),
            (false, false) => None,
        }
    }

    fn takes_listing(&self, listing: &Listing) -> bool {
        let metadata: Map<String, Value> = if self.metadata.is_empty() || listing.labels.is_empty() {
            Map::new()
        } else {
            serde_json::from_slice(&listing.labels).unwrap_or_default()
        };
        self.takes_parts(&listing.agent, &metadata)
    }

    fn takes_parts(&self, agent: &String, metadata: &Map<String, Value>) -> bool {
        let has = |(key, value): &(String, String)| metadata.get(key).is_some_and(|found| is(found, value));
        (self.agents.is_empty() || self.agents.contains(agent)) && self.metadata.iter().all(has)
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
