//! The format of server-sent events. Records are framed when they are logged; every other stream uses the same function.

use bytes::BufMut;

/// The end of an event, after its data.
pub(crate) const EVENT_END: &[u8] = b"\n\n";

/// Appends a server-sent event. The data must have no line breaks.
pub fn push_event(bytes: &mut impl BufMut, name: Option<&str>, id: Option<u64>, data: &[u8]) {
    push_event_head(bytes, name, id);
    bytes.put_slice(data);
    bytes.put_slice(EVENT_END);
}

/// Appends everything in front of an event's data. Runs for each message, so it appends as few slices as it can.
#[inline]
pub(crate) fn push_event_head(bytes: &mut impl BufMut, name: Option<&str>, id: Option<u64>) {
    if let Some(name) = name {
        bytes.put_slice(b"event: ");
        bytes.put_slice(name.as_bytes());
        bytes.put_slice(if id.is_some() { b"\nid: " } else { b"\n" });
    } else if id.is_some() {
        bytes.put_slice(b"id: ");
    }
    match id {
        Some(id) => {
            bytes.put_slice(itoa::Buffer::new().format(id).as_bytes());
            bytes.put_slice(b"\ndata: ");
        }
        None => bytes.put_slice(b"data: "),
    }
}
