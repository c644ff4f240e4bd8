//! Host and Origin rules of a daemon without a token: only programs on this machine, or names it was given, may talk
//! to it. A web page that rebinds its own name to loopback, or simply calls loopback, is turned away.

use crate::auth::Auth;
use crate::problem::{ApiError, ApiResult};
use crate::state::AppState;
use axum::extract::Request;
use http::uri::Authority;
use http::{HeaderMap, header};
use sa_api::ErrorCode;
use std::net::IpAddr;

/// The relation of a request to the page that made it; only browsers send it, and pages cannot change it.
const SEC_FETCH_SITE: header::HeaderName = header::HeaderName::from_static("sec-fetch-site");

/// Refuses foreign hosts and origins when nothing else protects the daemon.
pub(crate) fn check(state: &AppState, request: &Request) -> ApiResult<()> {
    if !matches!(state.options.auth, Auth::Open) {
        return Ok(());
    }
    allowed(state, request).map_err(|detail| ApiError::new(ErrorCode::PermissionDenied, detail))
}

fn allowed(state: &AppState, request: &Request) -> Result<(), String> {
    let host = host_of(request).ok_or("the request has no usable Host header")?;
    let name = host.host();
    if !is_loopback(name) && !state.options.allow_hosts.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Err(format!(
            "without a token only loopback may be addressed, not '{name}'; see --allow-host"
        ));
    }
    if !request.headers().contains_key(header::ORIGIN) {
        return match text(request.headers(), SEC_FETCH_SITE) {
            // Browsers send no Origin with images, scripts and links, but they do say where a request comes from.
            Some(site) if !matches!(site, "same-origin" | "none") => Err(format!(
                "without a token requests of other sites ({site}) are refused; see --cors-allow-origin"
            )),
            _ => Ok(()),
        };
    }
    let origin = text(request.headers(), header::ORIGIN).unwrap_or("(not text)");
    if state.options.cors.allows(origin) || is_same_origin(origin, &host) {
        return Ok(());
    }
    Err(format!("without a token the origin '{origin}' is refused; see --cors-allow-origin"))
}

fn host_of(request: &Request) -> Option<Authority> {
    let given =
        text(request.headers(), header::HOST).or_else(|| request.uri().authority().map(Authority::as_str))?;
    given.parse().ok()
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.to_ascii_lowercase().ends_with(".localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn is_same_origin(origin: &str, host: &Authority) -> bool {
    let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host.as_str()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn loopback_is_known_by_every_name() {
        for host in ["localhost", "LOCALHOST", "app.localhost", "127.0.0.1", "127.9.9.9", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example.org", "10.0.0.1", "0.0.0.0", "[::2]", "127.0.0.1.nip.io"] {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn only_the_served_page_is_of_the_same_origin() {
        let host: Authority = "127.0.0.1:2468".parse().unwrap();
        assert!(is_same_origin("http://127.0.0.1:2468", &host));
        assert!(!is_same_origin("http://127.0.0.1:9999", &host));
        assert!(!is_same_origin("null", &host));
    }
}
