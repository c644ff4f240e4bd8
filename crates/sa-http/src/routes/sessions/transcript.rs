//! The transcript: a session's messages, whole and in pages.

use super::{Id, find};
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use bytes::{BufMut, Bytes, BytesMut};
use http::header;
use sa_api::sessions::{TranscriptOrder, TranscriptPage};
use sa_sessions::Transcript;
use serde::Deserialize;

/// Messages of a page if the client does not say.
const USUAL_PAGE: usize = 100;
/// And the most there are.
const LARGEST_PAGE: usize = 1000;

/// Query of a page of the transcript.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct TranscriptQuery {
    after: Option<u64>,
    limit: Option<usize>,
    #[serde(default)]
    order: TranscriptOrder,
}

#[utoipa::path(
    get, path = "/v1/sessions/{sessionId}/messages", operation_id = "getMessages", tag = "sessions",
    summary = "List a session's messages",
    description = "Returns the transcript: every message in its newest state, without the events that led to it. A user's message stands \
        where its turn began; one that waits for its turn comes after all others, in the order of the queue. To show a session, read the \
        transcript, then stream events after `eventsAfter` of the first page. Use `order=desc` to read the end of a long session first. \
        A page may have fewer than `limit` messages, as pages are limited to about 1 MiB; `hasMore` says whether more follow. If a \
        message moves while you read, such as one whose turn begins, it may be on two pages. Messages whose events are no longer kept \
        are left out.",
    params(
        ("after" = Option<u64>, Query, description = "`next` of the page before; the first page by default"),
        ("limit" = Option<u64>, Query, description = "Maximum number of messages, 100 by default; more than 1000 counts as 1000"),
        ("order" = Option<TranscriptOrder>, Query, description = "`asc`, the default, for the oldest message first; `desc` for the newest first"),
    ),
    responses(
        (status = 200, description = "The messages", body = TranscriptPage),
        (status = 400, description = "A parameter is invalid"),
    )
)]
pub(crate) async fn page(
    State(state): State<AppState>,
    id: Id,
    query: Result<Query<TranscriptQuery>, QueryRejection>,
) -> ApiResult<Response> {
    let (session, Query(query)) = (find(&state, id).await?, query?);
    let limit = query.limit.unwrap_or(USUAL_PAGE).min(LARGEST_PAGE);
    if limit == 0 {
        return Err(ApiError::invalid("limit must be at least 1"));
    }
    let transcript = session.transcript(query.after, query.order, limit).await?;
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
