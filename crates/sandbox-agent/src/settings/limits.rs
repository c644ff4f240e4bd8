//! `[limits]` of the configuration file: one table with the limits of the hub and of HTTP. All of them are numbers.

use sa_http::HttpLimits;
use sa_hub::Limits;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// The limits of the table.
#[derive(Debug, Default)]
pub(crate) struct LimitsTable {
    pub(crate) hub: Limits,
    pub(crate) http: HttpLimits,
}

impl<'de> Deserialize<'de> for LimitsTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TableVisitor)
    }
}

/// A key of the table. Unknown ones are refused while the parser knows their line.
enum Key {
    Hub(String),
    Http(String),
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = String::deserialize(deserializer)?;
        let (hub, http) = (keys(&Limits::default()), keys(&HttpLimits::default()));
        if hub.contains(&key) {
            return Ok(Self::Hub(key));
        }
        if http.contains(&key) {
            return Ok(Self::Http(key));
        }
        let known = [hub, http].concat().join("`, `");
        Err(D::Error::custom(format!("unknown field `{key}`, expected one of `{known}`")))
    }
}

/// Returns the keys of limits, in alphabetical order.
fn keys(limits: &impl Serialize) -> Vec<String> {
    match serde_json::to_value(limits) {
        Ok(Value::Object(members)) => members.into_iter().map(|(key, _)| key).collect(),
        _ => Vec::new(),
    }
}

struct TableVisitor;

impl<'de> Visitor<'de> for TableVisitor {
    type Value = LimitsTable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of limits")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<LimitsTable, A::Error> {
        let (mut hub, mut http) = (Map::new(), Map::new());
        while let Some(key) = table.next_key()? {
            let value = table.next_value::<u64>()?.into();
            match key {
                Key::Hub(key) => hub.insert(key, value),
                Key::Http(key) => http.insert(key, value),
            };
        }
        Ok(LimitsTable { hub: read(hub)?, http: read(http)? })
    }
}

fn read<T: for<'de> Deserialize<'de>, E: Error>(members: Map<String, Value>) -> Result<T, E> {
    serde_json::from_value(Value::Object(members)).map_err(E::custom)
}
