//! ACP over HTTP: the client-chosen server ids of `/v1/acp/{serverId}` and the standard remote transport of `/acp`.
//!
//! Which of the two a request speaks is decided by what it carries, not by its path: with `Acp-Connection-Id` it is
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
    __path_agent_delete, __path_agent_get, __path_agent_post, __path_standard_delete, __path_standard_get,
    __path_standard_post, agent_delete, agent_get, agent_post, standard_delete, standard_get, standard_post,
};

use crate::problem::{ApiError, ApiResult};
use crate::stall::Taken;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use sa_hub::{Reader, ServerId};

pub(crate) const CONNECTION_ID: HeaderName = HeaderName::from_static("acp-connection-id");
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("acp-session-id");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// What the header says, if it is there.
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

/// The id as a header value.
fn id_value(id: &ServerId) -> Option<HeaderValue> {
    HeaderValue::from_str(id.as_str()).ok()
}
