//! Requests that cannot be read, as problems.

use super::ApiError;
use axum::extract::rejection::PathRejection;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;

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
