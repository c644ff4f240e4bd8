//! Reading request bodies within the limit.

use crate::problem::{ApiError, ApiResult};
use axum::body::Body;
use bytes::Bytes;
use http_body::Body as _;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use sa_api::ErrorCode;

/// The whole body, if it is at most `limit` bytes.
pub(crate) async fn read(body: Body, limit: usize) -> ApiResult<Bytes> {
    let too_large = || {
        ApiError::new(
            ErrorCode::PayloadTooLarge,
            format!("the body exceeds {limit} bytes; see limits.body-bytes"),
        )
    };
    if body.size_hint().lower() > limit as u64 {
        return Err(too_large());
    }
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(error) => Err(ApiError::invalid(format!("the body could not be read: {error}"))),
    }
}
