//! Sessions from their creation to their end.

use super::{Id, find, idempotency_key, whole};
use crate::body::JsonBody;
use crate::problem::ApiResult;
use crate::state::AppState;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, StatusCode, header};
use sa_api::sessions::{CreateSession, ForkSession, Session, SessionPatch};
use sa_sessions::Creation;

#[utoipa::path(
    post, path = "/v1/sessions", operation_id = "createNewSession", tag = "sessions",
    summary = "Create a session with a new id",
    description = "As `createSession`, with an id that the daemon chooses: `sessionId` in the answer, and `Location`. With an \
        `Idempotency-Key` the same request can be sent again without creating a second session: it answers with the session of the first one, \
        or starts its agent again if that has failed. The key lasts as long as the session, also across restarts of the daemon.",
    params(("Idempotency-Key" = Option<String>, Header, description = "Names the request, so that it can be sent again; 1 to 255 characters")),
    request_body(content = CreateSession, content_type = "application/json", description = "The agent and its settings"),
    responses(
        (status = 200, description = "The session exists: an earlier request with this `Idempotency-Key` created it", body = Session,
            headers(("Location" = String, description = "The session's path"))),
        (status = 201, description = "The session was created; `healthy` says whether its agent has started", body = Session,
            headers(("Location" = String, description = "The session's path"))),
        (status = 400, description = "The body or the key is malformed"),
        (status = 409, description = "The key was used for another request; `details.what` is `keyReused`"),
        (status = 422, description = "A value cannot be used, such as an agent, directory, mode, model or version that does not exist; nothing was created"),
        (status = 429, description = "Too many sessions exist"),
        (status = 502, description = "With `validateToken`: the provider could not be reached; nothing was created"),
    )
)]
pub(crate) async fn create_minted(
    State(state): State<AppState>,
    headers: HeaderMap,
    body: JsonBody,
) -> ApiResult<Response> {
    let request: CreateSession = body.read().await?;
    let key = idempotency_key(&headers)?;
    let sessions = state.sessions.clone();
    Ok(created(whole(async move { sessions.create_minted(request, key).await }).await?))
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}", operation_id = "createSession", tag = "sessions",
    summary = "Create a session",
    description = "Creates a session and starts its agent, which is installed first if it is missing. A request that asks for something that \
        does not exist, such as an unknown mode or model, is refused and creates nothing. If the agent cannot be started for another reason, \
        the session exists with `healthy: false` and `error`. Then the same request, or one with other settings, starts it again, \
        as long as its agent has never started and no message was sent; so does the next message.",
    params(("sessionId" = String, Path, description = "The session's id, chosen by the client: 1 to 128 of `A-Z`, `a-z`, `0-9`, `-_.~:@`, starting with a letter or digit; not `import`")),
    request_body(content = CreateSession, content_type = "application/json", description = "The agent and its settings"),
    responses(
        (status = 200, description = "The session existed and its agent had never started: it has these settings now, and its agent was started again", body = Session,
            headers(("Location" = String, description = "The session's path"))),
        (status = 201, description = "The session was created; `healthy` says whether its agent has started", body = Session,
            headers(("Location" = String, description = "The session's path"))),
        (status = 400, description = "The id or the body is malformed"),
        (status = 409, description = "A session of that id exists and has started; `details.what` is `exists`"),
        (status = 422, description = "A value cannot be used, such as an agent, directory, mode, model or version that does not exist; nothing was created"),
        (status = 429, description = "Too many sessions exist"),
        (status = 502, description = "With `validateToken`: the provider could not be reached; nothing was created"),
    )
)]
pub(crate) async fn create(State(state): State<AppState>, id: Id, body: JsonBody) -> ApiResult<Response> {
    let Path(id) = id?;
    let request: CreateSession = body.read().await?;
    let sessions = state.sessions.clone();
    Ok(created(whole(async move { sessions.create(&id, request).await }).await?))
}

fn created(creation: Creation) -> Response {
    match creation {
        Creation::New(session) => new_session(&session),
        Creation::Known(session) => (at(&session), Json(session)).into_response(),
    }
}

/// The answer that a session was created.
pub(super) fn new_session(session: &Session) -> Response {
    (StatusCode::CREATED, at(session), Json(session)).into_response()
}

/// The header that says where a session is. Ids need no escapes in a path.
fn at(session: &Session) -> [(HeaderName, String); 1] {
    [(header::LOCATION, format!("/v1/sessions/{}", session.session_id))]
}

