//! The end of a process of the CLI and of a session, and errors.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{Error, StopReason};
use sa_acp::{Ended, auth_required, failure, model_error, process_ended};

/// The CLI's message when it cannot talk to its service.
const UNREACHABLE: [&str; 5] =
    ["cannot reach amp", "fetch failed", "econnrefused", "enotfound", "unable to connect"];

/// The CLI's message when its service does not know the user.
const UNKNOWN_USER: [&str; 5] =
    ["no api key found", "unauthorized", "invalid api key", "check your access token", "not logged in"];

impl Session {
    /// Handles the exit of the process.
    pub(super) fn on_process_end(&mut self, core: &mut Core, ended: &Ended) {
        let Some(child) = self.child.take() else { return };
        self.drop_asks(core);
        self.tools.close(&mut core.io.client, &self.conversation.id, "The process of Amp ended");
        if self.closed(core) {
            return;
        }
        if let Some(turn) = self.turn.take() {
            let outcome = if turn.is_cancelled() {
                Ok(StopReason::Cancelled)
            } else {
                Err(explain(ended, child.complaint.as_deref().unwrap_or_default()))
            };
            self.finish_prompt(core, &turn, outcome);
        } else if !child.is_ending() {
            tracing::warn!(session = %self.conversation.id, code = ended.code, signal = ended.signal, "amp ended by itself");
        }
    }

    /// Answers the requests to close the session. Returns `false` if there are none.
    pub(super) fn closed(&mut self, core: &mut Core) -> bool {
        if !self.conversation.is_closing() {
            return false;
        }
        self.deletes = self.conversation.close(&mut core.io.client);
        true
    }
}

/// Returns the error for a process that ended before its work was done; `printed` is its other output.
pub(crate) fn explain(ended: &Ended, printed: &str) -> Error {
    let last = printed.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let plain = process_ended("Amp", ended, None);
    let said = process_ended("Amp", ended, last.filter(|_| ended.stderr.trim().is_empty()));
    let words = format!("{}\n{}\n{}", ended.stderr, printed, plain.message).to_lowercase();
    let mut error = if says(&words, &UNKNOWN_USER) {
        auth_required(said.message)
    } else if says(&words, &UNREACHABLE) {
        let message =
            format!("Amp's service cannot be reached, and Amp does nothing without it ({})", plain.message);
        failure(message, "service_unreachable")
    } else {
        return said;
    };
    if let (Some(data), Some(mut details)) = (&mut error.data, plain.data) {
        details["errorKind"] = data["errorKind"].take();
        *data = details;
    }
    error
}

fn says(words: &str, any: &[&str]) -> bool {
    any.iter().any(|known| words.contains(known))
}

/// Returns the error for a failed turn, from the CLI's own words.
pub(crate) fn turn_error(words: &str) -> Error {
    let error = model_error(words);
    let lower = words.to_lowercase();
    if says(&lower, &UNKNOWN_USER) {
        return auth_required(error.message);
    }
    if says(&lower, &UNREACHABLE) {
        let message = format!("Amp's service cannot be reached: {}", error.message);
        return failure(message, "service_unreachable");
    }
    error
}
