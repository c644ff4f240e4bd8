//! JSON-RPC error responses: the only messages that the daemon adds to those it passes on.

use crate::write::write_response;
use serde::Serialize;
use serde_json::value::RawValue;

/// Error codes in use.
pub mod codes {
    /// The text is not JSON.
    pub const PARSE_ERROR: i32 = -32700;
    /// The JSON is not one JSON-RPC message.
    pub const INVALID_REQUEST: i32 = -32600;
    /// No such method.
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// The parameters do not fit the method.
    pub const INVALID_PARAMS: i32 = -32602;
    /// The request was understood and could not be done.
    pub const INTERNAL_ERROR: i32 = -32603;
    /// The caller withdrew the request.
    pub const REQUEST_CANCELLED: i32 = -32800;
    /// ACP: the agent needs credentials first.
    pub const AUTH_REQUIRED: i32 = -32000;
    /// ACP: no such session or resource.
    pub const RESOURCE_NOT_FOUND: i32 = -32002;
}

/// The `error` member of a response.
#[derive(Debug, Clone, Serialize)]
pub struct ErrorObject {
    /// One of [`codes`].
    pub code: i32,
    pub message: String,
    /// For programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

impl ErrorObject {
    /// Returns the response that carries this error, for the request whose id was written as `id`.
    pub fn response(&self, id: &str) -> Vec<u8> {
        // Ids get here only after they were read as JSON.
        let id = RawValue::from_string(id.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned());
        write_response(&id, Err::<(), _>(self))
    }
}
