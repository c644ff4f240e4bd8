//! Extractors whose refusals are problems, so that handlers get values.

use crate::negotiate::{Media, check_accept};
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::extract::{FromRequestParts, RawPathParams};
use http::request::Parts;
use serde::de::DeserializeOwned;

/// The ids in the path of a request.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<AppState> for Path<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> ApiResult<Self> {
        Ok(Self(axum::extract::Path::from_request_parts(parts, state).await?.0))
    }
}

/// A request that accepts an event stream as its answer.
pub(crate) struct AcceptsEvents;

impl FromRequestParts<AppState> for AcceptsEvents {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> ApiResult<Self> {
        check_accept(&parts.headers, Media::EventStream).map(|()| Self)
    }
}

/// Returns the id of that name in the path.
pub(crate) async fn path_id(parts: &mut Parts, state: &AppState, name: &str) -> ApiResult<String> {
    let ids = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|_| ApiError::invalid("the path is not UTF-8"))?;
    let id = ids.iter().find(|(known, _)| *known == name).map(|(_, id)| id.to_owned());
    Ok(id.unwrap_or_default())
}
