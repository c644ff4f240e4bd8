//! Messages as they stand on the wire. Ids, params and results are carried as the exact text they came in.

use parking_lot::Mutex;
use rustix::io::Errno;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One line from the client.
#[derive(Deserialize)]
pub(crate) struct Message<'a> {
    /// Absent in a notification.
    #[serde(borrow)]
    pub(crate) id: Option<&'a RawValue>,
    /// Absent in a response.
    #[serde(borrow)]
    pub(crate) method: Option<Cow<'a, str>>,
    /// The text of the parameters.
    #[serde(borrow)]
    pub(crate) params: Option<&'a RawValue>,
}

/// Held while writing, so that lines of different threads do not mix.
static WRITING: Mutex<()> = Mutex::new(());

/// Writes these bytes to standard output in one piece. A reader that has gone away ends the process.
pub(crate) fn write(mut bytes: &[u8]) {
    let _writing = WRITING.lock();
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(written) => bytes = bytes.split_at(written).1,
            Err(Errno::INTR) => {}
            Err(error) => {
                eprintln!("sa-puppet: cannot write: {error}");
                std::process::exit(1);
            }
        }
    }
}

/// The place for the answer to one request; of a notification, nowhere.
#[derive(Clone)]
pub(crate) struct Reply {
    id: Option<String>,
}

impl Reply {
    pub(crate) fn to(id: Option<&RawValue>) -> Self {
        Self { id: id.map(|id| id.get().to_owned()) }
    }

    /// Returns whether it belongs to a notification.
    pub(crate) fn is_nowhere(&self) -> bool {
        self.id.is_none()
    }

    /// Returns whether it answers the request of this id.
    pub(crate) fn is_to(&self, id: &str) -> bool {
        self.id.as_deref() == Some(id)
    }

    /// Answers with this JSON text, verbatim.
    pub(crate) fn result(&self, json: &str) {
        self.send("result", json);
    }

    /// Answers with this JSON text as the error object, verbatim.
    pub(crate) fn error(&self, json: &str) {
        self.send("error", json);
    }

    /// Answers with an error of the puppet's own.
    pub(crate) fn fail(&self, code: i32, message: &str) {
        let message = serde_json::Value::from(message);
        self.error(&format!(r#"{{"code":{code},"message":{message}}}"#));
    }

    fn send(&self, member: &str, json: &str) {
        if let Some(id) = &self.id {
            write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":{json}}}\n").as_bytes());
        }
    }
}
