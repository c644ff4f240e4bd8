//! Requests to the server.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// One request, without what it is answered under.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Call {
    method: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
}

#[derive(Serialize)]
struct Frame<'a> {
    id: u64,
    #[serde(flatten)]
    call: &'a Call,
}

impl Call {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self { method: "GET", path: path.into(), body: None }
    }

    pub(crate) fn post(path: impl Into<String>, body: Value) -> Self {
        Self { method: "POST", path: path.into(), body: Some(body) }
    }

    pub(crate) fn patch(path: impl Into<String>, body: Value) -> Self {
        Self { method: "PATCH", path: path.into(), body: Some(body) }
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self { method: "DELETE", path: path.into(), body: None }
    }

    /// The same for the project in a directory.
    pub(crate) fn within(mut self, directory: &Path) -> Self {
        let mark = if self.path.contains('?') { '&' } else { '?' };
        self.path.push(mark);
        self.path.push_str("directory=");
        self.path.push_str(&escaped(&directory.to_string_lossy()));
        self
    }

    /// The line that asks it, its end included.
    pub(crate) fn line(&self, id: u64) -> Vec<u8> {
        let mut line = serde_json::to_vec(&Frame { id, call: self }).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// The characters that stand for themselves in an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/');

pub(crate) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// Returns the path of something of a session.
pub(crate) fn of_session(id: &str, what: &str) -> String {
    let id = escaped(id).replace('/', "%2F");
    if what.is_empty() { format!("/session/{id}") } else { format!("/session/{id}/{what}") }
}

/// The answer to a question about a permission.
pub(crate) fn permission_reply(id: &str, reply: &str, message: Option<&str>) -> Call {
    let mut body = json!({ "reply": reply });
    if let Some(message) = message {
        body["message"] = json!(message);
    }
    Call::post(format!("/permission/{}/reply", escaped(id)), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_part_of_the_address() {
        let call = Call::get("/session?limit=1").within(Path::new("/a b/ü&c"));
        let line = String::from_utf8_lossy(&call.line(3)).into_owned();
        let expected = r#"{"id":3,"method":"GET","path":"/session?limit=1&directory=/a%20b/%C3%BC%26c"}"#;
        assert_eq!(line.trim_end(), expected);
        assert_eq!(of_session("../x", "abort"), "/session/..%2Fx/abort");
    }
}
