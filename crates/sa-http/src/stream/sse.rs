//! Server-sent events.

use bytes::Bytes;
use sa_api::Gap;
pub(crate) use sa_relay::push_event;
use serde::Serialize;

/// Milliseconds that clients should wait before they reconnect.
const RETRY_MS: u64 = 500;

/// Returns the first block of a stream. Without data this is no event, but clients note the id: one that is cut off
/// before the first event comes back with a cursor and misses nothing.
pub(crate) fn opening(cursor: u64) -> Bytes {
    Bytes::from(format!("retry: {RETRY_MS}\nid: {cursor}\n\n"))
}

/// Returns an event whose data is this value as JSON. Events that are no entry of a log have no id.
pub(crate) fn event(name: &str, id: Option<u64>, data: &impl Serialize) -> Bytes {
    let mut bytes = Vec::new();
    push_event(&mut bytes, Some(name), id, &serde_json::to_vec(data).unwrap_or_default());
    bytes.into()
}

/// Returns the event that reports a gap.
pub(crate) fn gap(gap: sa_journal::Gap) -> Bytes {
    event("gap", None, &Gap { oldest: gap.oldest, newest: gap.newest })
}
