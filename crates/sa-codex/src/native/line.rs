//! The frame of a message: JSON-RPC without its version.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A message of the app-server.
#[derive(Debug)]
pub(crate) enum ServerLine<'a> {
    Notification {
        method: &'a str,
        params: &'a str,
    },
    /// A request. The id is the text that the app-server wrote.
    Request {
        id: &'a str,
        method: &'a str,
        params: &'a str,
    },
    Answer {
        id: u64,
        outcome: Result<&'a str, Refusal>,
    },
}

/// The error of an answer.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Refusal {
    #[serde(default)]
    pub(crate) message: String,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<&'a str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
}

impl<'a> ServerLine<'a> {
    /// Reads a line; an error in words if it is no message.
    pub(crate) fn read(line: &'a [u8]) -> Result<Self, String> {
        let frame: Frame<'a> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        let params = frame.params.map_or("null", RawValue::get);
        match (frame.id, frame.method) {
            (None, Some(method)) => Ok(Self::Notification { method, params }),
            (Some(id), Some(method)) => Ok(Self::Request { id: id.get(), method, params }),
            (Some(id), None) => {
                let id = id.get().parse().map_err(|_| "an answer to what was not asked".to_owned())?;
                let outcome = match frame.error {
                    Some(refusal) => Err(refusal),
                    None => Ok(frame.result.map_or("null", RawValue::get)),
                };
                Ok(Self::Answer { id, outcome })
            }
            (None, None) => Err("neither a method nor an id".to_owned()),
        }
    }
}

/// A request, with its line's end.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    format!("{{\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n").into_bytes()
}

/// A notification, with its line's end.
pub(crate) fn notification(method: &str) -> Vec<u8> {
    format!("{{\"method\":\"{method}\"}}\n").into_bytes()
}

/// The answer to a request of the app-server, with its line's end.
pub(crate) fn reply(id: &str, result: &Value) -> Vec<u8> {
    format!("{{\"id\":{id},\"result\":{result}}}\n").into_bytes()
}

/// The refusal of a request of the app-server, with its line's end.
pub(crate) fn refusal(id: &str, message: &str) -> Vec<u8> {
    let error = json!({ "code": -32_601, "message": message });
    format!("{{\"id\":{id},\"error\":{error}}}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_kind_of_message_is_told_from_the_others() {
        let notification = ServerLine::read(br#"{"method":"a/b","params":{"x":1},"emittedAtMs":1}"#).unwrap();
        assert!(matches!(notification, ServerLine::Notification { method: "a/b", params: r#"{"x":1}"# }));
        let request = ServerLine::read(br#"{"method":"a","id":"x-1","params":{}}"#).unwrap();
        assert!(matches!(request, ServerLine::Request { id: r#""x-1""#, .. }));
        let answer = ServerLine::read(br#"{"id":3,"result":{"ok":true}}"#).unwrap();
        assert!(matches!(answer, ServerLine::Answer { id: 3, outcome: Ok(r#"{"ok":true}"#) }));
        let refusal = ServerLine::read(br#"{"id":3,"error":{"code":-32600,"message":"no"}}"#).unwrap();
        assert!(matches!(refusal, ServerLine::Answer { outcome: Err(_), .. }));
        for bad in ["", "[]", "{}", "text", r#"{"id":"theirs","result":1}"#] {
            assert!(ServerLine::read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
