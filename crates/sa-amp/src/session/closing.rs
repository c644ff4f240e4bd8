//! How a session is closed or deleted: its work is cancelled, its process ends, then the client is answered.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{CloseSessionResponse, StopReason};
use sa_acp::{RequestKey, Session as _};

impl Session {
    /// Ends the work and the process.
    pub(super) fn wind_up(&mut self, core: &mut Core) {
        self.cancel(core);
        self.tools.close(core, &self.id, "Cancelled");
        if let Some(turn) = self.turn.take() {
            turn.settle(core, Ok(StopReason::Cancelled));
        }
        self.dismiss(core);
        if self.child.is_none() {
            self.closed(core);
        }
    }

    /// Answers whoever wanted the session closed; `false` if nobody did.
    pub(super) fn closed(&mut self, core: &mut Core) -> bool {
        let Some(closing) = &mut self.closing else { return false };
        for key in std::mem::take(&mut closing.closes) {
            core.reply(&key, CloseSessionResponse::new());
        }
        self.gone = true;
        true
    }

    /// Whoever waits for what is stored of it to be removed.
    pub(crate) fn deletes(&mut self) -> Vec<RequestKey> {
        self.closing.as_mut().map(|closing| std::mem::take(&mut closing.deletes)).unwrap_or_default()
    }
}
