//! `/v1/acp/{serverId}`: one agent behind an id that the client chose.

use super::answer::{self, CallOutcome};
use super::preference::Preference;
use super::socket::{Handshake, Joining, Role};
use super::{
    AcpRequest, AgentQuery, IgnoredAgentQuery, PREFERENCE_APPLIED, attend, events, name_connection, socket,
    standard,
};
use crate::auth::is_websocket;
use crate::body;
use crate::handler::{
    ApiError, ApiResult, AppState, Body, ErrorCode, HeaderMap, IntoResponse, Json, Problem, Request,
    Response, StatusCode, operation,
};
use crate::message_schema::JsonRpcMessage;
use crate::negotiate::{Media, check_accept, check_json_body};
use crate::stream::{self, ResumeQuery, last_event_id};
use crate::timers::Timers;
use axum::Extension;
use sa_api::AcpServerList;
use sa_hub::{CallError, Position, ReaderKind, ServerId, WhenStopped};
use sa_jsonrpc::{Invalid, Kind, Message};
use sa_relay::{Caller, check_message};
use serde_json::json;
use std::time::Duration;

sa_api_macros::operations! { list, post, stream, delete }

/// List ACP servers
///
/// Returns every ACP server in the order of creation, also those whose agent has exited.
///
/// - 200: Every ACP server, also those whose agent has ended
#[operation(listAcpServers: get "/v1/acp")]
pub(crate) async fn list(state: AppState) -> Json<AcpServerList> {
    let served = state.services.sessions.served();
    let mut servers = state.services.hub.list();
    for server in &mut servers {
        let serves = |(id, _): &&(String, String)| *id == server.server_id;
        server.session_ids = served.iter().filter(serves).map(|(_, session)| session.clone()).collect();
    }
    Json(AcpServerList { servers })
}

/// Send a JSON-RPC message to an agent
///
/// The first message of a server names its agent (`?agent=`), which is then started. A request waits for its
/// response. Without it after 10 seconds (`limits.early-answer-ms`) the status 200 is sent, followed by white space
/// and then the response; a failure after that is a JSON-RPC error in the body. `Prefer: wait` waits for the response
/// before it sends a status, so that failures are 502 or 504 however late they come; `Prefer: wait=N` does so for N
/// seconds. `Prefer: respond-async` answers 202 at once and the response arrives on the stream. With the header
/// `Acp-Connection-Id` this is the standard ACP remote transport.
///
/// - `{serverId}`: Chosen by the client: 1 to 128 of A-Z, a-z, 0-9, `-_.~:@`
/// - body: One JSON-RPC 2.0 message, passed on byte for byte
/// - `Prefer`: `wait`: send the status with the response; `wait=N`: or after N seconds; `respond-async`: do not wait
///   for the response
/// - `Acp-Connection-Id`: The connection; makes this the standard transport
/// - `Acp-Session-Id`: Standard transport: the session the message is about
/// - 200: The agent's response to a request
///   - `Acp-Connection-Id`: The server's id, which is a connection id as well
///   - `Preference-Applied`: The preference that was followed, if there was one
/// - 202: A notification, a response or a `respond-async` request is on its way
/// - 400: Not one JSON-RPC 2.0 message, unknown agent, or a new server without `agent`
/// - 404: `Acp-Connection-Id` names no connection, or the agent is not installed, or there is no such version
/// - 409: The server runs another agent, or `$/cancel_request` fits several requests
/// - 429: Too many servers, streams or unanswered requests
/// - 502: The agent could not be installed or started, ended, or does not read; `details` has exit code, signal and
///   the end of stderr
/// - 504: The agent was silent for too long
#[operation(postAcpMessage: post "/v1/acp/{serverId}" (JsonRpcMessage) -> JsonRpcMessage)]
pub(crate) async fn post(
    state: AppState,
    request: AcpRequest,
    query: AgentQuery,
    headers: HeaderMap,
    Extension(timers): Extension<Timers>,
    body: Body,
) -> ApiResult<Response> {
    check_json_body(&headers)?;
    match request {
        AcpRequest::Standard(id) => {
            let server = standard::connection(&state, id.as_str())?;
            standard::post_message(&state, &server, &headers, body).await
        }
        AcpRequest::Direct(id) => send(&state, &id, &query, &headers, &timers, body).await,
    }
}

