//! Failures of the model's API: those that the server tries again after, and those that a turn ends with.

use super::Session;
use crate::core::Core;
use crate::limits::RETRIES;
use crate::native::event::Retry;
use crate::native::message::{Failure, Message};
use agent_client_protocol_schema::v1::{Error, StopReason};
use sa_acp::{auth_required, failure};
use serde_json::json;

/// Returns the kind of an error, as far as its message shows it.
fn kind_of(words: &str) -> &'static str {
    let words = words.to_lowercase();
    let has = |all: &[&str]| all.iter().any(|word| words.contains(word));
    if has(&["rate limit", "rate_limit", "too many requests", "429", "quota"]) {
        "rate_limit"
    } else if has(&["model not found", "modelnotfound"]) {
        "model_not_found"
    } else if has(&["overloaded", "server error", "unavailable", "500", "502", "503", "529"]) {
        "server_error"
    } else if has(&["connect", "network", "socket", "fetch failed", "timed out", "timeout"]) {
        "connection_failed"
    } else {
        "unknown"
    }
}

impl Failure {
    fn kind(&self) -> &'static str {
        match (self.name.as_str(), self.status()) {
            ("ContextOverflowError", _) => "context_window_exceeded",
            (_, Some(403)) => "permission_denied",
            (_, Some(404)) => "model_not_found",
            (_, Some(429)) => "rate_limit",
            (_, Some(400..=499)) => "invalid_request",
            (_, Some(500..)) => "server_error",
            _ => kind_of(self.message()),
        }
    }

    fn error(&self) -> Error {
        if self.status() == Some(401) || self.name == "ProviderAuthError" {
            return auth_required(self.message());
        }
        failure(self.message(), self.kind()).data(json!({
            "errorKind": self.kind(),
            "errorName": self.name,
            "httpStatus": self.status(),
            "responseBody": self.data["responseBody"],
        }))
    }
}

/// Returns the end of a turn by a failure.
pub(super) fn ended_by(failure: &Failure) -> Result<StopReason, Error> {
    match failure.name.as_str() {
        "MessageAbortedError" => Ok(StopReason::Cancelled),
        "MessageOutputLengthError" => Ok(StopReason::MaxTokens),
        "ContentFilterError" => Ok(StopReason::Refusal),
        _ => Err(failure.error()),
    }
}

impl Session {
    /// Returns the end of a turn by its last message.
    pub(super) fn outcome(&self, message: &Message) -> Result<StopReason, Error> {
        if let Some(error) = &message.error {
            return ended_by(error);
        }
        Ok(match message.finish.as_deref() {
            Some("length") => StopReason::MaxTokens,
            Some("content-filter") => StopReason::Refusal,
            _ => StopReason::EndTurn,
        })
    }

    /// Handles another attempt after a failure of the model's API. The server itself would never give up.
    pub(super) fn on_retried(&mut self, core: &mut Core, retry: &Retry) {
        if retry.attempt > RETRIES {
            let kind = kind_of(&retry.message);
            let details = json!({ "errorKind": kind, "attempts": retry.attempt });
            return self.fail_turn(core, &failure(retry.message.clone(), kind).data(details));
        }
        let about = json!({
            "attempt": retry.attempt,
            "maxRetries": RETRIES,
            "message": retry.message,
            "next": retry.next,
        });
        core.io.client.api_retried(&self.conversation.id, &retry.message, None, about);
    }
}
