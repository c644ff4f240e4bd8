//! The events that a reader wants, recognized by their types.

use crate::log::EventLine;
use bytes::Bytes;
use sa_api::sessions::EventType;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{BTreeMap, BTreeSet};

/// The events that a reader wants.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    types: Option<BTreeSet<EventType>>,
    without_deltas: bool,
}

impl EventFilter {
    /// Lets only events of these types pass; of all types if there is no list.
    pub fn new(types: Option<BTreeSet<EventType>>) -> Self {
        Self { types, without_deltas: false }
    }

    /// Also leaves pieces of messages out.
    #[must_use]
    pub fn without_deltas(self) -> Self {
        Self { without_deltas: true, ..self }
    }

    /// Returns whether every event passes.
    pub fn is_open(&self) -> bool {
        self.types.is_none() && !self.without_deltas
    }

    /// Returns whether an event passes.
    pub fn wants(&self, line: &EventLine) -> bool {
        if self.is_open() {
            return true;
        }
        let found = type_of(&line.json).and_then(EventType::from_name);
        let wanted = match &self.types {
            Some(types) => found.is_some_and(|found| types.contains(&found)),
            None => true,
        };
        wanted && !(self.without_deltas && found == Some(EventType::MessageDelta))
    }
}

const TYPE: &[u8] = b"\"type\":\"";

/// The type of an event as it is written: `{"id":5,"type":"message",…`.
fn type_of(json: &[u8]) -> Option<&str> {
    let rest = after_id(json)?.1.strip_prefix(TYPE)?;
    std::str::from_utf8(rest.get(..memchr::memchr(b'"', rest)?)?).ok()
}

/// An event's JSON up to the comma after its id, and what follows.
fn after_id(json: &[u8]) -> Option<(&[u8], &[u8])> {
    json.split_at_checked(memchr::memchr(b',', json)? + 1)
}

/// Returns an event with its type. Logs of earlier versions have none.
pub(crate) fn with_type(json: Bytes) -> Bytes {
    let Some((head, rest)) = after_id(&json) else { return json };
    if rest.starts_with(TYPE) {
        return json;
    }
    let event = serde_json::from_slice::<Untyped>(&json).ok();
    let Some((name, _)) = event.and_then(|event| event.data.into_iter().next()) else { return json };
    [head, TYPE, name.as_bytes(), b"\",", rest].concat().into()
}

#[derive(Deserialize)]
struct Untyped {
    /// One member, named by the type.
    data: BTreeMap<String, IgnoredAny>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use sa_api::Timestamp;
    use sa_api::sessions::{EventData, Notice, NoticeSeverity, UniversalEvent};

    fn written() -> (Vec<u8>, Vec<u8>) {
        let notice =
            Notice { severity: NoticeSeverity::Info, title: "\"type\":\"x\"".to_owned(), description: None };
        let event = UniversalEvent {
            id: 12,
            timestamp: Timestamp::from_millis(5),
            session_id: "s".to_owned(),
            agent: "demo".to_owned(),
            native_session_id: None,
            data: EventData::Notice(notice),
        };
        let now = serde_json::to_string(&event).unwrap();
        let before = now.replacen("\"type\":\"notice\",", "", 1);
        assert_ne!(now, before);
        (now.into_bytes(), before.into_bytes())
    }

    #[test]
    fn an_event_of_an_earlier_version_gets_its_type_where_others_have_it() {
        let (now, before) = written();
        assert_eq!(with_type(before.into()), now);
        assert_eq!(with_type(now.clone().into()), now);
        for odd in ["", "{", "{\"id\":1,", "{\"id\":1,\"data\":{}}", "{\"id\":1,\"data\":[1]}", "[1,2]"] {
            assert_eq!(with_type(odd.into()), odd.as_bytes());
        }
    }

    #[test]
    fn filters_go_by_type() {
        let line =
            |kind: EventType| EventLine { id: 1, json: format!("{{\"id\":1,\"type\":\"{kind}\",").into() };
        let passing =
            |filter: &EventFilter| EventType::ALL.iter().filter(|kind| filter.wants(&line(**kind))).count();
        let all = EventType::ALL.len();
        assert_eq!(passing(&EventFilter::default()), all);
        assert_eq!(passing(&EventFilter::default().without_deltas()), all - 1);
        let two = EventFilter::new(Some([EventType::Message, EventType::MessageDelta].into()));
        assert_eq!(passing(&two), 2);
        assert_eq!(passing(&two.without_deltas()), 1);
    }
}
