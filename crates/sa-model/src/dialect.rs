//! The operations of every model API: the boundary between what happens and how it looks on the wire.

use crate::direct::Kind;
use crate::tools::{Call, Input};
use bytes::Bytes;
use serde_json::Value;

/// One server-sent event, ready for the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event(pub(crate) Bytes);

impl Event {
    /// `event:` and `data:` lines.
    pub(crate) fn named(name: &str, data: &Value) -> Self {
        Self(Bytes::from(format!("event: {name}\ndata: {data}\n\n")))
    }

    /// Creates an event with data that is not JSON.
    pub(crate) fn garbled(name: &str) -> Self {
        Self(Bytes::from(format!("event: {name}\ndata: {{\"type\":\"{name}\",\"de\n\n")))
    }

    /// A `data:` line alone.
    pub(crate) fn data(data: &Value) -> Self {
        Self(Bytes::from(format!("data: {data}\n\n")))
    }
}

/// Token counts of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tokens<N = u64> {
    /// Without those that came from or went to the cache.
    pub(crate) input: N,
    pub(crate) output: N,
    pub(crate) cache_read: N,
    pub(crate) cache_write: N,
    /// Part of the output.
    pub(crate) reasoning: N,
}

impl Tokens {
    /// The whole prompt, cached or not.
    pub(crate) fn prompt(&self) -> u64 {
        self.input + self.cache_read + self.cache_write
    }
}

/// One model API while it sends one answer. Each part is sent in events, and kept for the message as a whole.
pub(crate) trait Dialect: Send {
    /// The answer starts.
    fn begin(&mut self, tokens: &Tokens, out: &mut Vec<Event>);
    /// A text starts. The one before it has ended.
    fn open(&mut self, _kind: Kind, _out: &mut Vec<Event>) {}
    /// A piece of the text that is open.
    fn delta(&mut self, kind: Kind, piece: &str, out: &mut Vec<Event>);
    /// The open text, whole, ends.
    fn close(&mut self, kind: Kind, text: &str, out: &mut Vec<Event>);
    /// A tool call, whole. No text is open.
    fn call(&mut self, call: &Call, step: usize, out: &mut Vec<Event>);
    /// The conversation summed up, in APIs that do so. No text is open.
    fn compaction(&mut self, _out: &mut Vec<Event>) {}
    /// The answer ends, for a reason in the words of the scripts.
    fn end(&mut self, stop: &str, tokens: &Tokens, out: &mut Vec<Event>);
    /// The answer breaks off with an error in place of its end.
    fn error(&mut self, kind: Option<&str>, message: &str, out: &mut Vec<Event>);
    /// An event that starts as one of this API's and is no valid JSON.
    fn malformed(&self) -> Event;
    /// The answer as one document, after its end.
    fn message(&self) -> Value;
}

/// A call's input as JSON; a bare text becomes the field `input`.
pub(crate) fn json_input(input: &Input) -> Value {
    match input {
        Input::Object(fields) => Value::Object(fields.clone()),
        Input::Text(text) => serde_json::json!({ "input": text }),
    }
}

/// A text in pieces of at most so many characters, for what vendors send bit by bit.
pub(crate) fn pieces(text: &str, characters: usize) -> Vec<String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(characters.max(1)).map(|piece| piece.iter().collect()).collect()
}
