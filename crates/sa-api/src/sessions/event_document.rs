//! The document that an event is written as.

use super::{EventData, EventType, MessagePart, UniversalEvent};
use crate::Timestamp;
use sa_api_macros::api;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An event of a session. `type` names the single member of `data`.
#[api]
struct EventDocument<'a> {
    /// Id of the event. Ids count from 1 without gaps.
    #[schema(minimum = 1)]
    id: u64,
    /// Type of the event: the name of the single member of `data`.
    // Logs and exports from before there was a type have none.
    #[serde(rename = "type")]
    #[schema(value_type = EventType, required = true)]
    #[cfg_attr(feature = "json-schema", schemars(with = "EventType"))]
    event_type: Option<EventType>,
    /// Time at which the event was recorded.
    timestamp: Timestamp,
    /// Id of the session.
    session_id: Cow<'a, str>,
    /// Id of the agent.
    agent: Cow<'a, str>,
    /// The agent's own id of the session, once it is known.
    native_session_id: Option<Cow<'a, str>>,
    /// Data of the event: an object with one member, named as `type` says.
    #[schema(value_type = EventData)]
    #[cfg_attr(feature = "json-schema", schemars(with = "EventData"))]
    data: Cow<'a, EventData>,
}

impl Serialize for UniversalEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = EventDocument {
            id: self.id,
            event_type: Some(self.data.event_type()),
            timestamp: self.timestamp,
            session_id: Cow::Borrowed(&self.session_id),
            agent: Cow::Borrowed(&self.agent),
            native_session_id: self.native_session_id.as_deref().map(Cow::Borrowed),
            data: Cow::Borrowed(&self.data),
        };
        document.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for UniversalEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = EventDocument::deserialize(deserializer)?;
        let data = document.data.into_owned();
        if let Some(stated) = document.event_type
            && stated != data.event_type()
        {
            let actual = data.name();
            return Err(D::Error::custom(format!("type is '{stated}', but data has '{actual}'")));
        }
        Ok(Self {
            id: document.id,
            timestamp: document.timestamp,
            session_id: document.session_id.into_owned(),
            agent: document.agent.into_owned(),
            native_session_id: document.native_session_id.map(Cow::into_owned),
            data,
        })
    }
}

impl UniversalEvent {
    /// Reads an event from JSON. Every crate reads events here: the code of a reader of all events is large, and a crate that
    /// calls `serde_json` itself gets a copy of it.
    pub fn from_json(json: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(json)
    }
}

impl EventData {
    /// Reads the data of an event from a JSON tree, by way of its text: reading trees would be a second reader of all events.
    pub fn from_value(value: &Value) -> serde_json::Result<Self> {
        serde_json::from_slice(&serde_json::to_vec(value)?)
    }
}

impl MessagePart {
    /// Reads a part of a message from a JSON tree, in the same way as [`EventData::from_value`].
    pub fn from_value(value: &Value) -> serde_json::Result<Self> {
        serde_json::from_slice(&serde_json::to_vec(value)?)
    }
}

impl ToSchema for UniversalEvent {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        EventDocument::schemas(schemas);
    }
}

impl PartialSchema for UniversalEvent {
    fn schema() -> RefOr<Schema> {
        EventDocument::schema()
    }
}

#[cfg(feature = "json-schema")]
impl schemars::JsonSchema for UniversalEvent {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("UniversalEvent")
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = EventDocument::json_schema(generator);
        let pairs = EventType::ALL.iter().map(|kind| {
            let name = kind.name();
            serde_json::json!({ "properties": { "type": { "const": name }, "data": { "required": [name] } } })
        });
        schema.insert("oneOf".to_owned(), pairs.collect());
        schema
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn event() -> Value {
        json!({
            "id": 5,
            "type": "turnStarted",
            "timestamp": "2026-03-14T20:42:18.250Z",
            "sessionId": "s1",
            "agent": "demo",
            "data": { "turnStarted": { "turnId": "t1" } },
        })
    }

    #[test]
    fn an_event_says_its_type_after_its_id() {
        let event: UniversalEvent = serde_json::from_value(event()).unwrap();
        let text = serde_json::to_string(&event).unwrap();
        assert!(text.starts_with(r#"{"id":5,"type":"turnStarted","timestamp":"2026-"#), "{text}");
        assert!(text.ends_with(r#""data":{"turnStarted":{"turnId":"t1"}}}"#), "{text}");
    }

    #[test]
    fn an_event_without_a_type_is_read_and_one_with_another_is_not() {
        let mut without = event();
        without.as_object_mut().unwrap().remove("type");
        let read: UniversalEvent = serde_json::from_value(without).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), event());
        for wrong in [json!("turnEnded"), json!("turnstarted"), json!(""), json!(1)] {
            let mut event = event();
            event["type"] = wrong;
            assert!(serde_json::from_value::<UniversalEvent>(event.clone()).is_err(), "{event}");
        }
        let mut mismatch = event();
        mismatch["type"] = json!("turnEnded");
        let error = serde_json::from_value::<UniversalEvent>(mismatch).unwrap_err();
        assert_eq!(error.to_string(), "type is 'turnEnded', but data has 'turnStarted'");
    }

    #[test]
    fn the_name_of_an_event_is_that_of_its_data() {
        for kind in EventType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            assert_eq!(EventType::from_name(kind.name()), Some(*kind));
            // A value that fits no event, under the name of one, is complained about as a value.
            let probe = json!({ kind.name(): false });
            let complaint = serde_json::from_value::<EventData>(probe).unwrap_err().to_string();
            assert!(!complaint.starts_with("unknown variant"), "{complaint}");
        }
        assert_eq!(EventType::from_name("turnstarted"), None);
    }
}
