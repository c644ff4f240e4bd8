//! All that handlers are written with, in one place.

pub(crate) use crate::body::{Incoming, JsonBody, OptionalJsonBody};
pub(crate) use crate::extract::{AcceptsEvents, Path, path_id};
pub(crate) use crate::problem::{ApiError, ApiResult};
pub(crate) use crate::state::AppState;
pub(crate) use axum::Json;
pub(crate) use axum::body::Body;
pub(crate) use axum::extract::{FromRequestParts, Request};
pub(crate) use axum::response::{IntoResponse, Response};
pub(crate) use http::request::Parts;
pub(crate) use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
pub(crate) use sa_api::{ErrorCode, Problem};
pub(crate) use sa_api_macros::{operation, query};
