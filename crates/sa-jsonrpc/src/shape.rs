//! The kind of a message and the positions of its parts, without building a tree.

use crate::Id;
use crate::envelope::Envelope;
use serde::de::IgnoredAny;
use std::ops::Range;
use thiserror::Error;

/// The kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Has a method and an id: somebody waits for the answer.
    Request,
    /// Has a method and no id.
    Notification,
    /// Has an id and a result or an error. Where one of the two is null, the other counts.
    Response,
}

/// The reason why some bytes are not one JSON-RPC 2.0 message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Invalid {
    /// Not JSON, or not UTF-8.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A member that decides what the message is stands there twice: readers may differ on which one counts.
    #[error("not one message: {0}")]
    Twice(String),
    /// JSON-RPC batches do not exist in ACP.
    #[error("a batch: send one message at a time")]
    Batch,
    /// JSON, but no object.
    #[error("not a JSON object")]
    NotAnObject,
    /// `jsonrpc` is not exactly `"2.0"`.
    #[error("the member \"jsonrpc\" must be \"2.0\"")]
    Version,
    /// `id` is neither a number, a string nor null.
    #[error("the member \"id\" must be a number, a string or null")]
    BadId,
    /// `method` is not a string.
    #[error("the member \"method\" must be a string")]
    BadMethod,
    /// Not a request, a notification or a response.
    #[error("neither a request, a notification nor a response")]
    NoKind,
}

/// The kind of a message, with the positions of its parts in the bytes it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Request, notification or response.
    pub kind: Kind,
    pub id: Option<Id>,
    /// Set if this is a response that carries an error.
    pub is_error: bool,
    id_span: Range<usize>,
    method_span: Range<usize>,
    params_span: Range<usize>,
}

/// A message: its bytes and its shape.
#[derive(Debug, Clone)]
pub struct Message<B> {
    /// The bytes that were read, unchanged.
    pub bytes: B,
    /// The kind and the parts of the message.
    pub shape: Shape,
}

#[derive(PartialEq, Eq)]
enum Outcome {
    Result,
    Error,
}

/// Returns the outcome of a response, if there is exactly one. Old servers send a null next to the other member,
/// which is accepted.
fn outcome(result: Option<&str>, error: Option<&str>) -> Option<Outcome> {
    match (result, error) {
        (None, None) => None,
        (Some(_), None) => Some(Outcome::Result),
        (None, Some(_)) => Some(Outcome::Error),
        (Some(_), Some("null")) => Some(Outcome::Result),
        (Some("null"), Some(_)) => Some(Outcome::Error),
        (Some(_), Some(_)) => None,
    }
}

fn refusal(error: serde_json::Error) -> Invalid {
    // Any value will do for any member, so the only thing wrong with well-formed text is a member given twice.
    if error.is_data() { Invalid::Twice(error.to_string()) } else { Invalid::NotJson(error.to_string()) }
}

impl Shape {
    /// Reads one message. The whole text is checked to be JSON.
    pub fn of(bytes: &[u8]) -> Result<Self, Invalid> {
        // Once for the whole text: the parser does not look into the strings of members that it passes over.
        let text = std::str::from_utf8(bytes).map_err(|error| Invalid::NotJson(error.to_string()))?;
        // An array would pass for a struct with positional members, so the first byte is looked at beforehand.
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{') => {}
            first => {
                serde_json::from_str::<IgnoredAny>(text).map_err(refusal)?;
                return Err(if first == Some(&b'[') { Invalid::Batch } else { Invalid::NotAnObject });
            }
        }
        let envelope = Envelope::read(text).map_err(refusal)?;
        if envelope.jsonrpc != Some(r#""2.0""#) {
            return Err(Invalid::Version);
        }
        let id = match envelope.id {
            Some(raw) => Some(Id::from_json(raw).ok_or(Invalid::BadId)?),
            None => None,
        };
        if envelope.method.is_some_and(|method| !method.starts_with('"')) {
            return Err(Invalid::BadMethod);
        }
        let outcome = outcome(envelope.result, envelope.error);
        let kind = match (envelope.method.is_some(), id.is_some()) {
            (true, true) => Kind::Request,
            (true, false) => Kind::Notification,
            (false, true) if outcome.is_some() => Kind::Response,
            _ => return Err(Invalid::NoKind),
        };
        let span = |part: Option<&str>| part.map_or(0..0, |part| span_in(bytes, part));
        Ok(Self {
            kind,
            id,
            is_error: kind == Kind::Response && outcome == Some(Outcome::Error),
            id_span: span(envelope.id),
            method_span: span(envelope.method),
            params_span: span(envelope.params),
        })
    }
}

impl<B: AsRef<[u8]>> Message<B> {
    /// Reads one message and keeps its bytes.
    pub fn read(bytes: B) -> Result<Self, Invalid> {
        let shape = Shape::of(bytes.as_ref())?;
        Ok(Self { bytes, shape })
    }

    /// Returns the id as it was written; `null` if there is none.
    pub fn id_text(&self) -> &str {
        self.part(&self.shape.id_span).unwrap_or("null")
    }

    pub fn method(&self) -> Option<String> {
        serde_json::from_str(self.part(&self.shape.method_span)?).ok()
    }

