//! Points in time, the same in every answer: RFC 3339 in UTC with milliseconds.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A point in time, such as `2026-03-14T20:42:18.250Z`. Texts sort as times do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    milliseconds: u64,
}

/// The last millisecond that can be written in every time zone: shortly before the end of the year 9999, the last one of RFC 3339.
const LATEST: u64 = 253_402_207_200_000;

impl Timestamp {
    /// Returns the current time.
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_millis(u64::try_from(since.as_millis()).unwrap_or(LATEST))
    }

    /// Returns the time that many milliseconds after 1970 began, at the latest the end of 9999-12-30.
    pub fn from_millis(milliseconds: u64) -> Self {
        Self { milliseconds: milliseconds.min(LATEST) }
    }

    /// Returns the milliseconds since 1970 began.
    pub fn as_millis(self) -> u64 {
        self.milliseconds
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = i64::try_from(self.milliseconds).unwrap_or_default();
        let time = jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default();
        write!(f, "{time:.3}")
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let time: jiff::Timestamp =
            text.parse().map_err(|_| D::Error::custom("expected an RFC 3339 time"))?;
        let milliseconds = u64::try_from(time.as_millisecond())
            .map_err(|_| D::Error::custom("expected a time that is not before 1970"))?;
        Ok(Self::from_millis(milliseconds))
    }
}

impl ToSchema for Timestamp {}

/// Inlined where it is used: generators have a type of their own for `date-time`.
impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .into()
    }
}

#[cfg(feature = "json-schema")]
impl schemars::JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Timestamp")
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::Timestamp;

    #[test]
    fn times_are_written_with_milliseconds_and_read_in_any_zone() {
        let time = Timestamp::from_millis(1_773_520_938_250);
        assert_eq!(serde_json::to_string(&time).unwrap(), "\"2026-03-14T20:42:18.250Z\"");
        for text in ["2026-03-14T20:42:18.25Z", "2026-03-14T21:42:18.250999+01:00", "2026-03-14t20:42:18.25z"]
        {
            assert_eq!(serde_json::from_value::<Timestamp>(text.into()).unwrap(), time, "{text}");
        }
        for text in ["", "yesterday", "2026-03-14", "1969-12-31T23:59:59Z", "2026-02-30T00:00:00Z"] {
            assert!(serde_json::from_value::<Timestamp>(text.into()).is_err(), "{text}");
        }
    }

    #[test]
    fn every_time_can_be_written_and_read() {
        for milliseconds in [0, 1, 999, 1_000, 253_402_207_200_000, 253_402_300_799_999, u64::MAX] {
            let time = Timestamp::from_millis(milliseconds);
            let text = serde_json::to_string(&time).unwrap();
            assert_eq!(serde_json::from_str::<Timestamp>(&text).unwrap(), time, "{text}");
        }
    }
}
