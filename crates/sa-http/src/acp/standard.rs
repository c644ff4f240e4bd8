//! The standard ACP remote transport: `/acp`, the same for each agent at `/v1/agents/{agent}/acp`, and on
//! `/v1/acp/{serverId}` for requests that carry `Acp-Connection-Id`. A connection is a server whose id was minted.

use super::answer::{self, CallOutcome};
use super::opening::Opening;
use super::preference::Preference;
use super::scoped::{Glance, ScopedFrames};
use super::servers::read_message;
use super::socket::{Handshake, Joining, Role};
use super::{
    AgentQuery, CONNECTION_ID, IgnoredAgentQuery, SESSION_ID, attend, header_text, name_connection, socket,
};
use crate::auth::is_websocket;
use crate::handler::{
    ApiError, ApiResult, AppState, Body, ErrorCode, FromRequestParts, HeaderMap, IntoResponse, Parts,
    Request, Response, StatusCode, operation, path_id,
};
use crate::message_schema::JsonRpcMessage;
use crate::negotiate::{Media, check_accept, check_json_body};
use crate::query::quote;
use crate::stream::{self, ResumeQuery, last_event_id};
use crate::timers::Timers;
use axum::Router;
use axum::routing::get;
use http::Extensions;
use sa_hub::{CONNECTION_SCOPE, Position, ReaderKind, Server, ServerId, WhenStopped};
use sa_jsonrpc::{Kind, Message};
use sa_relay::Caller;
use std::time::Duration;

/// The status of `initialize` says whether there is a connection, so it waits this long at least.
const INITIALIZE_PATIENCE: Duration = Duration::from_secs(1);

sa_api_macros::operations! { standard_post, standard_get, standard_delete }

/// Returns the routes for clients that cannot send a query: `/acp` with the agent in the path.
pub(crate) fn agent_routes() -> Router<AppState> {
    let methods = get(standard_get).post(standard_post).delete(standard_delete);
    Router::new().route("/v1/agents/{agent}/acp", methods)
}

/// The agent in the path `/v1/agents/{agent}/acp`; `/acp` has it in the query.
pub(crate) struct PathAgent(Option<String>);

impl FromRequestParts<AppState> for PathAgent {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        Ok(Self(Some(path_id(parts, state, "agent").await?).filter(|agent| !agent.is_empty())))
    }
}

/// Open a connection or send a message
///
/// Without `Acp-Connection-Id` the message must be `initialize`: a new agent is started and its response comes in the
/// body, with the connection's id in the header. With it every message is answered 202 and responses come on the
/// streams.
///
/// - body: One JSON-RPC 2.0 message
/// - `Acp-Connection-Id`: The connection
/// - `Acp-Session-Id`: The session the message is about
/// - 200: The response to `initialize`
///   - `Acp-Connection-Id`: The new connection
/// - 202: The message is on its way
/// - 400: Not one message, unknown agent, no connection or session named, or `initialize` on an open connection
/// - 404: No such connection, or the agent is not installed, or there is no such version
/// - 429: Too many connections, streams or unanswered requests
/// - 502: The agent could not be installed or started, ended, or does not read
/// - 504: The agent was silent for too long
#[operation(postAcpConnection: post "/acp" (JsonRpcMessage) -> JsonRpcMessage)]
pub(crate) async fn standard_post(
    state: AppState,
    PathAgent(agent): PathAgent,
    mut query: AgentQuery,
    headers: HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    query.agent = agent.or(query.agent);
    check_json_body(&headers)?;
    match header_text(&headers, &CONNECTION_ID)? {
        Some(id) => post_message(&state, &connection(&state, &id)?, &headers, body).await,
        None => initialize(&state, &query, &headers, body).await,
    }
}

