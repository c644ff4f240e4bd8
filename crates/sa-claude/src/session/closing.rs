//! How a session is closed or deleted: its work is cancelled, its process ends, then the client is answered.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{DeleteSessionResponse, StopReason};
use sa_acp::{Session as _, failure};

impl Session {
    /// Ends the work and the process.
    pub(super) fn begin_close(&mut self, core: &mut Core) {
        self.cancel(core);
        self.cut_turn_off(core);
        let Some(child) = &mut self.child else {
            self.closed(core);
            return;
        };
        if !std::mem::replace(&mut child.ending, true) {
            core.dismiss(child.id);
        }
    }

    /// Answers the running prompt as cancelled without waiting for the CLI to stop.
    fn cut_turn_off(&mut self, core: &mut Core) {
        self.tools.close(&mut core.client, &self.conversation.id, "Cancelled");
        if let Some(turn) = self.turn.take() {
            self.settle(core, turn, Ok(StopReason::Cancelled), None);
        }
    }

    /// Answers whoever wanted the session closed; `false` if nobody did.
    pub(super) fn closed(&mut self, core: &mut Core) -> bool {
        if !self.conversation.is_closing() {
            return false;
        }
        self.opening_failed(core, &failure("the session was closed while it was being opened", "closed"));
        for key in self.conversation.close(&mut core.client) {
            // Usually one and the same.
            let ids = [self.conversation.id.to_string(), self.native_id.clone()];
            match ids.iter().try_for_each(|id| core.host.disk.delete(id)) {
                Ok(()) => core.client.reply(&key, DeleteSessionResponse::new()),
                Err(error) => core.client.fail(&key, &error),
            }
        }
        true
    }
}
