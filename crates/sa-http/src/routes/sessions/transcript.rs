//! The transcript: a session's messages, whole and in pages.

use super::page_of_raw_items;
use crate::handler::{ApiResult, Response, operation, query};
use crate::routes::page_size;
use sa_api::sessions::{TranscriptOrder, TranscriptPage};
use sa_sessions::SessionHandle;

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
pub(crate) async fn page(session: SessionHandle, query: TranscriptQuery) -> ApiResult<Response> {
    let order = query.order.unwrap_or_default();
    let transcript = session.transcript(query.after, order, page_size(query.limit)).await?;
    let page = TranscriptPage {
        messages: Vec::new(),
        has_more: transcript.next.is_some(),
        next: transcript.next,
        events_after: transcript.events_after,
    };
    page_of_raw_items(&page, "messages", transcript.messages.iter())
}
