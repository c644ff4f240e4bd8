//! Requests that cannot be read, as problems.

use super::ApiError;
use crate::query;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;

impl From<QueryRejection> for ApiError {
    /// Queries were checked before, so this is for values that only their handler can judge.
    fn from(rejection: QueryRejection) -> Self {
        let text = rejection.body_text();
        let parts: Vec<&str> = text.splitn(3, ": ").collect();
        match parts[..] {
            [_, name, _] => query::refusal(name, "not a value that this parameter takes"),
            _ => Self::invalid("the query could not be read"),
        }
    }
}

impl From<PathRejection> for ApiError {
    fn from(_: PathRejection) -> Self {
        Self::invalid("the path is not UTF-8")
    }
}

/// A request that should have been a WebSocket's handshake.
impl From<WebSocketUpgradeRejection> for ApiError {
    fn from(rejection: WebSocketUpgradeRejection) -> Self {
        Self::invalid(match rejection {
            WebSocketUpgradeRejection::InvalidWebSocketVersionHeader(_) => {
                "unsupported WebSocket version: send 'Sec-WebSocket-Version: 13'"
            }
            _ => {
                "this operation is a WebSocket: send 'Connection: Upgrade', 'Upgrade: websocket', \
                 'Sec-WebSocket-Version: 13' and 'Sec-WebSocket-Key'"
            }
        })
    }
}
