//! How a session is closed or deleted: its work is cancelled, its process ends, then the client is answered.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::StopReason;
use sa_acp::Session as _;

impl Session {
    /// Ends the work and the process.
    pub(super) fn begin_close(&mut self, core: &mut Core) {
        self.cancel(core);
        self.tools.close(&mut core.client, &self.conversation.id, "Cancelled");
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
        if !self.conversation.is_closing() {
            return false;
        }
        self.deletes = self.conversation.close(&mut core.client);
        true
    }
}