/// Sends a message to the server of that id, which is opened if the query names an agent.
async fn send(
    state: &AppState,
    id: &ServerId,
    query: &AgentQuery,
    headers: &HeaderMap,
    timers: &Timers,
    body: Body,
) -> ApiResult<Response> {
    check_accept(headers, Media::Json)?;
    let message = read_message(state, body).await?;
    let server = state.services.hub.open(id, query.agent.as_deref(), query.agent_version.as_deref())?;
    let when_stopped = if query.agent.is_some() { WhenStopped::Start } else { WhenStopped::Refuse };
    let preference = Preference::of(headers);
    if message.shape.kind != Kind::Request || preference == Some(Preference::Async) {
        let is_applied = message.shape.kind == Kind::Request;
        server.send(message, when_stopped, Caller::Stream(0)).await?;
        let mut response = StatusCode::ACCEPTED.into_response();
        if is_applied {
            response.headers_mut().insert(PREFERENCE_APPLIED, Preference::Async.applied());
        }
        return Ok(response);
    }
    let early = Duration::from_millis(state.options.limits.early_answer_ms);
    let rpc_id = message.id_text().to_owned();
    let call = async move { server.call(message, when_stopped).await };
    let mut response = match answer::wait(rpc_id, call, Preference::patience(preference, early), timers).await
    {
        Ok(CallOutcome::Done(done)) => answer::json(Body::from(done.bytes)),
        Ok(CallOutcome::Later(response)) => response,
        Err(error) => error.into_response(),
    };
    if let Some(preference) = preference {
        response.headers_mut().insert(PREFERENCE_APPLIED, preference.applied());
    }
    name_connection(&mut response, id);
    Ok(response)
}

/// Stream the messages of an agent
///
/// Server-sent events: `message` carries one JSON-RPC message in `data` and its sequence number in `id`. With
/// `Last-Event-ID` the stream continues after that event. Without it, the first stream of a server begins with what
/// the agent has said since it was started, less responses that a POST has taken and requests that were answered;
/// later streams begin with the requests that the agent still waits on. `response` carries the response to a request
/// where clients that match by id alone could take it for their own. `gap` (Gap) says that events before the next one
/// are no longer in the log, `exit` (AgentExit) that the agent ended, `unparsed` (Unparsed) that it wrote something
/// else than a message. A comment comes every 15 seconds. With `Upgrade: websocket` the same stream runs both ways:
/// each text frame is one message, or, with the sub-protocol `sandbox-agent.events.v1`, one object `{event, id,
/// data}`. With the header `Acp-Connection-Id` this is the standard ACP remote transport.
///
/// - `Last-Event-ID`: Continue after this event
/// - `Acp-Connection-Id`: The connection; makes this the standard transport
/// - `Acp-Session-Id`: Standard transport: stream this session
/// - 101: The WebSocket is open
///   - `Acp-Connection-Id`: The server's id
/// - 200: The stream
/// - 400: Bad id, `Last-Event-ID` or WebSocket handshake, or unknown agent
/// - 404: No such server
/// - 409: The server runs another agent, or the standard stream has a reader
/// - 429: Too many servers or streams
/// - 502: The agent could not be installed or started
#[operation(streamAcpMessages: get "/v1/acp/{serverId}" -> String as "text/event-stream", ticket)]
pub(crate) async fn stream(
    state: AppState,
    transport: AcpRequest,
    resume: ResumeQuery,
    query: AgentQuery,
    request: Request,
) -> ApiResult<Response> {
    let headers = request.headers();
    let after = last_event_id(headers, resume.last_event_id)?;
    match transport {
        transport if is_websocket(headers) => join(&state, transport, &query, after, request).await,
        AcpRequest::Standard(id) => {
            let server = standard::connection(&state, id.as_str())?;
            standard::stream(&state, &server, headers, request.extensions(), after).await
        }
        AcpRequest::Direct(id) => {
            check_accept(headers, Media::EventStream)?;
            let server = state.services.hub.get_soon(&id).await.ok_or_else(|| missing(&id))?;
            let from = after.map_or(Position::Fresh, Position::After);
            let reader = server.subscribe(from, ReaderKind::EventStream).await?;
            attend(request.extensions(), &reader);
            Ok(stream::response(&state, events::ServerFrames::new(reader)))
        }
    }
}

