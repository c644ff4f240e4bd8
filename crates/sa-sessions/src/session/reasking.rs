//! Questions that outlive the daemon.
//!
//! A question ends with the process that asked it. An agent that resumes its own session may ask the same again; clients then see
//! it under the id that they know, open once more.

use super::machine::Machine;
use crate::record::Unanswered;
use base64::prelude::{BASE64_STANDARD, Engine};
use sa_api::sessions::{PermissionRequest, QuestionRequest};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// A request of the agent's, as clients see it.
pub(super) trait Request: Clone + Serialize {
    /// Takes out everything that is not the same when it is asked again.
    fn forget_circumstances(&mut self);
    /// The id that clients know.
    fn id_mut(&mut self) -> &mut String;
}

impl Request for QuestionRequest {
    fn forget_circumstances(&mut self) {
        (self.turn_id, self.expires_at) = (None, None);
        self.id.clear();
    }

    fn id_mut(&mut self) -> &mut String {
        &mut self.id
    }
}

impl Request for PermissionRequest {
    fn forget_circumstances(&mut self) {
        (self.turn_id, self.expires_at) = (None, None);
        self.id.clear();
    }

    fn id_mut(&mut self) -> &mut String {
        &mut self.id
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
            *request.id_mut() = before.id;
        }
    }
}

fn unanswered<R: Request>(request: &R) -> Unanswered {
    let id = request.clone().id_mut().clone();
    Unanswered { id, fingerprint: fingerprint(request) }
}

fn fingerprint<R: Request>(request: &R) -> String {
    let mut content = request.clone();
    content.forget_circumstances();
    let content = serde_json::to_vec(&content).unwrap_or_default();
    BASE64_STANDARD.encode(Sha256::digest(&content))
}
