//! Questions that outlive the daemon.
//!
//! A question ends with the process that asked it. An agent that resumes its own session may ask the same again; clients then see
//! it under the id that they know, open once more.

use super::machine::Machine;
use crate::record::Unanswered;
use base64::prelude::{BASE64_STANDARD, Engine};
use sa_api::Timestamp;
use sa_api::sessions::{PermissionRequest, QuestionRequest};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// A request of the agent's, as clients see it.
pub(super) trait Request: Clone + Serialize {
    /// Returns its id, and what is not the same when it is asked again: its turn and the end of its time.
    fn circumstances(&mut self) -> (&mut String, &mut Option<String>, &mut Option<Timestamp>);
}

impl Request for QuestionRequest {
    fn circumstances(&mut self) -> (&mut String, &mut Option<String>, &mut Option<Timestamp>) {
        (&mut self.id, &mut self.turn_id, &mut self.expires_at)
    }
}

impl Request for PermissionRequest {
    fn circumstances(&mut self) -> (&mut String, &mut Option<String>, &mut Option<Timestamp>) {
        (&mut self.id, &mut self.turn_id, &mut self.expires_at)
    }
}

impl Machine {
    /// Keeps what is open, so that it can be recognized if it is asked again.
    pub(super) fn note_unanswered(&mut self) {
        let questions = self.record.questions.iter().map(|open| unanswered(&open.request));
        let permissions = self.record.permissions.iter().map(unanswered);
        let open: Vec<Unanswered> = questions.chain(permissions).collect();
        // After two restarts in a row, what was open before the first one is still unanswered.
        if !open.is_empty() {
            self.record.unanswered = open;
        }
    }

    /// Gives a request the id it had before the daemon was restarted, if it is the same.
    pub(super) fn recognize<R: Request>(&mut self, request: &mut R) {
        if self.record.unanswered.is_empty() {
            return;
        }
        let fingerprint = fingerprint(request);
        let known = self.record.unanswered.iter().position(|before| before.fingerprint == fingerprint);
        if let Some(known) = known {
            let before = self.record.unanswered.swap_remove(known);
            self.asks.reopen(&before.id);
            *request.circumstances().0 = before.id;
        }
    }
}

fn unanswered<R: Request>(request: &R) -> Unanswered {
    let id = request.clone().circumstances().0.clone();
    Unanswered { id, fingerprint: fingerprint(request) }
}

fn fingerprint<R: Request>(request: &R) -> String {
    let mut content = request.clone();
    let (id, turn_id, expires_at) = content.circumstances();
    id.clear();
    (*turn_id, *expires_at) = (None, None);
    let content = serde_json::to_vec(&content).unwrap_or_default();
    BASE64_STANDARD.encode(Sha256::digest(&content))
}
