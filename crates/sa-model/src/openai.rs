//! Shared by the two OpenAI APIs: errors, token counts and the clock.

use crate::dialect::Tokens;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// The body of an error answer.
pub(crate) fn error(status: u16, kind: Option<&str>, message: &str) -> Value {
    let (usual, code) = match status {
        400 => ("invalid_request_error", None),
        401 => ("invalid_request_error", Some("invalid_api_key")),
        403 => ("permission_error", None),
        404 => ("invalid_request_error", Some("model_not_found")),
        429 => ("rate_limit_error", Some("rate_limit_exceeded")),
        _ => ("server_error", None),
    };
    let code = kind.or(code);
    json!({ "error": { "type": kind.unwrap_or(usual), "code": code, "message": message, "param": null } })
}

/// Token counts under the API's words for what is read and what is written.
pub(crate) fn usage(tokens: &Tokens, read: &str, written: &str) -> Value {
    json!({
        (format!("{read}_tokens")): tokens.prompt(),
        (format!("{read}_tokens_details")): { "cached_tokens": tokens.cache_read },
        (format!("{written}_tokens")): tokens.output,
        (format!("{written}_tokens_details")): { "reasoning_tokens": tokens.reasoning },
        "total_tokens": tokens.prompt() + tokens.output,
    })
}

/// Seconds since the epoch.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