/// Stream a connection or a session
///
/// Each stream has one reader at a time; what was not read waits for the next one. Events carry an `id`; a reader
/// that sends `Last-Event-ID` continues after it and takes over the stream. With `Upgrade: websocket` a new
/// connection is opened (or, with `Acp-Connection-Id`, an existing one is joined) and everything runs over the
/// socket.
///
/// - `Acp-Connection-Id`: The connection
/// - `Acp-Session-Id`: The session; without it the connection's own stream
/// - `Last-Event-ID`: Continue after this event
/// - 101: The WebSocket is open
///   - `Acp-Connection-Id`: The connection
/// - 200: The stream
///   - `Acp-Connection-Id`: The connection
/// - 400: No connection named, bad `Last-Event-ID` or WebSocket handshake, or unknown agent
/// - 404: No such connection, or the agent is not installed, or there is no such version
/// - 409: The stream has a reader
/// - 429: Too many connections or streams
/// - 502: The agent could not be installed or started
#[operation(streamAcpConnection: get "/acp" -> String as "text/event-stream", ticket)]
pub(crate) async fn standard_get(
    state: AppState,
    PathAgent(agent): PathAgent,
    mut query: AgentQuery,
    resume: ResumeQuery,
    request: Request,
) -> ApiResult<Response> {
    query.agent = agent.or(query.agent);
    let headers = request.headers();
    let after = last_event_id(headers, resume.last_event_id)?;
    let id = header_text(headers, &CONNECTION_ID)?;
    if !is_websocket(headers) {
        let server = connection(&state, &required_connection(headers)?)?;
        return stream(&state, &server, headers, request.extensions(), after).await;
    }
    let handshake = Handshake::of(&state, request).await?;
    if let Some(id) = id {
        let server = connection(&state, &id)?;
        let reader =
            server.subscribe(after.map_or(Position::Now, Position::After), ReaderKind::Client).await?;
        let joining = Joining { reader, after, role: Role::Joined };
        return Ok(socket::upgrade(&state, server, joining, handshake));
    }
    let opening = Opening::new(&state.services.hub, open(&state, &query)?);
    // Before the start, so that nothing the agent says is missed.
    let reader = opening.server().subscribe(Position::Now, ReaderKind::Client).await?;
    opening.server().start().await?;
    let joining = Joining { reader, after: None, role: Role::Opened };
    Ok(socket::upgrade(&state, opening.complete(), joining, handshake))
}

/// Close a connection
///
/// Stops the agent of the connection and ends its streams.
///
/// - `Acp-Connection-Id` (required): The connection
/// - 202: The connection is closed and its agent gone
/// - 400: No connection named
/// - 404: No such connection, or the agent is not installed, or there is no such version
#[operation(closeAcpConnection: delete "/acp")]
pub(crate) async fn standard_delete(
    state: AppState,
    _: IgnoredAgentQuery,
    headers: HeaderMap,
) -> ApiResult<StatusCode> {
    close(&state, &required_connection(&headers)?).await
}

/// Finds the connection of that id.
pub(super) fn connection(state: &AppState, id: &str) -> ApiResult<Server> {
    let missing = || ApiError::new(ErrorCode::NotFound, format!("there is no connection '{id}'"));
    let id = ServerId::parse(id).map_err(|_| missing())?;
    state.services.hub.get(&id).ok_or_else(missing)
}

/// Sends a message on a connection; an answer comes on a stream.
pub(super) async fn post_message(
    state: &AppState,
    server: &Server,
    headers: &HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    let message = read_message(state, body).await?;
    if is_initialize(&message) {
        return Err(ApiError::invalid("initialize opens a connection; this one is open already"));
    }
    let session = session_of(headers, &message)?;
    let limit = state.options.limits.streams_per_connection;
    let scope = match message.shape.kind {
        Kind::Request => server.answer_scope(session.as_deref(), limit),
        Kind::Notification | Kind::Response => CONNECTION_SCOPE,
    };
    server.send(message, WhenStopped::Refuse, Caller::Stream(scope)).await?;
    Ok(StatusCode::ACCEPTED.into_response())
}

/// Streams the connection, or the session that the headers name.
pub(super) async fn stream(
    state: &AppState,
    server: &Server,
    headers: &HeaderMap,
    extensions: &Extensions,
    after: Option<u64>,
) -> ApiResult<Response> {
    check_accept(headers, Media::EventStream)?;
    let session = header_text(headers, &SESSION_ID)?;
    let limit = state.options.limits.streams_per_connection;
    let attachment = server.attach(session.as_deref(), after, limit)?;
    let reader = server.subscribe(Position::After(attachment.after), ReaderKind::Client).await?;
    attend(extensions, &reader);
    let mut response = stream::response(state, ScopedFrames::new(reader, attachment));
    name_connection(&mut response, server.id());
    Ok(response)
}