/// Joins a server over a WebSocket. A server that the query names an agent for is opened.
async fn join(
    state: &AppState,
    transport: AcpRequest,
    query: &AgentQuery,
    after: Option<u64>,
    request: Request,
) -> ApiResult<Response> {
    let id = match transport {
        AcpRequest::Standard(id) => standard::connection(state, id.as_str())?.id().clone(),
        AcpRequest::Direct(id) => id,
    };
    let handshake = Handshake::of(state, request).await?;
    let from = after.map_or(Position::Now, Position::After);
    let server = match &query.agent {
        Some(agent) => state.services.hub.open(&id, Some(agent), query.agent_version.as_deref())?,
        None => state.services.hub.get(&id).ok_or_else(|| missing(&id))?,
    };
    let reader = server.subscribe(from, ReaderKind::Client).await?;
    if query.agent.is_some() {
        // After the reader, so that nothing the agent says is missed.
        server.start().await?;
    }
    let joining = Joining { reader, after, role: Role::Client };
    Ok(socket::upgrade(state, server, joining, handshake))
}

/// Stop an ACP server
///
/// Returns when the whole process tree is gone, within two seconds. With the header `Acp-Connection-Id` this is the
/// standard ACP remote transport: 202, or 404 for an unknown connection.
///
/// - `Acp-Connection-Id`: The connection; makes this the standard transport
/// - 202: The connection is closed (standard transport)
/// - 204: There is no such server now
/// - 409: The server runs the agent of a session; `details.what` is `session`, `details.sessionIds` names them
/// - 400: Not a server id
/// - 404: `Acp-Connection-Id` names no connection, or the agent is not installed, or there is no such version
#[operation(deleteAcpServer: delete "/v1/acp/{serverId}")]
pub(crate) async fn delete(
    state: AppState,
    request: AcpRequest,
    _: IgnoredAgentQuery,
) -> ApiResult<StatusCode> {
    match request {
        AcpRequest::Standard(id) => standard::close(&state, id.as_str()).await,
        AcpRequest::Direct(id) => stop(&state, &id).await,
    }
}

/// Stops a server, unless sessions use it.
async fn stop(state: &AppState, id: &ServerId) -> ApiResult<StatusCode> {
    let serves = state.services.sessions.served_by(id.as_str());
    if let Some(session) = serves.first() {
        let detail =
            format!("ACP server '{id}' runs the agent of session '{session}'; end the session instead");
        let details = json!({ "what": "session", "sessionIds": serves });
        return Err(Problem::new(ErrorCode::Conflict, detail)
            .with_session(session)
            .with_details(details)
            .into());
    }
    state.services.hub.close(id).await;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn read_message(state: &AppState, body: Body) -> ApiResult<Message<bytes::Bytes>> {
    let bytes = body::read(state, body).await?;
    let message = Message::read(bytes).map_err(|invalid| {
        ApiError::invalid(match &invalid {
            Invalid::NotJson(_) => "the body is not valid JSON".to_owned(),
            // The parser's message has the name in backquotes.
            Invalid::Twice(text) => {
                let member = text.split('`').nth(1).unwrap_or("id");
                format!("member '{member}' is given more than once")
            }
            other => format!("the body is not a JSON-RPC 2.0 message: {other}"),
        })
    })?;
    // Before anything is started for it.
    check_message(&message).map_err(CallError::from)?;
    Ok(message)
}

fn missing(id: &ServerId) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is no ACP server '{id}'"))
}
