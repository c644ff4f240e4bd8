//! How a session is closed or deleted: its work is cancelled, its process ends, then the client is answered.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::DeleteSessionResponse;
use sa_acp::failure;

impl Session {
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
