//! Sessions by pages.

use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use sa_api::Problem;
use sa_api::sessions::{SessionList, SessionState};
use sa_sessions::{Cursor, Detail, SessionFilter};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::Error;

/// Sessions of a page if the client does not say.
const USUAL_PAGE: usize = 100;
/// The most sessions of a page.
const LARGEST_PAGE: usize = 1000;

/// The parameters, in the order of the request.
type Pairs = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// Lists sessions.
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
        (status = 400, description = "A parameter is unknown or has an invalid value", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(State(state): State<AppState>, pairs: Pairs) -> ApiResult<Json<SessionList>> {
    let Query(pairs) = pairs?;
    let query = ListQuery::read(pairs)?;
    let page = state.sessions.page(&query.filter, query.after.as_ref(), query.limit, query.detail);
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
    fn read(pairs: Vec<(String, String)>) -> ApiResult<Self> {
        let filter = SessionFilter::default();
        let mut query = Self { limit: USUAL_PAGE, after: None, filter, detail: Detail::Brief };
        for (name, value) in pairs {
            match name.as_str() {
                "limit" => query.limit = limit(&value)?,
                "after" => query.after = Some(cursor(&value)?),
                "state" => {
                    for state in value.split(',') {
                        query.filter.states.push(session_state(state)?);
                    }
                }
                "agent" => query.filter.agents.extend(value.split(',').map(str::to_owned)),
                "metadata" => query.filter.metadata.push(member(&value)?),
                "include" if value.split(',').all(|what| what == "choices") => query.detail = Detail::Full,
                "include" => return Err(refusal("include", "expected 'choices'")),
                other => return Err(ApiError::invalid(format!("unknown query parameter '{other}'"))),
            }
        }
        Ok(query)
    }
}

fn limit(value: &str) -> ApiResult<usize> {
    let limit = value.parse().ok().filter(|limit: &usize| *limit > 0);
    Ok(limit.ok_or_else(|| refusal("limit", "expected a whole number, 1 or more"))?.min(LARGEST_PAGE))
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

fn refusal(name: &str, why: impl AsRef<str>) -> ApiError {
    ApiError::invalid(format!("query parameter '{name}': {}", why.as_ref()))
}
