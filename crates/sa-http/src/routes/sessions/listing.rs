//! Sessions by pages.

use crate::handler::{ApiResult, AppState, Json, operation, query};
use crate::query::{List, refusal};
use crate::routes::page_size;
use sa_api::sessions::{SessionList, SessionState};
use sa_sessions::{Cursor, Detail, SessionFilter};

#[query]
pub(crate) struct ListQuery {
    /// Maximum number of sessions, 100 by default; more than 1000 counts as 1000
    limit: Option<usize>,
    /// The `next` of the page before
    after: Option<String>,
    /// Return sessions in one of these states; repeatable or separated by commas
    #[param(value_type = Option<Vec<SessionState>>)]
    state: List,
    /// Return sessions of one of these agents; repeatable or separated by commas
    agent: List,
    /// Return sessions whose metadata has this member, as `key:value`; repeatable, all must match. Strings, numbers,
    /// booleans and `null` are compared as text
    metadata: Option<Vec<String>>,
    /// `choices`: also return `choices` of each session
    include: List,
}

/// List sessions
///
/// Returns a page of the sessions that match all filters, the newest first by `createdAt`: those that run, those that
/// have ended, and those from before the daemon was last started. To get the next page, repeat the request with
/// `after` set to `next`. Paging neither repeats nor skips a session that exists throughout; sessions created
/// meanwhile are on the first page.
///
/// - 200: A page of sessions
/// - 400: A parameter is unknown or has an invalid value
#[operation(listSessions: get "/v1/sessions")]
pub(crate) async fn list(state: AppState, query: ListQuery) -> ApiResult<Json<SessionList>> {
    let limit = page_size(query.limit);
    let after = query.after.as_deref().map(cursor).transpose()?;
    let filter = SessionFilter {
        states: query.state.values("state", SessionState::ALL, SessionState::name)?,
        agents: query.agent.0,
        metadata: query.metadata.iter().flatten().map(|text| member(text)).collect::<Result<_, _>>()?,
    };
    let detail = match &query.include.0[..] {
        [] => Detail::Brief,
        names if names.iter().all(|name| name == "choices") => Detail::Full,
        _ => return Err(refusal("include", "expected choices")),
    };
    let page = state.services.sessions.page(&filter, after.as_ref(), limit, detail).await?;
    Ok(Json(SessionList {
        sessions: page.sessions,
        has_more: page.next.is_some(),
        next: page.next.map(|cursor| cursor.to_text()),
    }))
}

fn cursor(value: &str) -> ApiResult<Cursor> {
    Cursor::parse(value).ok_or_else(|| refusal("after", "expected the `next` of a page"))
}

fn member(value: &str) -> ApiResult<(String, String)> {
    let (key, value) = value.split_once(':').ok_or_else(|| refusal("metadata", "expected key:value"))?;
    Ok((key.to_owned(), value.to_owned()))
}
