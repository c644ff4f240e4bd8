//! ACP over HTTP: the client-chosen server ids of `/v1/acp/{serverId}` and the standard remote transport of `/acp`.
//!
//! The headers of a request decide which of the two it speaks, not its path: with `Acp-Connection-Id` it is
//! the standard one, whose connection ids are our server ids.

mod answer;
mod events;
mod opening;
mod preference;
mod scoped;
mod servers;
mod socket;
mod standard;

pub(crate) use servers::{
    __path_delete, __path_list, __path_post, __path_stream, delete, list, post, stream,
};
pub(crate) use standard::{
    __path_standard_delete, __path_standard_get, __path_standard_post, standard_delete, standard_get,
    standard_post,
};

use crate::problem::{ApiError, ApiResult};
use crate::query::quote;
use crate::stall::Taken;
use crate::state::AppState;
use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use sa_hub::{Reader, ServerId};

pub(crate) const CONNECTION_ID: HeaderName = HeaderName::from_static("acp-connection-id");
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("acp-session-id");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

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
        let Path(path) = Path::<String>::from_request_parts(parts, state).await?;
        let id = ServerId::parse(&path)?;
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

fn id_value(id: &ServerId) -> Option<HeaderValue> {
    HeaderValue::from_str(id.as_str()).ok()
}
