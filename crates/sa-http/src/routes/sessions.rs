//! `/v1/sessions`: universal sessions, the same for every agent.

mod decisions;
mod event_query;
mod events;
mod lifecycle;
mod listing;
mod messages;
mod transcript;
mod transfer;

use crate::handler::{
    ApiError, ApiResult, AppState, ErrorCode, FromRequestParts, HeaderMap, IntoResponse, Parts, Response,
    header, path_id,
};
use crate::routes::usage;
use bytes::Bytes;
use sa_sessions::{SessionError, SessionHandle};
use serde::Serialize;
use std::future::Future;

sa_api_macros::operations! {
    listing::list, lifecycle::create_minted, transfer::import, lifecycle::get, lifecycle::create, lifecycle::patch,
    lifecycle::delete, lifecycle::terminate, lifecycle::resume, lifecycle::fork, transcript::page, messages::post,
    messages::post_stream, messages::withdraw, messages::reorder, messages::cancel, events::page, events::stream,
    decisions::reply_to_question, decisions::reject_question, decisions::reply_to_permission, transfer::export,
    usage::sum
}

/// The session in the path.
impl FromRequestParts<AppState> for SessionHandle {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let id = path_id(parts, state, "sessionId").await?;
        Ok(state.services.sessions.get(&id).await?)
    }
}

/// The key that a request has, if it has one.
fn idempotency_key(headers: &HeaderMap) -> ApiResult<Option<String>> {
    let mut keys = headers.get_all("idempotency-key").iter();
    let Some(key) = keys.next() else { return Ok(None) };
    if keys.next().is_some() {
        return Err(ApiError::invalid("Idempotency-Key is given more than once"));
    }
    let key = key.to_str().map_err(|_| ApiError::invalid("Idempotency-Key must be visible ASCII"))?;
    Ok(Some(key.to_owned()))
}

/// Returns a page with these items, which are JSON already, in its list of that name, which is empty so far.
fn page_of_raw_items<'a>(
    page: &impl Serialize,
    list: &str,
    items: impl Iterator<Item = &'a Bytes>,
) -> ApiResult<Response> {
    let page = serde_json::to_string(page).unwrap_or_default();
    // No text in the page can hold this: its quotes would be escaped.
    let (before, after) = page.split_once(&format!("\"{list}\":[]")).ok_or_else(|| {
        ApiError::new(ErrorCode::Internal, format!("a page without `{list}` cannot be written"))
    })?;
    let mut body = format!("{before}\"{list}\":[").into_bytes();
    for (index, item) in items.enumerate() {
        if index > 0 {
            body.push(b',');
        }
        body.extend_from_slice(item);
    }
    body.push(b']');
    body.extend_from_slice(after.as_bytes());
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// Does it to its end, also if the client goes away meanwhile: what was begun would be left half done.
async fn whole<T: Send + 'static>(
    work: impl Future<Output = Result<T, SessionError>> + Send + 'static,
) -> ApiResult<T> {
    match tokio::spawn(work).await {
        Ok(outcome) => Ok(outcome?),
        Err(_) => {
            Err(ApiError::new(ErrorCode::Internal, "the daemon hit a bug while it served this request"))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use http_body_util::BodyExt;
    use serde_json::{Value, json};

    #[tokio::test]
    async fn items_go_into_their_list_whatever_else_a_page_has() {
        let page = json!({ "cursor": "a]\"events\":[]b", "events": [], "first": [1], "hasMore": true });
        let items = [Bytes::from_static(b"{\"id\": 1}"), Bytes::from_static(b"[2]")];
        let response = page_of_raw_items(&page, "events", items.iter()).unwrap();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(
            serde_json::from_slice::<Value>(&body).unwrap(),
            json!({ "cursor": "a]\"events\":[]b", "events": [{ "id": 1 }, [2]], "first": [1], "hasMore": true })
        );
        assert!(page_of_raw_items(&page, "messages", items.iter()).is_err());
    }
}