#[utoipa::path(
    get, path = "/v1/sessions/{sessionId}", operation_id = "getSession", tag = "sessions",
    summary = "Get a session",
    description = "Returns its state, its turn, its queue, the questions and permissions that wait for an answer, and its usage.",
    responses((status = 200, description = "The session", body = Session))
)]
pub(crate) async fn get(State(state): State<AppState>, id: Id) -> ApiResult<Json<Session>> {
    Ok(Json(find(&state, id).await?.describe()))
}

#[utoipa::path(
    patch, path = "/v1/sessions/{sessionId}", operation_id = "patchSession", tag = "sessions",
    summary = "Update a session",
    description = "Title, model, variant, modes and metadata; what is absent stays. Members of `metadata` are merged, and `null` removes \
        one. The agent gets the change immediately, or when it starts.",
    request_body(content = SessionPatch, content_type = "application/json", description = "The changes"),
    responses(
        (status = 200, description = "The session as it is now", body = Session),
        (status = 400, description = "The body makes no sense"),
        (status = 409, description = "The session has ended; `details.what` is `ended`"),
        (status = 422, description = "The agent has no such mode, model or variant"),
        (status = 502, description = "The agent refused, or ended"),
        (status = 504, description = "The agent did not answer in time"),
    )
)]
pub(crate) async fn patch(State(state): State<AppState>, id: Id, body: JsonBody) -> ApiResult<Json<Session>> {
    let session = find(&state, id).await?;
    let patch: SessionPatch = body.read().await?;
    Ok(Json(whole(async move { session.patch(patch).await }).await?))
}

#[utoipa::path(
    delete, path = "/v1/sessions/{sessionId}", operation_id = "deleteSession", tag = "sessions",
    summary = "Delete a session",
    description = "Ends the session and deletes its events; `terminate` keeps them. Its streams end. Deleting a session that does not exist \
        succeeds, too.",
    responses((status = 204, description = "The session does not exist any more"))
)]
pub(crate) async fn delete(State(state): State<AppState>, id: Id) -> ApiResult<StatusCode> {
    let Path(id) = id?;
    let sessions = state.sessions.clone();
    whole(async move { sessions.delete(&id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/terminate", operation_id = "terminateSession", tag = "sessions",
    summary = "Terminate a session",
    description = "Cancels the running turn, withdraws the messages that wait, and stops the agent. `ended` is the last event. Ending \
        a session twice succeeds, too.",
    responses((status = 200, description = "The session as it is now", body = Session))
)]
pub(crate) async fn terminate(State(state): State<AppState>, id: Id) -> ApiResult<Json<Session>> {
    let session = find(&state, id).await?;
    Ok(Json(whole(async move { session.terminate().await }).await?))
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/resume", operation_id = "resumeSession", tag = "sessions",
    summary = "Resume a session",
    description = "Continues with messages that are held since the daemon was restarted (`queueHeld`). If none wait, starts the agent of an \
        `interrupted` session again; `healthy` and `error` say whether that worked. Where nothing has to be resumed, nothing happens.",
    responses(
        (status = 200, description = "The session as it is now", body = Session),
        (status = 409, description = "The session has ended; `details.what` is `ended`"),
    )
)]
pub(crate) async fn resume(State(state): State<AppState>, id: Id) -> ApiResult<Json<Session>> {
    let session = find(&state, id).await?;
    Ok(Json(whole(async move { session.resume().await }).await?))
}

#[utoipa::path(
    post, path = "/v1/sessions/{sessionId}/fork", operation_id = "forkSession", tag = "sessions",
    summary = "Fork a session",
    description = "Creates a session that continues from this one's conversation on its own. Only agents that can fork support this, \
        unless `until` is given.",
    request_body(content = Option<ForkSession>, content_type = "application/json", description = "The new session's id and title; without an id the daemon chooses one"),
    responses(
        (status = 201, description = "The new session", body = Session,
            headers(("Location" = String, description = "The new session's path"))),
        (status = 400, description = "The body or the new id is malformed"),
        (status = 409, description = "A session of the new id exists (`details.what` is `exists`), or this session has not started, so that there is nothing to fork (`notStarted`)"),
        (status = 422, description = "The agent cannot fork"),
        (status = 429, description = "Too many sessions exist"),
        (status = 502, description = "The agent refused, or ended"),
        (status = 504, description = "The agent did not answer in time"),
    )
)]
pub(crate) async fn fork(State(state): State<AppState>, id: Id, body: JsonBody) -> ApiResult<Response> {
    let Path(id) = id?;
    let fork: ForkSession = body.read_or_default().await?;
    let sessions = state.sessions.clone();
    Ok(new_session(&whole(async move { sessions.fork(&id, fork).await }).await?))
}
