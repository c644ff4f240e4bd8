//! Writes JSON-RPC messages as lines.

use agent_client_protocol_schema::v1::Error;
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Frame<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

#[derive(Serialize)]
struct Response<'a, R> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Error>,
}

/// Appends the answer to a request.
pub(crate) fn write_result(out: &mut Vec<u8>, id: &RawValue, result: impl Serialize) {
    write_line(out, &Response { jsonrpc: "2.0", id, result: Some(result), error: None });
}

/// Appends the refusal of a request.
pub(crate) fn write_error(out: &mut Vec<u8>, id: &RawValue, error: &Error) {
    write_line(out, &Response { jsonrpc: "2.0", id, result: None::<()>, error: Some(error) });
}

/// Appends a notification.
pub(crate) fn write_notification(out: &mut Vec<u8>, method: &str, params: Option<impl Serialize>) {
    write_line(out, &Frame { jsonrpc: "2.0", id: None, method, params });
}

/// Appends a request.
pub(crate) fn write_request(out: &mut Vec<u8>, id: i64, method: &str, params: Option<impl Serialize>) {
    write_line(out, &Frame { jsonrpc: "2.0", id: Some(id), method, params });
}

/// Memory takes every byte and every type written here has a JSON form, so a failure is a mistake of this program; it must
/// not leave half a line behind all the same.
fn write_line(out: &mut Vec<u8>, message: &impl Serialize) {
    let before = out.len();
    let written = serde_json::to_writer(&mut *out, message);
    debug_assert!(written.is_ok(), "a message has no JSON form: {written:?}");
    match written {
        Ok(()) => out.push(b'\n'),
        Err(_) => out.truncate(before),
    }
}
