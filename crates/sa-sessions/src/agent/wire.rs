//! Messages as they come from an agent and go to one.

use bytes::Bytes;
use sa_api::{AgentExit, Unparsed};
use sa_jsonrpc::{Invalid, Message, codes, write_call, write_response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A message of an agent to a session, or the agent's end.
#[derive(Debug)]
pub(crate) enum FromAgent {
    /// A notification.
    Notification { method: String, params: Box<RawValue> },
    /// A request; `id` is the JSON of its id.
    Request { id: String, method: String, params: Box<RawValue> },
    /// An answer, under the caller's number.
    Response { call: u64, outcome: Result<Box<RawValue>, RpcError> },
    /// A line that is no message.
    Unparsed(Unparsed),
    /// Messages were lost: the daemon could not keep up for longer than its log is.
    Gap,
    /// The agent has ended.
    Ended(AgentExit),
}

impl FromAgent {
    /// Returns the bytes that it takes up, about.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Notification { method, params } | Self::Request { method, params, .. } => {
                method.len() + params.get().len()
            }
            Self::Response { outcome: Ok(result), .. } => result.get().len(),
            Self::Response { outcome: Err(error), .. } => error.message.len(),
            Self::Unparsed(unparsed) => unparsed.raw.len(),
            Self::Gap => 0,
            Self::Ended(exit) => exit.stderr_tail.len(),
        }
    }
}

/// An agent's error.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i32, message: String) -> Self {
        Self { code: i64::from(code), message, data: None }
    }

    /// An error is one whatever it looks like: a caller that waits for the answer must not wait forever.
    fn read(error: &RawValue) -> Self {
        let value: Value = serde_json::from_str(error.get()).unwrap_or_default();
        let code = value["code"].as_i64().unwrap_or(i64::from(codes::INTERNAL_ERROR));
        let message = match (&value["message"], &value) {
            (Value::String(message), _) | (_, Value::String(message)) => message.clone(),
            _ => format!("an error without a message: {value}"),
        };
        let data = value.get("data").filter(|data| !data.is_null()).cloned();
        Self { code, message, data }
    }
}

/// A message and its scope. An answer has none, and is under the number of the connection.
#[derive(Debug)]
pub(crate) struct Incoming {
    pub(crate) scope: Scope,
    pub(crate) message: FromAgent,
}

/// The session or request that a message belongs to.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) session_id: Option<String>,
    /// The request of ours that led to it.
    pub(crate) request_id: Option<u64>,
}

impl Scope {
    /// Each member counts by itself: one that makes no sense does not take the other with it.
    fn read(params: &RawValue) -> Self {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct Named {
            session_id: Value,
            request_id: Value,
        }
        let named: Named = serde_json::from_str(params.get()).unwrap_or_default();
        Self {
            session_id: named.session_id.as_str().map(str::to_owned),
            request_id: named.request_id.as_u64(),
        }
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl Incoming {
    /// Takes a message apart; nothing if it is a response to nothing that was asked.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let envelope: Envelope<'_> = serde_json::from_slice(text).ok()?;
        let Some(method) = envelope.method else {
            let call = envelope.id?.get().parse().ok()?;
            let outcome = match (envelope.error, envelope.result) {
                (Some(error), _) => Err(RpcError::read(error)),
                (None, result) => Ok(result.map_or_else(null, ToOwned::to_owned)),
            };
            return Some(Self { scope: Scope::default(), message: FromAgent::Response { call, outcome } });
        };
        let params = envelope.params.map_or_else(null, ToOwned::to_owned);
        let scope = Scope::read(&params);
        let method = method.into_owned();
        let message = match envelope.id {
            Some(id) => FromAgent::Request { id: id.get().to_owned(), method, params },
            None => FromAgent::Notification { method, params },
        };
        Some(Self { scope, message })
    }
}

fn null() -> Box<RawValue> {
    RawValue::NULL.to_owned()
}

/// A request, or a notification if it has no number.
pub(crate) fn message(call: Option<u64>, method: &str, params: &Value) -> Result<Message<Bytes>, Invalid> {
    Message::read(Bytes::from(write_call(call, method, Some(params))))
}

/// The answer to an agent's request of that id.
pub(crate) fn answer(id: &str, outcome: &Result<Value, RpcError>) -> Result<Message<Bytes>, Invalid> {
    let id = RawValue::from_string(id.to_owned()).unwrap_or_else(|_| null());
    Message::read(Bytes::from(write_response(&id, outcome.as_ref())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_taken_apart_by_what_they_are() {
        let read = |value: Value| Incoming::read(value.to_string().as_bytes());
        let update =
            json!({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{}}});
        assert!(
            matches!(read(update), Some(Incoming { scope, message: FromAgent::Notification { .. } }) if scope.session_id.as_deref() == Some("s"))
        );
        let asks =
            json!({"jsonrpc":"2.0","id":"a\"b","method":"elicitation/create","params":{"requestId":7}});
        let Some(Incoming { scope, message: FromAgent::Request { id, .. } }) = read(asks) else {
            panic!("no request")
        };
        assert_eq!((scope.request_id, id.as_str()), (Some(7), r#""a\"b""#));
        let refused = json!({"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"no"}});
        assert!(
            matches!(read(refused).unwrap().message, FromAgent::Response { call: 3, outcome: Err(error) } if error.code == -32000)
        );
        assert!(read(json!({"jsonrpc":"2.0","id":"not ours","result":{}})).is_none());
        let odd = json!({"jsonrpc":"2.0","method":"m","params":{"sessionId":"s","requestId":"not ours"}});
        assert!(
            matches!(read(odd), Some(Incoming { scope, message: FromAgent::Notification { .. } }) if scope.session_id.as_deref() == Some("s"))
        );
    }

    #[test]
    fn an_error_is_an_error_however_it_is_written() {
        let errors =
            [json!({"message":"x"}), json!({}), json!({"code":"E1","message":"x"}), json!("x"), json!(7)];
        for error in errors {
            let text = json!({"jsonrpc":"2.0","id":3,"error":error}).to_string();
            let read = Incoming::read(text.as_bytes()).unwrap().message;
            assert!(matches!(read, FromAgent::Response { call: 3, outcome: Err(_) }), "{text}");
        }
    }

    #[test]
    fn an_answer_carries_the_very_id() {
        let message = answer(r#""a\"b""#, &Ok(json!({"x":1}))).unwrap();
        assert_eq!(&message.bytes[..], br#"{"jsonrpc":"2.0","id":"a\"b","result":{"x":1}}"#);
    }
}
