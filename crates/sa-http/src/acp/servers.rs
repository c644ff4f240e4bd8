//! `/v1/acp/{serverId}`: one agent behind an id that the client chose.

use super::answer::{self, Answer};
use super::preference::Preference;
use super::socket::{Handshake, Joining, Role};
use super::{AcpRequest, CONNECTION_ID, PREFERENCE_APPLIED, attend, events, id_value, socket, standard};
use crate::auth::is_websocket;
use crate::body;
use crate::message_schema::JsonRpcMessage;
use crate::negotiate::{Media, check_accept, check_json_body};
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use crate::stream::{self, last_event_id};
use crate::timers::Timers;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use http::{HeaderMap, StatusCode};
use sa_api::{AcpServerList, ErrorCode, Problem};
use sa_hub::{CallError, Position, ReaderKind, ServerId, WhenStopped};
use sa_jsonrpc::{Invalid, Kind, Message};
use sa_relay::{Caller, check_message};
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

type Parameters = Result<Query<AcpQuery>, QueryRejection>;

/// Query of ACP requests.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AcpQuery {
    pub(crate) agent: Option<String>,
    pub(crate) agent_version: Option<String>,
    pub(crate) last_event_id: Option<String>,
}

#[utoipa::path(
    get, path = "/v1/acp", operation_id = "listAcpServers", tag = "acp",
    summary = "List ACP servers",
    description = "Returns every ACP server in the order of creation, also those whose agent has exited.",
    responses((status = 200, description = "Every ACP server, also those whose agent has ended", body = AcpServerList))
)]
pub(crate) async fn list(State(state): State<AppState>) -> Json<AcpServerList> {
    let served = state.sessions.served();
    let mut servers = state.hub.list();
    for server in &mut servers {
        let serves = |(id, _): &&(String, String)| *id == server.server_id;
        server.session_ids = served.iter().filter(serves).map(|(_, session)| session.clone()).collect();
    }
    Json(AcpServerList { servers })
}

#[utoipa::path(
    post, path = "/v1/acp/{serverId}", operation_id = "postAcpMessage", tag = "acp",
    summary = "Send a JSON-RPC message to an agent",
    description = "The first message of a server names its agent (`?agent=`), which is then started. A request waits for its \
        response. Without it after 10 seconds (`limits.early-answer-ms`) the status 200 is sent, followed by white space and then \
        the response; a failure after that is a JSON-RPC error in the body. `Prefer: wait` waits for the response before it sends a \
        status, so that failures are 502 or 504 however late they come; `Prefer: wait=N` does so for N seconds. `Prefer: \
        respond-async` answers 202 at once and the response arrives on the stream. \
        With the header `Acp-Connection-Id` this is the standard ACP remote transport.",
    params(
        ("serverId" = String, Path, description = "Chosen by the client: 1 to 128 of A-Z, a-z, 0-9, `-_.~:@`"),
        ("agent" = Option<String>, Query, description = "The agent to start; needed for a new server, and to start an ended agent again"),
        ("agentVersion" = Option<String>, Query, description = "The version to start, installed first if need be; the current one by default"),
        ("Prefer" = Option<String>, Header, description = "`wait`: send the status with the response; `wait=N`: or after N seconds; `respond-async`: do not wait for the response"),
        ("Acp-Connection-Id" = Option<String>, Header, description = "The connection; makes this the standard transport"),
        ("Acp-Session-Id" = Option<String>, Header, description = "Standard transport: the session the message is about"),
    ),
    request_body(content = JsonRpcMessage, content_type = "application/json", description = "One JSON-RPC 2.0 message, passed on byte for byte"),
    responses(
        (status = 200, description = "The agent's response to a request", body = JsonRpcMessage, content_type = "application/json",
            headers(
                ("Acp-Connection-Id" = String, description = "The server's id, which is a connection id as well"),
                ("Preference-Applied" = String, description = "The preference that was followed, if there was one"),
            )),
        (status = 202, description = "A notification, a response or a `respond-async` request is on its way"),
        (status = 400, description = "Not one JSON-RPC 2.0 message, unknown agent, or a new server without `agent`"),
        (status = 404, description = "`Acp-Connection-Id` names no connection, or the agent is not installed, or there is no such version"),
        (status = 409, description = "The server runs another agent, or `$/cancel_request` fits several requests"),
        (status = 429, description = "Too many servers, streams or unanswered requests"),
        (status = 502, description = "The agent could not be installed or started, ended, or does not read; `details` has exit code, signal and the end of stderr"),
        (status = 504, description = "The agent was silent for too long"),
    )
)]
pub(crate) async fn post(
    State(state): State<AppState>,
    request: AcpRequest,
    query: Parameters,
    headers: HeaderMap,
    Extension(timers): Extension<Timers>,
    body: Body,
) -> ApiResult<Response> {
    let Query(query) = query?;
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
    query: &AcpQuery,
    headers: &HeaderMap,
    timers: &Timers,
    body: Body,
) -> ApiResult<Response> {
    check_accept(headers, Media::Json)?;
    let message = read_message(state, body).await?;
    let server = state.hub.open(id, query.agent.as_deref(), query.agent_version.as_deref())?;
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
        Ok(Answer::Done(done)) => answer::json(Body::from(done.bytes)),
        Ok(Answer::Later(response)) => response,
        Err(error) => error.into_response(),
    };
    if let Some(preference) = preference {
        response.headers_mut().insert(PREFERENCE_APPLIED, preference.applied());
    }
    if let Some(value) = id_value(id) {
        response.headers_mut().insert(CONNECTION_ID, value);
    }
    Ok(response)
}

