//! Writes messages.

use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Call<'a, I, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<I>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

#[derive(Serialize)]
struct Response<'a, R, E> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<E>,
}

/// Writes a request, or a notification if there is no id.
pub fn write_call(id: Option<impl Serialize>, method: &str, params: Option<impl Serialize>) -> Vec<u8> {
    write(&Call { jsonrpc: "2.0", id, method, params })
}

pub fn write_response<R: Serialize, E: Serialize>(id: &RawValue, outcome: Result<R, E>) -> Vec<u8> {
    let (result, error) = match outcome {
        Ok(result) => (Some(result), None),
        Err(error) => (None, Some(error)),
    };
    write(&Response { jsonrpc: "2.0", id, result, error })
}

/// Memory takes every byte, and all that is written here has a JSON form: a failure is a mistake of this program.
fn write(message: &impl Serialize) -> Vec<u8> {
    let written = serde_json::to_vec(message);
    debug_assert!(written.is_ok(), "a message has no JSON form: {written:?}");
    written.unwrap_or_default()
}
