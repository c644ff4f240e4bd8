//! How a session is closed or deleted: its work is cancelled, its process ends, then the client is answered.

use super::Session;
use crate::core::Core;

impl Session {
    /// Answers whoever wanted the session closed; `false` if nobody did.
    pub(super) fn closed(&mut self, core: &mut Core) -> bool {
        if !self.conversation.is_closing() {
            return false;
        }
        self.deletes = self.conversation.close(&mut core.client);
        true
    }
}
