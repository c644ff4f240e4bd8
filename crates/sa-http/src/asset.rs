//! Content that is part of the binary. It is stored compressed and served with an entity tag.

use crate::negotiate::{accepts_encoding, elements};
use crate::problem::{ApiError, ApiResult};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use sa_api::ErrorCode;
use std::io::Read;

/// A file of the binary.
pub(crate) struct Asset {
    pub(crate) content_type: &'static str,
    /// `Cache-Control` of the answer.
    pub(crate) cache: &'static str,
    /// A weak entity tag: all forms of the content share it.
    pub(crate) etag: &'static str,
    pub(crate) content: Content,
}

/// The forms in which the binary has a file.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    Plain(&'static str),
    Gzip(&'static [u8]),
}

impl Asset {
    /// Answers with the smallest form that the client accepts, or with 304 if the client has the file.
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
        let (encoding, content) = self.content.encoded(headers)?;
        if let Some(encoding) = encoding {
            fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        *response.body_mut() = Body::from(content);
        Ok(response)
    }

    fn is_known(&self, headers: &HeaderMap) -> bool {
        let strong = self.etag.trim_start_matches("W/");
        elements(headers, &header::IF_NONE_MATCH)
            .any(|tag| tag == "*" || tag.trim_start_matches("W/") == strong)
    }
}

impl Content {
    fn encoded(self, headers: &HeaderMap) -> ApiResult<(Option<&'static str>, Bytes)> {
        Ok(match self {
            Self::Plain(text) => (None, Bytes::from_static(text.as_bytes())),
            Self::Gzip(gzip) if accepts_encoding(headers, "gzip") => (Some("gzip"), Bytes::from_static(gzip)),
            Self::Gzip(gzip) => (None, decompress(gzip)?),
        })
    }
}

fn decompress(gzip: &[u8]) -> ApiResult<Bytes> {
    let mut plain = Vec::new();
    GzDecoder::new(gzip)
        .read_to_end(&mut plain)
        .map_err(|error| ApiError::new(ErrorCode::Internal, format!("cannot decompress: {error}")))?;
    Ok(plain.into())
}
