//! The transcript: a session's messages, whole and in pages.

use crate::handler::{ApiError, ApiResult, IntoResponse, Query, Response, header, operation, query};
use bytes::{BufMut, Bytes, BytesMut};
use sa_api::sessions::{TranscriptOrder, TranscriptPage};
use sa_sessions::{SessionHandle, Transcript};

/// Messages of a page if the client does not say.
const USUAL_PAGE: usize = 100;
/// And the most there are.
const LARGEST_PAGE: usize = 1000;

#[query]
pub(crate) struct TranscriptQuery {
    /// `next` of the page before; the first page by default
    after: Option<u64>,
    /// Maximum number of messages, 100 by default; more than 1000 counts as 1000
    limit: Option<usize>,
    /// `asc`, the default, for the oldest message first; `desc` for the newest first
    order: Option<TranscriptOrder>,
}

/// List a session's messages
///
/// Returns the transcript: every message in its newest state, without the events that led to it. A user's message
/// stands where its turn began; one that waits for its turn comes after all others, in the order of the queue. To
/// show a session, read the transcript, then stream events after `eventsAfter` of the first page. Use `order=desc` to
/// read the end of a long session first. A page may have fewer than `limit` messages, as pages are limited to about 1
/// MiB; `hasMore` says whether more follow. If a message moves while you read, such as one whose turn begins, it may
/// be on two pages. Messages whose events are no longer kept are left out.
///
/// - 200: The messages
/// - 400: A parameter is invalid
#[operation(getMessages: get "/v1/sessions/{sessionId}/messages" -> TranscriptPage)]
pub(crate) async fn page(
    session: SessionHandle,
    Query(query): Query<TranscriptQuery>,
) -> ApiResult<Response> {
    let limit = query.limit.unwrap_or(USUAL_PAGE).min(LARGEST_PAGE);
    if limit == 0 {
        return Err(ApiError::invalid("limit must be at least 1"));
    }
    let transcript = session.transcript(query.after, query.order.unwrap_or_default(), limit).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body(&transcript)).into_response())
}

/// A `TranscriptPage` around messages that stay as they are.
fn body(transcript: &Transcript) -> Bytes {
    let length: usize = transcript.messages.iter().map(|message| message.len() + 1).sum();
    let mut body = BytesMut::with_capacity(length + 128);
    body.put_slice(b"{\"messages\":[");
    for (index, message) in transcript.messages.iter().enumerate() {
        if index > 0 {
            body.put_u8(b',');
        }
        body.put_slice(message);
    }
    body.put_slice(format!("],\"hasMore\":{}", transcript.next.is_some()).as_bytes());
    if let Some(next) = transcript.next {
        body.put_slice(format!(",\"next\":{next}").as_bytes());
    }
    body.put_slice(format!(",\"eventsAfter\":{}}}", transcript.events_after).as_bytes());
    body.freeze()
}
