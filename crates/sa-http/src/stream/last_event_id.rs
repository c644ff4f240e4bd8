//! Where a client resumes.

use crate::problem::{ApiError, ApiResult};
use crate::query::quote;
use http::HeaderMap;
use sa_api_macros::query;

#[query]
pub(crate) struct ResumeQuery {
    /// Continue after the event of this number, for clients that cannot send headers. `Last-Event-ID` is stronger, so a
    /// client that reconnects may keep the URL
    pub(crate) last_event_id: Option<u64>,
}

/// Returns the event that a client resumes after. The header is stronger than the query: a browser that reconnects
/// sends it with the query of the first time. Before the first event it is empty.
pub(crate) fn last_event_id(headers: &HeaderMap, query: Option<u64>) -> ApiResult<Option<u64>> {
    let Some(value) = headers.get("last-event-id") else { return Ok(query) };
    let invalid = |why: &str| ApiError::invalid(format!("header 'Last-Event-ID': {why}"));
    let text = value.to_str().map_err(|_| invalid("must be plain text"))?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    // Numbers of the contract fit into 64 bits with a sign.
    let id = text.parse().ok().filter(|id| i64::try_from(*id).is_ok());
    let wrong = || invalid(&format!("expected a whole number, 0 or more, got '{}'", quote(text)));
    id.map(Some).ok_or_else(wrong)
}
