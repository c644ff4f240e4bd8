//! The web inspector at `/ui/`. Its files are public: they hold nothing but the program, which asks for the token itself.

use crate::asset::{Asset, Content};
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::Router;
use axum::extract::Path;
use axum::response::{Redirect, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use sa_api::ErrorCode;
use sa_inspector::{CONTENT_SECURITY_POLICY, File, MISSING_PAGE};

const PAGE: &str = "index.html";

/// Headers of every file.
const FIXED: [(HeaderName, &str); 3] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// The page of a daemon that was built without the inspector.
const MISSING: Asset = Asset {
    content_type: "text/html; charset=utf-8",
    cache: "no-cache",
    etag: concat!("W/\"", env!("CARGO_PKG_VERSION"), "\""),
    content: Content::Plain(MISSING_PAGE),
};

/// The routes, which are not part of the API.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        // Relative, because a gateway may serve the daemon below a path of its own.
        .route("/ui", get(|| async { Redirect::permanent("ui/") }))
        .route("/ui/", get(|headers: HeaderMap| async move { serve(PAGE, &headers) }))
        .route(
            "/ui/{*path}",
            get(|Path(path): Path<String>, headers: HeaderMap| async move { serve(&path, &headers) }),
        )
}

/// Returns true if a path is the inspector's, which needs no token.
pub(crate) fn is_inspector(path: &str) -> bool {
    path == "/ui" || path.starts_with("/ui/")
}

fn serve(path: &str, headers: &HeaderMap) -> ApiResult<Response> {
    let file = sa_inspector::file(path).map(asset);
    let missing = (path == PAGE).then_some(MISSING);
    let asset = file
        .or(missing)
        .ok_or_else(|| ApiError::new(ErrorCode::NotFound, format!("there is nothing at /ui/{path}")))?;
    let mut response = asset.respond(headers)?;
    for (name, value) in FIXED {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

fn asset(file: &'static File) -> Asset {
    // The build puts a hash of the content into the names of assets.
    let is_immutable = file.path.starts_with("assets/");
    Asset {
        content_type: content_type(file.path),
        cache: if is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" },
        etag: file.etag,
        content: Content::Gzip(file.gzip),
    }
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use http::StatusCode;

    #[test]
    fn the_page_has_its_policy_and_can_be_revalidated() {
        let page = serve(PAGE, &HeaderMap::new()).unwrap();
        assert_eq!(page.status(), StatusCode::OK);
        let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!page.headers().contains_key(header::CONTENT_ENCODING));
        let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, page.headers()[header::ETAG].clone())]);
        let known = serve(PAGE, &headers).unwrap();
        assert_eq!(known.status(), StatusCode::NOT_MODIFIED);
        assert!(known.headers().contains_key(header::CONTENT_SECURITY_POLICY));
    }

    #[test]
    fn other_paths_have_nothing() {
        for path in ["nothing.js", "../Cargo.toml", ""] {
            assert!(serve(path, &HeaderMap::new()).is_err(), "{path}");
        }
    }
}
