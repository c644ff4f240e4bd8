//! A span: a piece of work with a beginning and an end.

use crate::context::TraceContext;
use sha2::{Digest, Sha256};

/// The id of a span within its trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct SpanId(pub [u8; 8]);

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Bool(bool),
    Int(i64),
    Double(f64),
    Texts(Vec<String>),
}

/// A named property.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    pub key: &'static str,
    pub value: Value,
}

/// The relation of a span to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work within the daemon and its agents.
    Internal,
    /// Requests to another machine.
    Client,
}

/// The end of the work of a span.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SpanStatus {
    /// Unknown.
    #[default]
    Unset,
    /// Failed; the text may be empty.
    Error(String),
}

/// A span that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub context: TraceContext,
    /// The span that this one is a part of.
    pub parent: Option<SpanId>,
    /// The name, of which there are few.
    pub name: String,
    /// The relation of the span to others.
    pub kind: SpanKind,
    /// The beginning, in milliseconds since 1970.
    pub start_ms: u64,
    pub end_ms: u64,
    pub attributes: Vec<Attribute>,
    /// The end of the work.
    pub status: SpanStatus,
}

impl Attribute {
    pub fn text(key: &'static str, value: impl Into<String>) -> Self {
        Self { key, value: Value::Text(value.into()) }
    }

    pub fn int(key: &'static str, value: u64) -> Self {
        Self { key, value: Value::Int(i64::try_from(value).unwrap_or(i64::MAX)) }
    }
}

/// Derives ids from names. The same work has the same ids in every daemon that reports it, so that one that was killed and the one
/// after it report one span.
pub(crate) fn derived<const N: usize>(names: &[&str]) -> [u8; N] {
    let mut hasher = Sha256::new();
    for name in names {
        hasher.update((name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
    }
    let mut id = [0; N];
    for (byte, digest) in id.iter_mut().zip(hasher.finalize()) {
        *byte = digest;
    }
    // All zeros would be no id.
    if let Some(last) = id.last_mut().filter(|last| **last == 0) {
        *last = 1;
    }
    id
}
