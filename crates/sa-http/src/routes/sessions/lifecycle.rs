//! Sessions from their creation to their end.

use super::{Id, find, whole};
use crate::body::{read_json, read_json_or_default};
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use http::{HeaderMap, StatusCode};
use sa_api::Problem;
use sa_api::sessions::{CreateSession, ForkSession, Session, SessionCreated, SessionList, SessionPatch};

/// All sessions.
#[utoipa::path(
    get, path = "/v1/sessions", operation_id = "listSessions", tag = "sessions",
    summary = "List sessions",
    description = "Those that run, those that have ended, and those from before the daemon was last started.",
    responses((status = 200, description = "The sessions, the one with the newest event first", body = SessionList))
)]
pub(crate) async fn list(State(state): State<AppState>) -> Json<SessionList> {
    Json(SessionList { sessions: state.sessions.list() })
}

/// Makes a session.
#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}", operation_id = "createSession", tag = "sessions",
    summary = "Create a session",
    description = "Makes it and starts its agent, which is installed first if it is missing. `healthy` tells whether the agent is ready; \
        if it is not, `error` says why, the session exists all the same, and the next message tries again.",
    params(("sessionId" = String, Path, description = "The session's id, chosen by the client: 1 to 128 of `a-z`, `A-Z`, `0-9`, `-`, `_`, `.`, starting with a letter or digit; not `import`")),
    request_body(content = CreateSession, content_type = "application/json", description = "The agent, and how it is to work"),
    responses(
        (status = 200, description = "The session was made, whether its agent is ready or not", body = SessionCreated),
        (status = 400, description = "The id or the body makes no sense, or there is no such agent or directory", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "There is a session of that id; `details.what` is `exists`", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body exceeds the limit", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The agent takes no `token`", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "As many sessions exist as may", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The daemon is stopping", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "The disk is full", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn create(
    State(state): State<AppState>,
    id: Id,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<SessionCreated>> {
    let Path(id) = id?;
    let request: CreateSession = read_json(&state, &headers, body).await?;
    let sessions = state.sessions.clone();
    Ok(Json(whole(async move { sessions.create(&id, request).await }).await?))
}

/// One session.
#[utoipa::path(
    get, path = "/v1/sessions/{sessionId}", operation_id = "getSession", tag = "sessions",
    summary = "Get a session",
    description = "Returns the state of the session: its turn, open questions and permissions, and its usage.",
    params(("sessionId" = String, Path, description = "The session's id")),
    responses(
        (status = 200, description = "The session", body = Session),
        (status = 400, description = "The id is not UTF-8", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, id: Id) -> ApiResult<Json<Session>> {
    Ok(Json(find(&state, id)?.describe()))
}

/// Changes a session.
#[utoipa::path(
    patch, path = "/v1/sessions/{sessionId}", operation_id = "patchSession", tag = "sessions",
    summary = "Update a session",
    description = "Title, model, variant, modes and metadata; what is absent stays. Members of `metadata` are merged, and `null` removes \
        one. The agent is told at once, or when it is started.",
    params(("sessionId" = String, Path, description = "The session's id")),
    request_body(content = SessionPatch, content_type = "application/json", description = "The changes"),
    responses(
        (status = 200, description = "The session as it is now", body = Session),
        (status = 400, description = "The body makes no sense", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The session has ended; `details.what` is `ended`", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body exceeds the limit", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The agent has no such mode, model or variant", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The agent refused, or ended", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The daemon is stopping", body = Problem, content_type = "application/problem+json"),
        (status = 504, description = "The agent did not answer in time", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "The disk is full", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn patch(
    State(state): State<AppState>,
    id: Id,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<Session>> {
    let session = find(&state, id)?;
    let patch: SessionPatch = read_json(&state, &headers, body).await?;
    Ok(Json(whole(async move { session.patch(patch).await }).await?))
}

/// Ends a session and forgets it.
#[utoipa::path(
    delete, path = "/v1/sessions/{sessionId}", operation_id = "deleteSession", tag = "sessions",
    summary = "Delete a session",
    description = "Its events are gone with it; `terminate` keeps them. Streams of it end.",
    params(("sessionId" = String, Path, description = "The session's id")),
    responses(
        (status = 204, description = "It is forgotten"),
        (status = 400, description = "The id is not UTF-8", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The daemon is stopping", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "The disk is full", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete(State(state): State<AppState>, id: Id) -> ApiResult<StatusCode> {
    let Path(id) = id?;
    let sessions = state.sessions.clone();
    whole(async move { sessions.delete(&id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a session and keeps its history.
#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/terminate", operation_id = "terminateSession", tag = "sessions",
    summary = "Terminate a session",
    description = "A turn that runs is cancelled, messages that wait are taken back, the agent is left. `ended` is the last event. Ending \
        a session twice is no mistake.",
    params(("sessionId" = String, Path, description = "The session's id")),
    responses(
        (status = 200, description = "The session as it is now", body = Session),
        (status = 400, description = "The id is not UTF-8", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The daemon is stopping", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "The disk is full", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn terminate(State(state): State<AppState>, id: Id) -> ApiResult<Json<Session>> {
    let session = find(&state, id)?;
    Ok(Json(whole(async move { session.terminate().await }).await?))
}

/// Makes a copy of a session.
#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/fork", operation_id = "forkSession", tag = "sessions",
    summary = "Fork a session",
    description = "The agent knows in it all that was said so far; the copy's events begin anew. Only agents that can fork do this.",
    params(("sessionId" = String, Path, description = "The session's id")),
    request_body(content = Option<ForkSession>, content_type = "application/json", description = "The new session's id and title; one is made up if there is no body"),
    responses(
        (status = 200, description = "The new session", body = SessionCreated),
        (status = 400, description = "The body or the new id makes no sense, or the session has not begun", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such session", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "There is a session of the new id; `details.what` is `exists`", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body exceeds the limit", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "The body is not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The agent cannot fork", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "As many sessions exist as may", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The agent refused, or ended", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The daemon is stopping", body = Problem, content_type = "application/problem+json"),
        (status = 504, description = "The agent did not answer in time", body = Problem, content_type = "application/problem+json"),
        (status = 507, description = "The disk is full", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn fork(
    State(state): State<AppState>,
    id: Id,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Json<SessionCreated>> {
    let Path(id) = id?;
    let fork: ForkSession = read_json_or_default(&state, &headers, body).await?;
    let sessions = state.sessions.clone();
    Ok(Json(whole(async move { sessions.fork(&id, fork).await }).await?))
}
