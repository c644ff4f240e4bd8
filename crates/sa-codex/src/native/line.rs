//! The frame of a message: JSON-RPC without its version.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A message of the app-server.
#[derive(Debug)]
pub(crate) enum Line<'a> {
    /// It tells something.
    Notification { method: &'a str, params: &'a str },
    /// It asks something; the id is the very text that it wrote.
    Request { id: &'a str, method: &'a str, params: &'a str },
    /// It answers.
    Answer { id: u64, outcome: Result<&'a str, Refusal> },
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

impl<'a> Line<'a> {
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

#[derive(Serialize)]
struct Call<'a, P> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<P>,
}

#[derive(Serialize)]
struct Reply<'a, R> {
    id: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<R>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Complaint<'a>>,
}

#[derive(Serialize)]
struct Complaint<'a> {
    code: i64,
    message: &'a str,
}

/// A request, with its line's end.
pub(crate) fn request(id: u64, method: &str, params: impl Serialize) -> Vec<u8> {
    bytes(&Call { id: Some(id), method, params: Some(params) })
}

/// A notification, with its line's end.
pub(crate) fn notification(method: &str) -> Vec<u8> {
    bytes(&Call { id: None, method, params: None::<()> })
}

/// The answer to a request of the app-server, with its line's end.
pub(crate) fn reply(id: &str, result: impl Serialize) -> Vec<u8> {
    let id = RawValue::from_string(id.to_owned()).unwrap_or_default();
    bytes(&Reply { id: &id, result: Some(result), error: None })
}

/// The refusal of a request of the app-server, with its line's end.
pub(crate) fn refusal(id: &str, message: &str) -> Vec<u8> {
    let id = RawValue::from_string(id.to_owned()).unwrap_or_default();
    bytes(&Reply { id: &id, result: None::<()>, error: Some(Complaint { code: -32_601, message }) })
}

/// Every type written here has a JSON form.
fn bytes(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).unwrap_or_default();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn each_kind_of_message_is_told_from_the_others() {
        let notification = Line::read(br#"{"method":"a/b","params":{"x":1},"emittedAtMs":1}"#).unwrap();
        assert!(matches!(notification, Line::Notification { method: "a/b", params: r#"{"x":1}"# }));
        let request = Line::read(br#"{"method":"a","id":"x-1","params":{}}"#).unwrap();
        assert!(matches!(request, Line::Request { id: r#""x-1""#, .. }));
        let answer = Line::read(br#"{"id":3,"result":{"ok":true}}"#).unwrap();
        assert!(matches!(answer, Line::Answer { id: 3, outcome: Ok(r#"{"ok":true}"#) }));
        let refusal = Line::read(br#"{"id":3,"error":{"code":-32600,"message":"no"}}"#).unwrap();
        assert!(matches!(refusal, Line::Answer { outcome: Err(_), .. }));
        for bad in ["", "[]", "{}", "text", r#"{"id":"theirs","result":1}"#] {
            assert!(Line::read(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
