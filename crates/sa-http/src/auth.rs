//! Who may come in: the token, wherever a client can put it.

use crate::attempts::Exceeded;
use crate::problem::{ApiError, ApiResult};
use crate::query;
use crate::routes::inspector::is_inspector;
use crate::state::AppState;
use axum::extract::Request;
use http::{HeaderMap, Method, Uri, header};
use sa_api::ErrorCode;
use subtle::ConstantTimeEq;

/// The credentials that clients have to present.
#[derive(Clone)]
pub enum Auth {
    /// By this token.
    Token(String),
    /// Not at all; then the Host and Origin headers are checked instead.
    Open,
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Token(_) => "Token(…)",
            Self::Open => "Open",
        })
    }
}

/// For gateways that use `Authorization` themselves.
const TOKEN_HEADER: &str = "x-sandbox-agent-token";

/// Result of authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// Everything.
    Whole,
    /// Open a stream: it proved itself by its address only.
    StreamOnly,
}

/// Lets a request in that carries the token. Every route denies by default; only liveness and the inspector's
/// files are open.
pub(crate) fn check(state: &AppState, request: &Request) -> ApiResult<Entry> {
    let Auth::Token(token) = &state.options.auth else { return Ok(Entry::Whole) };
    // Other methods than its own are refused there as such.
    let path = request.uri().path();
    let open = path == "/v1/health" || is_inspector(path);
    if open {
        return Ok(Entry::Whole);
    }
    // One by one: each of them is a guess.
    for given in tokens(request.headers()) {
        if state.compare(|| same(given, token))? {
            return Ok(Entry::Whole);
        }
    }
    if opens_stream(state, request, token)? { Ok(Entry::StreamOnly) } else { Err(refusal(request.headers())) }
}

impl AppState {
    fn compare(&self, is_right: impl FnOnce() -> bool) -> ApiResult<bool> {
        self.attempts.compare(is_right).map_err(|Exceeded| {
            let detail = "too many wrong tokens were sent; try again in a few seconds, and start the daemon with \
                          a longer token";
            ApiError::new(ErrorCode::TooManyRequests, detail)
        })
    }
}

/// Says what to do to a client that sent no token, or a wrong one.
fn refusal(headers: &HeaderMap) -> ApiError {
    const WHERE: &str = "as 'Authorization: Bearer <token>' or 'X-Sandbox-Agent-Token: <token>'";
    let detail = if tokens(headers).next().is_some() {
        format!(
            "the token is not the daemon's; send the one in SANDBOX_AGENT_TOKEN, or printed at its start, {WHERE}"
        )
    } else {
        format!("send the token {WHERE}")
    };
    ApiError::new(ErrorCode::TokenInvalid, detail)
}

/// Refuses a ticket that was sent for something else than a stream.
pub(crate) fn stream_only() -> ApiError {
    ApiError::new(ErrorCode::TokenInvalid, "a ticket opens a stream and nothing else; send the token instead")
}

/// Returns each token that the headers carry. A gateway's own `Authorization` comes last, so that it is no wrong token next to a
/// right one.
fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let bearer = headers.get_all(header::AUTHORIZATION).iter().filter_map(|value| {
        let (scheme, given) = value.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| given.trim())
    });
    let own = headers.get_all(TOKEN_HEADER).iter().filter_map(|value| value.to_str().ok());
    own.chain(bearer)
}

/// A browser cannot set headers on an `EventSource` or a WebSocket; there a ticket may be in the query. Older clients put the token
/// there, which is taken for WebSockets only.
fn opens_stream(state: &AppState, request: &Request, token: &str) -> ApiResult<bool> {
    if request.method() != Method::GET || !query::takes_ticket(request) {
        return Ok(false);
    }
    let uri = request.uri();
    if query_value(uri, "ticket").is_some_and(|ticket| state.tickets.redeem(&ticket, uri.path())) {
        return Ok(true);
    }
    match query_value(uri, "access_token") {
        Some(given) if is_websocket(request.headers()) => state.compare(|| same(&given, token)),
        _ => Ok(false),
    }
}

/// Returns whether a request asks for a WebSocket.
pub(crate) fn is_websocket(headers: &HeaderMap) -> bool {
    let upgrade = headers.get(header::UPGRADE).and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|value| value.split(',').any(|name| name.trim().eq_ignore_ascii_case("websocket")))
}

fn query_value(uri: &Uri, name: &str) -> Option<String> {
    let query: axum::extract::Query<Vec<(String, String)>> = axum::extract::Query::try_from_uri(uri).ok()?;
    query.0.into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Takes the same time wherever two texts of one length differ.
fn same(given: &str, token: &str) -> bool {
    given.as_bytes().ct_eq(token.as_bytes()).into()
}