/// Ends a connection.
pub(super) async fn close(state: &AppState, id: &str) -> ApiResult<StatusCode> {
    state.services.hub.settle(id).await;
    state.services.hub.close(connection(state, id)?.id()).await;
    Ok(StatusCode::ACCEPTED)
}

/// Opens a connection with the message `initialize`.
async fn initialize(
    state: &AppState,
    query: &AgentQuery,
    headers: &HeaderMap,
    body: Body,
) -> ApiResult<Response> {
    check_accept(headers, Media::Json)?;
    let message = read_message(state, body).await?;
    if !is_initialize(&message) {
        return Err(ApiError::invalid(
            "the header Acp-Connection-Id is missing; only initialize comes without it",
        ));
    }
    let server = open(state, query)?;
    let early = Duration::from_millis(state.options.limits.early_answer_ms);
    let patience = Preference::patience(Preference::of(headers), early);
    let patience = patience.map(|patience| patience.max(INITIALIZE_PATIENCE));
    let id = message.id_text().to_owned();
    let opening = Opening::new(&state.services.hub, server.clone());
    let mut response =
        match answer::wait(id, opening.initialize(message), patience, &Timers::default()).await? {
            CallOutcome::Done(done) if done.is_error => return Ok(answer::json(Body::from(done.bytes))),
            CallOutcome::Done(done) => answer::json(Body::from(done.bytes)),
            CallOutcome::Later(response) => response,
        };
    name_connection(&mut response, server.id());
    Ok(response)
}

/// Requests that stock clients send with `Acp-Session-Id`, all of them.
const SESSION_HEADER_METHODS: [&str; 5] =
    ["session/prompt", "session/cancel", "session/close", "session/set_mode", "session/set_config_option"];
/// Requests about a session for which some stock clients leave the header out.
const SESSION_METHODS: [&str; 5] =
    ["session/load", "session/resume", "session/fork", "session/delete", "session/set_model"];

/// The session that a client's message is about. Header and parameters must agree; a method that concerns a session
/// must name one.
fn session_of(headers: &HeaderMap, message: &Message<bytes::Bytes>) -> ApiResult<Option<String>> {
    let named = header_text(headers, &SESSION_ID)?;
    let meant = Glance::at(&message.bytes).session;
    if let (Some(named), Some(meant)) = (&named, &meant)
        && named != meant
    {
        let (named, meant) = (quote(named), quote(meant));
        let detail = format!("header 'Acp-Session-Id': expected '{meant}', as in the message, got '{named}'");
        return Err(ApiError::invalid(detail));
    }
    let method = message.method();
    let is_one_of = |methods: &[&str]| method.as_deref().is_some_and(|method| methods.contains(&method));
    if named.is_none()
        && (is_one_of(&SESSION_HEADER_METHODS) || (meant.is_none() && is_one_of(&SESSION_METHODS)))
    {
        return Err(ApiError::invalid("the header Acp-Session-Id is missing"));
    }
    Ok(named.or(meant))
}

/// Returns whether a message is the request that opens a connection.
pub(super) fn is_initialize(message: &Message<bytes::Bytes>) -> bool {
    message.shape.kind == Kind::Request && message.method().as_deref() == Some("initialize")
}

fn required_connection(headers: &HeaderMap) -> ApiResult<String> {
    header_text(headers, &CONNECTION_ID)?
        .ok_or_else(|| ApiError::invalid("header 'Acp-Connection-Id': missing"))
}

/// Opens a connection to the agent that a request names.
fn open(state: &AppState, query: &AgentQuery) -> ApiResult<Server> {
    let unnamed = "name the agent of the new connection: /acp?agent=<id> or /v1/agents/<id>/acp";
    let agent = query.agent.as_deref().ok_or_else(|| ApiError::invalid(unnamed))?;
    Ok(state.services.hub.open_connection(agent, query.agent_version.as_deref())?)
}
