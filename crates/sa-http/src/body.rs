//! Reading request bodies: piece by piece, within the limit, and as JSON.

use crate::complaint;
use crate::negotiate::check_json_body;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use bytes::{Bytes, BytesMut};
use http_body::Body as _;
use http_body_util::BodyExt;
use sa_api::ErrorCode;
use sa_files::FilesError;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Bytes of a refused body that are read, so that the client gets to see why it was refused.
const DRAINED_BYTES: usize = 128 * 1024 * 1024;
/// And for how long.
const DRAIN: Duration = Duration::from_secs(2);

/// A request's body, piece by piece, with an end to waiting for it.
pub(crate) struct Incoming {
    body: Body,
    stall: Duration,
}

impl Incoming {
    pub(crate) fn new(state: &AppState, body: Body) -> Self {
        Self { body, stall: state.services.files.limits().body_stall() }
    }

    /// Returns the next bytes; nothing at the end.
    pub(crate) async fn next(&mut self) -> ApiResult<Option<Bytes>> {
        loop {
            let frame = tokio::time::timeout(self.stall, self.body.frame()).await.map_err(|_| {
                FilesError::Stalled(u64::try_from(self.stall.as_millis()).unwrap_or(u64::MAX))
            })?;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(error)) => {
                    return Err(ApiError::invalid(format!("the body could not be read: {error}")));
                }
            }
        }
    }

    /// Reads everything, if it is at most as long as this.
    async fn whole(&mut self, limit: usize) -> ApiResult<Bytes> {
        let too_large = || {
            ApiError::new(
                ErrorCode::PayloadTooLarge,
                format!("the body exceeds {limit} bytes; see limits.body-bytes"),
            )
        };
        let announced = self.body.size_hint().lower();
        if announced > limit as u64 {
            return Err(too_large());
        }
        let Some(first) = self.next().await? else { return Ok(Bytes::new()) };
        if first.len() as u64 == announced && first.len() <= limit {
            // Most bodies come in one piece, which needs no copy.
            return match self.next().await? {
                None => Ok(first),
                Some(_) => Err(too_large()),
            };
        }
        let mut whole = BytesMut::from(first);
        while whole.len() <= limit {
            match self.next().await? {
                Some(more) => whole.extend_from_slice(&more),
                None => return Ok(whole.freeze()),
            }
        }
        Err(too_large())
    }

    /// Ends a request that has what it takes of its body. The rest of a body that was refused is read for a while.
    pub(crate) async fn settle<T>(self, received: ApiResult<T>) -> ApiResult<T> {
        if received.is_err() {
            self.drain().await;
        }
        received
    }

    /// Reads on for a while: many clients look at the answer only when they have sent everything.
    async fn drain(mut self) {
        let reading = async {
            let mut read = 0;
            while read < DRAINED_BYTES {
                match self.next().await {
                    Ok(Some(bytes)) => read += bytes.len(),
                    Ok(None) | Err(_) => break,
                }
            }
        };
        // The answer comes now, at the end of the body or of the time for it.
        let _ = tokio::time::timeout(DRAIN, reading).await;
    }
}

/// Reads the whole body, if it is at most as long as the limit for bodies.
pub(crate) async fn read(state: &AppState, body: Body) -> ApiResult<Bytes> {
    let mut body = Incoming::new(state, body);
    let received = body.whole(state.options.limits.body_bytes).await;
    body.settle(received).await
}

/// A body that is a JSON object of that shape.
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> ApiResult<Self> {
        check_json_body(request.headers())?;
        parse(&read(state, request.into_body()).await?).map(Self)
    }
}

/// A JSON object of that shape, or an empty body, which stands for the defaults.
pub(crate) struct OptionalJsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned + Default> FromRequest<AppState> for OptionalJsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        let bytes = read(state, body).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        check_json_body(&parts.headers)?;
        parse(&bytes).map(Self)
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    // Only an object says which value is which; a list would be taken member by member.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(ApiError::invalid("the body must be a JSON object"));
    }
    complaint::read(bytes).map_err(ApiError::invalid)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::parse;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        inner: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Inner {
        wait_ms: u64,
    }

    fn refusal(body: &str) -> String {
        parse::<Outer>(body.as_bytes()).unwrap_err().0.detail
    }

    #[test]
    fn a_refusal_names_the_member() {
        let outer: Outer = parse(b" {\"inner\":[{\"waitMs\":1}]} ").unwrap();
        assert_eq!(outer.inner[0].wait_ms, 1);
        let wrong = refusal(r#"{"inner":[{"waitMs":1},{"waitMs":"soon"}]}"#);
        assert_eq!(wrong, "member 'inner[1].waitMs': expected a whole number, 0 or more, got 'soon'");
    }

    #[test]
    fn only_one_whole_object_is_taken() {
        for other in ["", "null", "[[]]", "\"x\"", "1"] {
            assert_eq!(refusal(other), "the body must be a JSON object", "{other}");
        }
        for broken in ["{", "{\"inner\":[}", "{\"inner\":[]} {}"] {
            assert!(
                refusal(broken).starts_with("the body is not valid JSON"),
                "{broken}: {}",
                refusal(broken)
            );
        }
        assert_eq!(refusal("{\"inner\":[],\"inner\":[]}"), "member 'inner' is given more than once");
    }
}
