//! `$/cancel_request`: the one message that names another request by its id, in either direction.

use crate::envelope::present;
use crate::shape::span_in;
use crate::{Id, Kind, Message};
use serde::Deserialize;
use std::ops::Range;

const METHOD: &str = "$/cancel_request";

/// The request that a `$/cancel_request` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancellation {
    pub id: Id,
    span: Range<usize>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default, rename = "requestId", deserialize_with = "present")]
    request_id: Option<&'a str>,
    /// The name that the Language Server Protocol uses.
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a str>,
}

impl<B: AsRef<[u8]>> Message<B> {
    /// Returns the request that this message cancels; `None` if it is another message.
    pub fn cancellation(&self) -> Option<Cancellation> {
        if self.shape.kind != Kind::Notification || !self.is_cancel() {
            return None;
        }
        let params: Params<'_> =
            serde_json::from_str(self.params().filter(|params| params.starts_with('{'))?).ok()?;
        let named = params.request_id.or(params.id)?;
        Some(Cancellation { id: Id::from_json(named)?, span: span_in(self.bytes.as_ref(), named) })
    }

    /// Returns this message with another id, given as JSON text, in place of the one it cancels.
    pub fn with_cancelled(&self, cancellation: &Cancellation, id: &str) -> Vec<u8> {
        let bytes = self.bytes.as_ref();
        let (before, rest) = bytes.split_at(cancellation.span.start.min(bytes.len()));
        let after = rest.get(cancellation.span.len()..).unwrap_or_default();
        [before, id.as_bytes(), after].concat()
    }

    /// Compares the text as it stands first: agents send notifications by the thousand.
    fn is_cancel(&self) -> bool {
        let Some(text) = self.method_text() else { return false };
        text.trim_matches('"') == METHOD || (text.contains('\\') && self.method().as_deref() == Some(METHOD))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_cancelled_id_is_found_and_replaced_in_place() {
        for (text, id, replaced) in [
            (
                r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId" : 5 ,"id":6}}"#,
                Id::Int(5),
                r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId" : 9 ,"id":6}}"#,
            ),
            (
                r#"{"params":{"id":"a"},"method":"\u0024/cancel_request","jsonrpc":"2.0"}"#,
                Id::Text("a".into()),
                r#"{"params":{"id":9},"method":"\u0024/cancel_request","jsonrpc":"2.0"}"#,
            ),
        ] {
            let message = Message::read(text).unwrap();
            let cancellation = message.cancellation().unwrap();
            assert_eq!(cancellation.id, id);
            assert_eq!(message.with_cancelled(&cancellation, "9"), replaced.as_bytes());
        }
    }

    #[test]
    fn other_messages_cancel_nothing() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"requestId":5}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"$/cancel_request","params":{"requestId":5}}"#,
            r#"{"jsonrpc":"2.0","method":"$/cancel_request"}"#,
            r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":[5]}"#,
            r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"requestId":5}}"#,
        ] {
            assert_eq!(Message::read(text).unwrap().cancellation(), None, "{text}");
        }
    }
}
