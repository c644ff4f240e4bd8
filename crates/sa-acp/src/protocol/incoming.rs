//! The parts of a client's message: its id, its parameters, its answer, and its error.

use agent_client_protocol_schema::v1::{Error, SessionId};
use sa_jsonrpc::{Id, Invalid, Message};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// A client's request as far as its answer needs it.
#[derive(Debug, Clone)]
pub struct RequestKey {
    /// To compare with.
    pub id: Id,
    /// To answer with: the very text that the client wrote.
    pub text: Box<RawValue>,
}

impl RequestKey {
    /// The key of a request; `null` if the message has no id.
    pub fn of<B: AsRef<[u8]>>(message: &Message<B>) -> Self {
        let text =
            RawValue::from_string(message.id_text().to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned());
        Self { id: message.shape.id.clone().unwrap_or(Id::Null), text }
    }

    /// Returns what a message that could not be read is answered under.
    pub fn unknown() -> Self {
        Self { id: Id::Null, text: RawValue::NULL.to_owned() }
    }
}

/// Reads the parameters of a method. Absent parameters count as an empty object.
pub(crate) fn params<T: DeserializeOwned>(text: Option<&str>) -> Result<T, Error> {
    serde_json::from_str(text.unwrap_or("{}"))
        .map_err(|error| Error::invalid_params().data(serde_json::json!({ "reason": error.to_string() })))
}

/// Reads the result, or the error, of a response.
pub(crate) fn answer(line: &[u8]) -> Result<Box<RawValue>, Error> {
    #[derive(Deserialize)]
    struct Answer {
        result: Option<Box<RawValue>>,
        error: Option<Error>,
    }
    let answer: Answer =
        serde_json::from_slice(line).map_err(|error| Error::internal_error().data(error.to_string()))?;
    match answer.error {
        Some(error) => Err(error),
        None => Ok(answer.result.unwrap_or_else(|| RawValue::NULL.to_owned())),
    }
}

/// The error that answers bytes which are no message.
pub(crate) fn refusal(invalid: &Invalid) -> Error {
    let error = match invalid {
        Invalid::NotJson(_) => Error::parse_error(),
        _ => Error::invalid_request(),
    };
    error.data(serde_json::json!({ "reason": invalid.to_string() }))
}

/// The error for a session that does not exist or is not open.
pub fn session_not_found(session: &SessionId) -> Error {
    let mut error = Error::session_not_found(session.clone());
    error.message = format!("Session not found: {session}");
    error
}
