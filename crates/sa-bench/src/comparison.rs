//! The same work done by several servers: one row for each kind of work.

use serde::{Serialize, Serializer};

/// One row of a comparison. The first server is the daemon.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) values: Vec<Measured>,
}

/// The outcome of one kind of work for one server.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Measured {
    Value(f64),
    /// Not done when the wait for it ended.
    Over(f64),
    NotOffered,
}

impl Serialize for Measured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Value(value) => serializer.serialize_some(&value),
            Self::Over(bound) => serializer.serialize_str(&format!("> {bound}")),
            Self::NotOffered => serializer.serialize_none(),
        }
    }
}
