//! Failures of the model's API: those that the CLI tries again after, and those that a turn ends with.

use super::Session;
use super::turn::Turn;
use crate::core::Core;
use crate::native::answer::{Turn as NativeTurn, TurnError};
use crate::native::event::Failed;
use agent_client_protocol_schema::v1::{Error, StopReason};
use sa_acp::{Session as _, auth_required, failure};
use serde_json::{Value, json};

impl TurnError {
    /// The HTTP status that the model's API answered with.
    fn status(&self) -> Option<i64> {
        let info = self.codex_error_info.as_ref().and_then(Value::as_object);
        let told = info.and_then(|info| info.values().find_map(|about| about["httpStatusCode"].as_i64()));
        // Some versions have it only in the message.
        told.or_else(|| self.message.split_once("unexpected status ")?.1.split(' ').next()?.parse().ok())
    }

    /// Returns what the CLI calls it.
    fn name(&self) -> &str {
        match &self.codex_error_info {
            Some(Value::String(name)) => name,
            Some(Value::Object(about)) => about.keys().next().map_or("other", String::as_str),
            _ => "other",
        }
    }

    fn is_unauthorized(&self) -> bool {
        self.status() == Some(401) || self.name() == "unauthorized"
    }

    /// Returns what went wrong, for programs.
    fn kind(&self) -> &'static str {
        match (self.name(), self.status()) {
            ("contextWindowExceeded", _) => "context_window_exceeded",
            ("usageLimitExceeded", _) => "usage_limit",
            ("modelNotFound", _) => "model_not_found",
            (_, Some(403)) => "permission_denied",
            (_, Some(404)) => "model_not_found",
            (_, Some(429)) => "rate_limit",
            (_, Some(400..=499)) | ("badRequest", _) => "invalid_request",
            (_, Some(500..)) | ("internalServerError" | "serverOverloaded", _) => "server_error",
            ("httpConnectionFailed", None) => "connection_failed",
            ("sandboxError", _) => "sandbox_error",
            _ if self.message.contains("invalid_request_error") => "invalid_request",
            _ if self.message.contains("stream disconnected") || self.message.contains("idle timeout") => {
                "stream_cut"
            }
            _ => "unknown",
        }
    }

    fn error(&self) -> Error {
        if self.is_unauthorized() {
            return auth_required(self.message.clone());
        }
        failure(self.message.clone(), self.kind()).data(json!({
            "errorKind": self.kind(),
            "httpStatus": self.status(),
            "codexErrorInfo": self.codex_error_info,
            "details": self.additional_details,
        }))
    }
}

/// Returns the end of a turn.
pub(super) fn outcome(native: &NativeTurn, turn: &Turn) -> Result<StopReason, Error> {
    let is_failed = native.status.as_deref() == Some("failed") || native.error.is_some();
    if turn.is_cancelled() || (native.status.as_deref() == Some("interrupted") && !is_failed) {
        return Ok(StopReason::Cancelled);
    }
    if !is_failed {
        return Ok(StopReason::EndTurn);
    }
    let error = native.error.clone().or_else(|| turn.error.clone()).unwrap_or_default();
    // The model's answer was cut short; the CLI knows no better word for that.
    if error.message.contains("max_output_tokens") {
        return Ok(StopReason::MaxTokens);
    }
    if error.message.contains("content_filter") || error.name() == "cyberPolicy" {
        return Ok(StopReason::Refusal);
    }
    Err(error.error())
}

impl Session {
    /// The model's API failed. Nothing comes of trying again with credentials that are wrong.
    pub(super) fn on_failed(&mut self, core: &mut Core, failed: Failed) {
        if !failed.will_retry {
            let is_ours = |turn: &&mut Turn| failed.turn_id.as_deref().is_none_or(|id| turn.may_be(id));
            if let Some(turn) = self.turn.as_mut().filter(is_ours) {
                turn.error = Some(failed.error);
            }
            return;
        }
        let error = failed.error;
        if error.is_unauthorized() {
            let details = error.additional_details.clone();
            let message =
                details.unwrap_or_else(|| "The model's API refused the credentials of Codex".to_owned());
            if self.fail_turn(core, &auth_required(message)) {
                self.interrupt(core);
            }
            return;
        }
        let details = error.additional_details.clone().unwrap_or_default();
        if details.contains("content_filter") {
            // The model would refuse again and again.
            return self.refused(core);
        }
        let (attempt, of) = attempts(&error.message);
        let retry = json!({
            "attempt": attempt,
            "maxRetries": of,
            "httpStatus": error.status(),
            "message": error.message,
            "details": details,
        });
        core.io.client.api_retried(&self.conversation.id, &error.message, Some(details), retry);
    }
}

/// The numbers in words like `Reconnecting... 2/5`.
fn attempts(message: &str) -> (Option<u64>, Option<u64>) {
    let pair = message.split_whitespace().find_map(|word| word.split_once('/'));
    pair.map_or((None, None), |(attempt, of)| (attempt.parse().ok(), of.parse().ok()))
}
