//! Sessions by pages.

use crate::problem::ApiResult;
use crate::query::{Parameters, refusal};
use crate::state::AppState;
use axum::Json;
use axum::extract::{RawQuery, State};
use sa_api::sessions::{SessionList, SessionState};
use sa_sessions::{Cursor, Detail, SessionFilter};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// Sessions of a page if the client does not say.
const USUAL_PAGE: usize = 100;
/// The most sessions of a page.
const LARGEST_PAGE: usize = 1000;

#[utoipa::path(
    get, path = "/v1/sessions", operation_id = "listSessions", tag = "sessions",
    summary = "List sessions",
    description = "Returns a page of the sessions that match all filters, the newest first by `createdAt`: those that run, those that have \
        ended, and those from before the daemon was last started. To get the next page, repeat the request with `after` set to `next`. \
        Paging neither repeats nor skips a session that exists throughout; sessions created meanwhile are on the first page.",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, description = "Maximum number of sessions, 100 by default; more than 1000 counts as 1000"),
        ("after" = Option<String>, Query, description = "The `next` of the page before"),
        ("state" = Option<Vec<SessionState>>, Query, description = "Return sessions in one of these states; repeatable or separated by commas"),
        ("agent" = Option<Vec<String>>, Query, description = "Return sessions of one of these agents; repeatable or separated by commas"),
        ("metadata" = Option<Vec<String>>, Query, description = "Return sessions whose metadata has this member, as `key:value`; repeatable, all must match. \
            Strings, numbers, booleans and `null` are compared as text"),
        ("include" = Option<Vec<String>>, Query, description = "`choices`: also return `choices` of each session"),
    ),
    responses(
        (status = 200, description = "A page of sessions", body = SessionList),
        (status = 400, description = "A parameter is unknown or has an invalid value"),
    )
)]
pub(crate) async fn list(
    State(state): State<AppState>,
    RawQuery(query): RawQuery,
) -> ApiResult<Json<SessionList>> {
    let query = ListQuery::read(&Parameters::parse(query.as_deref())?)?;
    let page = state.sessions.page(&query.filter, query.after.as_ref(), query.limit, query.detail).await?;
    Ok(Json(SessionList {
        sessions: page.sessions,
        has_more: page.next.is_some(),
        next: page.next.map(|cursor| cursor.to_text()),
    }))
}

struct ListQuery {
    limit: usize,
    after: Option<Cursor>,
    filter: SessionFilter,
    detail: Detail,
}

impl ListQuery {
    fn read(parameters: &Parameters) -> ApiResult<Self> {
        let owned = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
        Ok(Self {
            limit: parameters.number("limit")?.unwrap_or(USUAL_PAGE).clamp(1, LARGEST_PAGE),
            after: parameters.text("after")?.map(cursor).transpose()?,
            filter: SessionFilter {
                states: parameters.list("state")?.into_iter().map(session_state).collect::<Result<_, _>>()?,
                agents: owned(parameters.list("agent")?),
                metadata: parameters.texts("metadata")?.into_iter().map(member).collect::<Result<_, _>>()?,
            },
            detail: match parameters.list("include")?.as_slice() {
                [] => Detail::Brief,
                names if names.iter().all(|name| *name == "choices") => Detail::Full,
                _ => return Err(refusal("include", "expected choices")),
            },
        })
    }
}

fn cursor(value: &str) -> ApiResult<Cursor> {
    Cursor::parse(value).ok_or_else(|| refusal("after", "expected the `next` of a page"))
}

fn session_state(value: &str) -> ApiResult<SessionState> {
    let state: Result<SessionState, Error> = SessionState::deserialize(value.into_deserializer());
    state.map_err(|_| {
        refusal("state", "expected starting, idle, running, requiresAction, interrupted or ended")
    })
}

fn member(value: &str) -> ApiResult<(String, String)> {
    let (key, value) = value.split_once(':').ok_or_else(|| refusal("metadata", "expected key:value"))?;
    Ok((key.to_owned(), value.to_owned()))
}
