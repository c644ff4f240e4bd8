//! The web inspector at `/ui/`. Its files are public: they hold nothing but the program, which asks for the token itself.

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use sa_inspector::{Encoding, File, Lifetime};

use crate::problem::ApiError;
use crate::state::AppState;
use sa_api::ErrorCode;

/// Headers of every file, next to the policy.
const FIXED: [(HeaderName, &str); 3] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::VARY, "Accept-Encoding"),
];

/// The routes, which are not part of the API.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/ui", get(|| async { Redirect::permanent("/ui/") }))
        .route("/ui/", get(|headers: HeaderMap| async move { serve("", &headers) }))
        .route(
            "/ui/{*path}",
            get(|Path(path): Path<String>, headers: HeaderMap| async move { serve(&path, &headers) }),
        )
}

/// Returns true if a path is the inspector's, which needs no token.
pub(crate) fn is_inspector(path: &str) -> bool {
    path == "/ui" || path.starts_with("/ui/")
}

fn serve(path: &str, headers: &HeaderMap) -> Response {
    let Some(file) = sa_inspector::file(path) else {
        return ApiError::new(ErrorCode::NotFound, format!("there is nothing at /ui/{path}")).into_response();
    };
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let is_known = known
        .is_some_and(|known| known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == file.etag));
    let mut response =
        if is_known { StatusCode::NOT_MODIFIED.into_response() } else { whole(&file, headers) };
    describe(&file, response.headers_mut());
    response
}

fn whole(file: &File, headers: &HeaderMap) -> Response {
    let (encoding, content) = file.content(accepted(headers));
    let mut response = content.into_owned().into_response();
    let fields = response.headers_mut();
    fields.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    match encoding {
        Encoding::Brotli => fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br")),
        Encoding::Gzip => fields.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip")),
        Encoding::Identity => None,
    };
    response
}

fn describe(file: &File, fields: &mut HeaderMap) {
    let lifetime = match file.lifetime {
        Lifetime::Immutable => "public, max-age=31536000, immutable",
        Lifetime::Revalidate => "no-cache",
    };
    fields.insert(header::CACHE_CONTROL, HeaderValue::from_static(lifetime));
    fields.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(sa_inspector::content_security_policy()),
    );
    for (name, value) in FIXED {
        fields.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(etag) = HeaderValue::from_str(&file.etag) {
        fields.insert(header::ETAG, etag);
    }
}

/// Returns the smallest encoding that the client accepts. One with a weight of 0 is refused.
fn accepted(headers: &HeaderMap) -> Encoding {
    let listed = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let names: Vec<&str> = listed
        .flat_map(|value| value.split(','))
        .filter_map(|entry| {
            let (name, weight) = entry.split_once(';').unwrap_or((entry, ""));
            let is_refused =
                weight.trim().strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()) == Some(0.0);
            (!is_refused).then(|| name.trim())
        })
        .collect();
    let takes = |encoding: &str| names.iter().any(|name| name.eq_ignore_ascii_case(encoding));
    if takes("br") {
        Encoding::Brotli
    } else if takes("gzip") {
        Encoding::Gzip
    } else {
        Encoding::Identity
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn choose(value: &str) -> Encoding {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, value.parse().unwrap());
        accepted(&headers)
    }

    #[test]
    fn the_smallest_encoding_that_is_accepted_is_chosen() {
        assert_eq!(choose("gzip, deflate, br, zstd"), Encoding::Brotli);
        assert_eq!(choose("gzip;q=1.0, br;q=0"), Encoding::Gzip);
        assert_eq!(choose("identity"), Encoding::Identity);
        assert_eq!(accepted(&HeaderMap::new()), Encoding::Identity);
    }

    #[test]
    fn the_page_has_its_policy_and_can_be_revalidated() {
        let page = serve("", &HeaderMap::new());
        assert_eq!(page.status(), StatusCode::OK);
        assert!(
            page.headers()[header::CONTENT_SECURITY_POLICY]
                .to_str()
                .unwrap()
                .starts_with("default-src 'none'")
        );
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, page.headers()[header::ETAG].clone());
        assert_eq!(serve("", &headers).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(serve("nothing.js", &headers).status(), StatusCode::NOT_FOUND);
    }
}