#[utoipa::path(
    get, path = "/v1/acp/{serverId}", operation_id = "streamAcpMessages", tag = "acp",
    summary = "Stream the messages of an agent",
    description = "Server-sent events: `message` carries one JSON-RPC message in `data` and its sequence number in `id`. With \
        `Last-Event-ID` the stream continues after that event. Without it, the first stream of a server begins with what the agent has \
        said since it was started, less responses that a POST has taken and requests that were answered; later streams begin with \
        the requests that the agent still waits on. `response` carries the response to a request where clients that match by id alone \
        could take it for their own. `gap` (Gap) says that events before the next one are no longer in the log, `exit` \
        (AgentExit) that the agent ended, `unparsed` (Unparsed) that it wrote something else than a message. A comment comes every \
        15 seconds. With `Upgrade: websocket` the same stream runs both ways: each text frame is one message, or, with the \
        sub-protocol `sandbox-agent.events.v1`, one object `{event, id, data}`. With the header `Acp-Connection-Id` this is the \
        standard ACP remote transport.",
    params(
        ("Last-Event-ID" = Option<u64>, Header, description = "Continue after this event"),
        ("lastEventId" = Option<u64>, Query, description = "The same, where headers cannot be set"),
        ("agent" = Option<String>, Query, description = "With a WebSocket: start a new server as a first POST would"),
        ("agentVersion" = Option<String>, Query, description = "The version to start, installed first if need be; the current one by default"),
        ("ticket" = Option<String>, Query, description = "A ticket from `POST /v1/tickets`, for clients that cannot send headers"),
        ("Acp-Connection-Id" = Option<String>, Header, description = "The connection; makes this the standard transport"),
        ("Acp-Session-Id" = Option<String>, Header, description = "Standard transport: stream this session"),
    ),
    responses(
        (status = 101, description = "The WebSocket is open",
            headers(("Acp-Connection-Id" = String, description = "The server's id"))),
        (status = 200, description = "The stream", content_type = "text/event-stream", body = String),
        (status = 400, description = "Bad id, `Last-Event-ID` or WebSocket handshake, or unknown agent"),
        (status = 404, description = "No such server"),
        (status = 409, description = "The server runs another agent, or the standard stream has a reader"),
        (status = 429, description = "Too many servers or streams"),
        (status = 502, description = "The agent could not be installed or started"),
    )
)]
pub(crate) async fn stream(
    State(state): State<AppState>,
    transport: AcpRequest,
    query: Parameters,
    request: Request,
) -> ApiResult<Response> {
    let Query(query) = query?;
    let headers = request.headers();
    let after = last_event_id(headers, query.last_event_id.as_deref())?;
    match transport {
        transport if is_websocket(headers) => join(&state, transport, &query, after, request).await,
        AcpRequest::Standard(id) => {
            let server = standard::connection(&state, id.as_str())?;
            standard::stream(&state, &server, headers, request.extensions(), after).await
        }
        AcpRequest::Direct(id) => {
            check_accept(headers, Media::EventStream)?;
            let server = state.hub.get_soon(&id).await.ok_or_else(|| missing(&id))?;
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
    query: &AcpQuery,
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
        Some(agent) => state.hub.open(&id, Some(agent), query.agent_version.as_deref())?,
        None => state.hub.get(&id).ok_or_else(|| missing(&id))?,
    };
    let reader = server.subscribe(from, ReaderKind::Client).await?;
    if query.agent.is_some() {
        // After the reader, so that nothing the agent says is missed.
        server.start().await?;
    }
    let joining = Joining { reader, after, role: Role::Client };
    Ok(socket::upgrade(state, server, joining, handshake))
}

#[utoipa::path(
    delete, path = "/v1/acp/{serverId}", operation_id = "deleteAcpServer", tag = "acp",
    summary = "Stop an ACP server",
    description = "Returns when the whole process tree is gone, within two seconds. With the header `Acp-Connection-Id` this is the \
        standard ACP remote transport: 202, or 404 for an unknown connection.",
    params(
        ("agent" = Option<String>, Query, description = "Without effect; for clients that send every request to the URL they were given"),
        ("agentVersion" = Option<String>, Query, description = "Without effect, as `agent`"),
        ("Acp-Connection-Id" = Option<String>, Header, description = "The connection; makes this the standard transport"),
    ),
    responses(
        (status = 202, description = "The connection is closed (standard transport)"),
        (status = 204, description = "There is no such server now"),
        (status = 409, description = "The server runs the agent of a session; `details.what` is `session`, `details.sessionIds` names them"),
        (status = 400, description = "Not a server id"),
        (status = 404, description = "`Acp-Connection-Id` names no connection, or the agent is not installed, or there is no such version"),
    )
)]
pub(crate) async fn delete(State(state): State<AppState>, request: AcpRequest) -> ApiResult<StatusCode> {
    match request {
        AcpRequest::Standard(id) => standard::close(&state, id.as_str()).await,
        AcpRequest::Direct(id) => stop(&state, &id).await,
    }
}

/// Stops a server, unless sessions use it.
async fn stop(state: &AppState, id: &ServerId) -> ApiResult<StatusCode> {
    let serves = state.sessions.served_by(id.as_str());
    if let Some(session) = serves.first() {
        let detail =
            format!("ACP server '{id}' runs the agent of session '{session}'; end the session instead");
        let details = json!({ "what": "session", "sessionIds": serves });
        return Err(Problem::new(ErrorCode::Conflict, detail)
            .with_session(session)
            .with_details(details)
            .into());
    }
    state.hub.close(id).await;
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
