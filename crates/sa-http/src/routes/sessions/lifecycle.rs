//! Sessions from their creation to their end.

use super::{idempotency_key, whole};
use crate::handler::{
    ApiResult, AppState, HeaderMap, HeaderName, IntoResponse, Json, JsonBody, OptionalJsonBody, Path,
    Response, StatusCode, header, operation,
};
use sa_api::sessions::{CreateSession, ForkSession, Session, SessionPatch};
use sa_sessions::{Creation, SessionHandle};

/// Create a session with a new id
///
/// As `createSession`, with an id that the daemon chooses: `sessionId` in the answer, and `Location`. With an
/// `Idempotency-Key` the same request can be sent again without creating a second session: it answers with the
/// session of the first one, or starts its agent again if that has failed. The key lasts as long as the session, also
/// across restarts of the daemon.
///
/// - body: The agent and its settings
/// - `Idempotency-Key`: Names the request, so that it can be sent again; 1 to 255 characters
/// - 200: The session exists: an earlier request with this `Idempotency-Key` created it
///   - `Location`: The session's path
/// - 201: The session was created; `healthy` says whether its agent has started
///   - `Location`: The session's path
/// - 400: The body or the key is malformed
/// - 409: The key was used for another request; `details.what` is `keyReused`
/// - 422: A value cannot be used, such as an agent, directory, mode, model or version that does not exist; nothing
///   was created
/// - 429: Too many sessions exist
/// - 502: With `validateToken`: the provider could not be reached; nothing was created
#[operation(createNewSession: post "/v1/sessions" -> Session)]
pub(crate) async fn create_minted(
    state: AppState,
    headers: HeaderMap,
    JsonBody(request): JsonBody<CreateSession>,
) -> ApiResult<Response> {
    let key = idempotency_key(&headers)?;
    Ok(created(whole(async move { state.services.sessions.create_minted(request, key).await }).await?))
}

/// Create a session
///
/// Creates a session and starts its agent, which is installed first if it is missing. A request that asks for
/// something that does not exist, such as an unknown mode or model, is refused and creates nothing. If the agent
/// cannot be started for another reason, the session exists with `healthy: false` and `error`. Then the same request,
/// or one with other settings, starts it again, as long as its agent has never started and no message was sent; so
/// does the next message.
///
/// - `{sessionId}`: The session's id, chosen by the client: 1 to 128 of `A-Z`, `a-z`, `0-9`, `-_.~:@`, starting with a
///   letter or digit; not `import`
/// - body: The agent and its settings
/// - 200: The session existed and its agent had never started: it has these settings now, and its agent was started
///   again
///   - `Location`: The session's path
/// - 201: The session was created; `healthy` says whether its agent has started
///   - `Location`: The session's path
/// - 400: The id or the body is malformed
/// - 409: A session of that id exists and has started; `details.what` is `exists`
/// - 422: A value cannot be used, such as an agent, directory, mode, model or version that does not exist; nothing
///   was created
/// - 429: Too many sessions exist
/// - 502: With `validateToken`: the provider could not be reached; nothing was created
#[operation(createSession: post "/v1/sessions/{sessionId}" -> Session)]
pub(crate) async fn create(
    state: AppState,
    Path(id): Path<String>,
    JsonBody(request): JsonBody<CreateSession>,
) -> ApiResult<Response> {
    Ok(created(whole(async move { state.services.sessions.create(&id, request).await }).await?))
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

/// Get a session
///
/// Returns its state, its turn, its queue, the questions and permissions that wait for an answer, and its usage.
///
/// - 200: The session
#[operation(getSession: get "/v1/sessions/{sessionId}")]
pub(crate) async fn get(session: SessionHandle) -> Json<Session> {
    Json(session.describe())
}

/// Update a session
///
/// Title, model, variant, modes and metadata; what is absent stays. Members of `metadata` are merged, and `null`
/// removes one. The agent gets the change immediately, or when it starts.
///
/// - body: The changes
/// - 200: The session as it is now
/// - 400: The body makes no sense
/// - 409: The session has ended; `details.what` is `ended`
/// - 422: The agent has no such mode, model or variant
/// - 502: The agent refused, or ended
/// - 504: The agent did not answer in time
#[operation(patchSession: patch "/v1/sessions/{sessionId}")]
pub(crate) async fn patch(
    session: SessionHandle,
    JsonBody(patch): JsonBody<SessionPatch>,
) -> ApiResult<Json<Session>> {
    Ok(Json(whole(async move { session.patch(patch).await }).await?))
}

/// Delete a session
///
/// Ends the session and deletes its events; `terminate` keeps them. Its streams end. Deleting a session that does not
/// exist succeeds, too.
///
/// - 204: The session does not exist any more
#[operation(deleteSession: delete "/v1/sessions/{sessionId}")]
pub(crate) async fn delete(state: AppState, Path(id): Path<String>) -> ApiResult<StatusCode> {
    whole(async move { state.services.sessions.delete(&id).await }).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Terminate a session
///
/// Cancels the running turn, withdraws the messages that wait, and stops the agent. `ended` is the last event. Ending
/// a session twice succeeds, too.
///
/// - 200: The session as it is now
#[operation(terminateSession: post "/v1/sessions/{sessionId}/terminate")]
pub(crate) async fn terminate(session: SessionHandle) -> ApiResult<Json<Session>> {
    Ok(Json(whole(async move { session.terminate().await }).await?))
}

/// Resume a session
///
/// Continues with messages that are held since the daemon was restarted (`queueHeld`). If none wait, starts the agent
/// of an `interrupted` session again; `healthy` and `error` say whether that worked. Where nothing has to be resumed,
/// nothing happens.
///
/// - 200: The session as it is now
/// - 409: The session has ended; `details.what` is `ended`
#[operation(resumeSession: post "/v1/sessions/{sessionId}/resume")]
pub(crate) async fn resume(session: SessionHandle) -> ApiResult<Json<Session>> {
    Ok(Json(whole(async move { session.resume().await }).await?))
}

/// Fork a session
///
/// Creates a session that continues from this one's conversation on its own. Only agents that can fork support this,
/// unless `until` is given.
///
/// - body: The new session's id and title; without an id the daemon chooses one
/// - 201: The new session
///   - `Location`: The new session's path
/// - 400: The body or the new id is malformed
/// - 409: A session of the new id exists (`details.what` is `exists`), or this session has not started, so that there
///   is nothing to fork (`notStarted`)
/// - 422: The agent cannot fork
/// - 429: Too many sessions exist
/// - 502: The agent refused, or ended
/// - 504: The agent did not answer in time
#[operation(forkSession: post "/v1/sessions/{sessionId}/fork" -> Session)]
pub(crate) async fn fork(
    state: AppState,
    Path(id): Path<String>,
    OptionalJsonBody(fork): OptionalJsonBody<ForkSession>,
) -> ApiResult<Response> {
    Ok(new_session(&whole(async move { state.services.sessions.fork(&id, fork).await }).await?))
}
