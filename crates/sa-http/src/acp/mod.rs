//! ACP over HTTP: the client-chosen server ids of `/v1/acp/{serverId}` and the standard remote transport of `/acp`.
//!
//! Which of the two a request speaks is decided by what it carries, not by its path: with `Acp-Connection-Id` it is
//! the standard one, whose connection ids are our server ids.

mod answer;
pub(crate) mod events;
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
use crate::query::quote;
use crate::stall::Taken;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use sa_hub::{Reader, ServerId};

pub(crate) const CONNECTION_ID: HeaderName = HeaderName::from_static("acp-connection-id");
pub(crate) const SESSION_ID: HeaderName = HeaderName::from_static("acp-session-id");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// What the header says, if it is there.
fn header_text(headers: &HeaderMap, name: &HeaderName) -> ApiResult<Option<String>> {
    let read = |value: &HeaderValue| {
        let text =
            value.to_str().map_err(|_| ApiError::invalid(format!("header '{name}': must be plain text")))?;
        if text.is_empty() && *name != LAST_EVENT_ID {
            return Err(ApiError::invalid(format!("header '{name}': must not be empty")));
        }
        Ok(text.to_owned())
    };
    headers.get(name).map(read).transpose()
}

/// Where the client wants to go on.
pub(crate) fn last_event_id(headers: &HeaderMap, query: Option<&str>) -> ApiResult<Option<u64>> {
    let header = header_text(headers, &LAST_EVENT_ID)?;
    let Some(text) = header.as_deref().or(query).map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let wrong = || {
        let place = if header.is_some() { "header 'Last-Event-ID'" } else { "query parameter 'lastEventId'" };
        ApiError::invalid(format!("{place}: expected a whole number, 0 or more, got '{}'", quote(text)))
    };
    // Numbers of the contract fit into 64 bits with a sign.
    let id = text.parse().ok().filter(|id| i64::try_from(*id).is_ok());
    id.map(Some).ok_or_else(wrong)
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