    /// Returns the method as it was written, with its quotes.
    pub(crate) fn method_text(&self) -> Option<&str> {
        self.part(&self.shape.method_span)
    }

    /// Returns the JSON text of the parameters.
    pub fn params(&self) -> Option<&str> {
        self.part(&self.shape.params_span)
    }

    /// Returns the message under another id, given as JSON text; every other byte is kept. A message without an id
    /// does not get one.
    pub fn with_id(&self, id: &str) -> Vec<u8> {
        let bytes = self.bytes.as_ref();
        let id = if self.shape.id.is_some() { id } else { "" };
        let (before, rest) = bytes.split_at(self.shape.id_span.start.min(bytes.len()));
        let after = rest.get(self.shape.id_span.len()..).unwrap_or_default();
        [before, id.as_bytes(), after].concat()
    }

    fn part(&self, span: &Range<usize>) -> Option<&str> {
        let bytes = self.bytes.as_ref().get(span.clone()).filter(|bytes| !bytes.is_empty())?;
        std::str::from_utf8(bytes).ok()
    }
}

/// Returns the position of `part`, borrowed from `whole` by the parser.
pub(crate) fn span_in(whole: &[u8], part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize);
    start..start + part.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn kind(text: &str) -> Result<Kind, Invalid> {
        Shape::of(text.as_bytes()).map(|shape| shape.kind)
    }

    #[test]
    fn the_three_kinds_are_distinguished() {
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#), Ok(Kind::Request));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#), Ok(Kind::Request));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","method":"a","params":[]}"#), Ok(Kind::Notification));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":"x","result":null}"#), Ok(Kind::Response));
        assert_eq!(kind(r#"{"id":1,"error":{"code":1,"message":""},"jsonrpc":"2.0"}"#), Ok(Kind::Response));
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_reason() {
        assert_eq!(kind("{}"), Err(Invalid::Version));
        assert_eq!(kind(r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#), Err(Invalid::Version));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1}"#), Err(Invalid::NoKind));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":{}}"#), Err(Invalid::NoKind));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#), Err(Invalid::BadId));
        assert_eq!(kind(r#"{"jsonrpc":"2.0","id":1,"method":7}"#), Err(Invalid::BadMethod));
        assert_eq!(kind("[]"), Err(Invalid::Batch));
        assert_eq!(kind("7"), Err(Invalid::NotAnObject));
        assert!(matches!(kind(r#"{"jsonrpc":"2.0","#), Err(Invalid::NotJson(_))));
        assert!(matches!(
            kind(r#"{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"a"}"#),
            Err(Invalid::Twice(_))
        ));
        assert!(matches!(kind("\u{c}{}"), Err(Invalid::NotJson(_))));
    }

    #[test]
    fn text_that_is_not_utf_8_is_refused_wherever_it_stands() {
        let message = br#"{"jsonrpc":"2.0","method":"m?","params":["p?"],"other":["o?"],"n?":0}"#;
        assert!(Shape::of(message).is_ok());
        let places: Vec<usize> = (0..message.len()).filter(|&at| message[at] == b'?').collect();
        assert_eq!(places.len(), 4);
        for at in places {
            let mut broken = message.to_vec();
            broken[at] = 0xff;
            assert!(matches!(Shape::of(&broken), Err(Invalid::NotJson(_))), "at {at}");
        }
    }

    #[test]
    fn a_null_beside_the_outcome_is_no_contradiction() {
        let is_error = |members: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,{members}}}"#);
            Shape::of(text.as_bytes()).map(|shape| (shape.kind, shape.is_error))
        };
        assert_eq!(is_error(r#""result":{},"error":null"#), Ok((Kind::Response, false)));
        assert_eq!(is_error(r#""error":{},"result":null"#), Ok((Kind::Response, true)));
        assert_eq!(is_error(r#""error":null,"result":null"#), Ok((Kind::Response, false)));
        assert_eq!(is_error(r#""error":null"#), Ok((Kind::Response, true)));
        assert_eq!(is_error(r#""result":null"#), Ok((Kind::Response, false)));
    }

    #[test]
    fn depth_alone_is_no_reason_to_refuse() {
        let (open, close) = ("[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(
            kind(&format!(r#"{{"jsonrpc":"2.0","method":"a","params":{open}{close}}}"#)),
            Ok(Kind::Notification)
        );
    }

    #[test]
    fn another_id_leaves_every_other_byte() {
        let text = r#" { "z":1e+29 , "id" : "old" ,"jsonrpc":"2.0","method":"m\u0041","params":{"id":9,"a":1,"a":2} }"#;
        let message = Message::read(text.as_bytes()).unwrap();
        assert_eq!(message.with_id("42"), text.replace(r#""old""#, "42").into_bytes());
        assert_eq!(message.id_text(), r#""old""#);
        assert_eq!(message.method().as_deref(), Some("mA"));
        assert_eq!(message.params(), Some(r#"{"id":9,"a":1,"a":2}"#));
    }

    #[test]
    fn a_message_without_an_id_does_not_get_one() {
        let text = r#"{"jsonrpc":"2.0","method":"m"}"#;
        let message = Message::read(text.as_bytes()).unwrap();
        assert_eq!(message.with_id("42"), text.as_bytes());
        assert_eq!((message.id_text(), message.params()), ("null", None));
    }
}
