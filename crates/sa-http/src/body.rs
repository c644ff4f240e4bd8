//! Reading request bodies: within the limit, and as JSON.

use crate::negotiate::check_json_body;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::body::Body;
use bytes::Bytes;
use http::HeaderMap;
use http_body::Body as _;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use sa_api::ErrorCode;
use serde::de::DeserializeOwned;

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

/// The body as a JSON object of that shape.
pub(crate) async fn read_json<T: DeserializeOwned>(
    state: &AppState,
    headers: &HeaderMap,
    body: Body,
) -> ApiResult<T> {
    check_json_body(headers)?;
    parse(&read(body, state.hub.limits().body_bytes).await?)
}

/// The same, where no body at all asks for what is usual.
pub(crate) async fn read_json_or_default<T: DeserializeOwned + Default>(
    state: &AppState,
    headers: &HeaderMap,
    body: Body,
) -> ApiResult<T> {
    let bytes = read(body, state.hub.limits().body_bytes).await?;
    if bytes.is_empty() {
        return Ok(T::default());
    }
    check_json_body(headers)?;
    parse(&bytes)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    // Only an object says which value is which; a list would be taken member by member.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(ApiError::invalid("the body must be a JSON object"));
    }
    let broken = |error: &serde_json::Error| ApiError::invalid(format!("the body: {error}"));
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        match error.inner() {
            // The path of the object itself is a point.
            inner if inner.is_data() && path != "." => ApiError::invalid(format!("{path}: {inner}")),
            inner => broken(inner),
        }
    })?;
    json.end().map_err(|error| broken(&error))?;
    Ok(value)
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
        assert!(wrong.starts_with("inner[1].waitMs: invalid type: string \"soon\", expected u64"), "{wrong}");
        assert!(refusal(r#"{"inner":[{}]}"#).starts_with("inner[0]: missing field `waitMs`"));
        assert!(refusal(r#"{"iner":[]}"#).starts_with("iner: unknown field `iner`"));
        assert!(refusal("{}").starts_with("the body: missing field `inner`"));
    }

    #[test]
    fn only_one_whole_object_is_taken() {
        for other in ["", "null", "[[]]", "\"x\"", "1"] {
            assert_eq!(refusal(other), "the body must be a JSON object", "{other}");
        }
        for broken in ["{", "{\"inner\":[}", "{\"inner\":[]} {}", "{\"inner\":[],\"inner\":[]}"] {
            assert!(refusal(broken).starts_with("the body: "), "{broken}: {}", refusal(broken));
        }
    }
}
