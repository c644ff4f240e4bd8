//! Where a client resumes.

use crate::problem::{ApiError, ApiResult};
use crate::query::quote;
use http::HeaderMap;

/// Returns the event that a client resumes after. The header is stronger than the query: a browser that reconnects
/// sends it with the query of the first time. Before the first event it is empty.
pub(crate) fn last_event_id(headers: &HeaderMap, query: Option<&str>) -> ApiResult<Option<u64>> {
    let (place, text) = match headers.get("last-event-id") {
        Some(value) => {
            let plain = || ApiError::invalid("header 'Last-Event-ID': must be plain text");
            ("header 'Last-Event-ID'", value.to_str().map_err(|_| plain())?)
        }
        None => ("query parameter 'lastEventId'", query.unwrap_or_default()),
    };
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    // Numbers of the contract fit into 64 bits with a sign.
    let id = text.parse().ok().filter(|id| i64::try_from(*id).is_ok());
    let wrong = || format!("{place}: expected a whole number, 0 or more, got '{}'", quote(text));
    id.map(Some).ok_or_else(|| ApiError::invalid(wrong()))
}
