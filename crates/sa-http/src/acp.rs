//! ACP over HTTP: the client-chosen server ids of `/v1/acp/{serverId}` and the standard remote transport of `/acp`.
//!
//! The headers of a request decide which of the two it speaks, not its path: with `Acp-Connection-Id` it is
//! the standard one, whose connection ids are our server ids.

mod answer;
mod events;
mod opening;
pub(crate) mod preference;
mod scoped;
mod servers;
mod socket;
mod standard;

pub(crate) use servers::{Operations as ServerOperations, routes as server_routes};
pub(crate) use standard::{Operations as StandardOperations, agent_routes, routes as standard_routes};

use crate::handler::{
    ApiError, ApiResult, AppState, FromRequestParts, HeaderMap, HeaderName, HeaderValue, Parts, Response,
    path_id, query,
};
use crate::query::quote;
use crate::stall::Taken;
use http::Extensions;
use sa_hub::{Reader, ServerId};

pub(crate) const CONNECTION_ID: HeaderName = HeaderName::from_static("acp-connection-id");
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("acp-session-id");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

#[query]
pub(crate) struct AgentQuery {
    /// The agent to start, for a new server or connection, or to start an ended agent again
    agent: Option<String>,
    /// The version to start, installed first if need be; the current one by default
    agent_version: Option<String>,
}

#[query]
pub(crate) struct IgnoredAgentQuery {
    /// Without effect; for clients that send every request to the URL they were given
    #[serde(rename = "agent")]
    _agent: Option<String>,
    /// Without effect, as `agent`
    #[serde(rename = "agentVersion")]
    _agent_version: Option<String>,
}

/// A request for `/v1/acp/{serverId}`, by the transport that it speaks.
pub(crate) enum AcpRequest {
    /// The standard one: `Acp-Connection-Id` names the same server as the path.
    Standard(ServerId),
    /// Our own.
    Direct(ServerId),
}

impl FromRequestParts<AppState> for AcpRequest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        let id = ServerId::parse(&path_id(parts, state, "serverId").await?)?;
        match header_text(&parts.headers, &CONNECTION_ID)? {
            None => Ok(Self::Direct(id)),
            Some(named) if named == id.as_str() => Ok(Self::Standard(id)),
            Some(named) => Err(ApiError::invalid(format!(
                "header 'Acp-Connection-Id': expected '{id}', as in the path, got '{}'",
                quote(&named)
            ))),
        }
    }
}

/// Returns the text of a header, if it is there.
fn header_text(headers: &HeaderMap, name: &HeaderName) -> ApiResult<Option<String>> {
    let read = |value: &HeaderValue| {
        let text =
            value.to_str().map_err(|_| ApiError::invalid(format!("header '{name}': must be plain text")))?;
        if text.is_empty() {
            return Err(ApiError::invalid(format!("header '{name}': must not be empty")));
        }
        Ok(text.to_owned())
    };
    headers.get(name).map(read).transpose()
}

/// Lets a reader know whenever its connection could write.
fn attend(extensions: &Extensions, reader: &Reader) {
    if let Some(taken) = extensions.get::<Taken>() {
        taken.by(reader);
    }
}

/// Says which connection a response is of.
fn name_connection(response: &mut Response, id: &ServerId) {
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(CONNECTION_ID, id);
    }
}
