//! How a session is closed or deleted: its work is cancelled, then the client is answered.

use super::Session;
use crate::core::Core;
use sa_acp::Job;

impl Session {
    /// Lets go of the session once nothing runs in it.
    pub(super) fn let_go(&mut self, core: &mut Core) {
        let Some(deadline) = self.close_by else { return };
        if self.turn.is_none() || deadline <= core.now.elapsed {
            self.settle_cancelled(core);
            self.closed(core);
        }
    }

    pub(super) fn enforce_close(&mut self, core: &mut Core) {
        if self.close_by.is_some_and(|deadline| deadline <= core.now.elapsed) {
            self.let_go(core);
        }
    }

    /// Answers whoever wanted the session closed.
    pub(super) fn closed(&mut self, core: &mut Core) {
        if !self.conversation.is_closing() {
            return;
        }
        self.unregister(core);
        for key in self.conversation.close(&mut core.client) {
            core.server.jobs.push_back(Job::Delete(key, self.conversation.id.clone()));
        }
    }
}
