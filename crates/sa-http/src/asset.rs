//! Content that is part of the binary. It is stored compressed and served with an entity tag.

use crate::negotiate::accepts_gzip;
use crate::problem::{ApiError, ApiResult};
use axum::body::Body;
use axum::response::Response;
use flate2::read::GzDecoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sa_api::ErrorCode;
use std::io::Read;

/// A file of the binary.
pub(crate) struct Asset {
    pub(crate) content_type: &'static str,
    /// `Cache-Control` of the answer.
    pub(crate) cache: &'static str,
    /// A weak entity tag: the compressed and the plain form share it.
    pub(crate) etag: &'static str,
    pub(crate) gzip: &'static [u8],
}

impl Asset {
    /// Answers with the content, compressed if the client accepts that, or with 304 if the client has it.
    pub(crate) fn respond(&self, headers: &HeaderMap) -> ApiResult<Response> {
        let mut response = Response::new(Body::empty());
        let fields = response.headers_mut();
        fields.insert(header::ETAG, HeaderValue::from_static(self.etag));
        fields.insert(header::CACHE_CONTROL, HeaderValue::from_static(self.cache));
        fields.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if self.is_known(headers) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return Ok(response);
        }
        fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        *response.body_mut() = if accepts_gzip(headers) {
            fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Body::from(self.gzip)
        } else {
            Body::from(self.plain()?)
        };
        Ok(response)
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let strong = self.etag.trim_start_matches("W/");
        headers
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/") == strong)
    }

    fn plain(&self) -> ApiResult<Vec<u8>> {
        let mut plain = Vec::new();
        GzDecoder::new(self.gzip)
            .read_to_end(&mut plain)
            .map_err(|error| ApiError::new(ErrorCode::Internal, format!("cannot decompress: {error}")))?;
        Ok(plain)
    }
}
