//! Ids of requests, in the header `X-Request-Id` of every answer and in the log.

use axum::extract::Request;
use axum::response::Response;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use uuid::Uuid;

const HEADER: HeaderName = HeaderName::from_static("x-request-id");

/// Longest id that is taken from a client.
const MOST_BYTES: usize = 128;

/// Id, method and path of a request that is being served.
pub(crate) struct RequestId {
    id: HeaderValue,
    method: Method,
    path: String,
}

impl RequestId {
    /// Returns the id that the client or a gateway chose, or a new one.
    pub(crate) fn of(request: &Request) -> Self {
        let given = request.headers().get(HEADER).filter(|id| is_acceptable(id)).cloned();
        let id = given.unwrap_or_else(|| {
            let mut buffer = Uuid::encode_buffer();
            let text = Uuid::now_v7().simple().encode_lower(&mut buffer);
            HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("unknown"))
        });
        Self { id, method: request.method().clone(), path: request.uri().path().to_owned() }
    }

    /// Puts the id on the answer, and into the log if the request failed.
    pub(crate) fn answered(self, mut response: Response) -> Response {
        let status = response.status();
        let id = self.id.to_str().unwrap_or_default();
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(request = id, method = %self.method, path = self.path, "a request failed");
        } else if status.is_client_error() || status.is_server_error() {
            let status = status.as_u16();
            tracing::debug!(request = id, method = %self.method, path = self.path, status, "a request failed");
        }
        response.headers_mut().insert(HEADER, self.id);
        response
    }
}

/// The id goes into headers and logs, so only visible ASCII is accepted.
fn is_acceptable(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    (1..=MOST_BYTES).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
}
