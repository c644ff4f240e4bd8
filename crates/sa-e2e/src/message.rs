//! JSON-RPC messages as the exact text that goes over the wire.

use base64::prelude::{BASE64_STANDARD, Engine};
use std::fmt::Display;

/// Returns a request; id and params are JSON text.
pub fn request(id: impl Display, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

/// Returns a notification; params are JSON text.
pub fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#)
}

/// Returns a response; id and result are JSON text.
pub fn response(id: impl Display, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Returns a response that is an error.
pub fn error(id: impl Display, code: i32, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#)
}

/// Returns the parameters with which the puppet's `raw` writes exactly these bytes.
pub fn write(bytes: impl AsRef<[u8]>) -> String {
    format!(r#"{{"base64":"{}"}}"#, BASE64_STANDARD.encode(bytes))
}
