//! The end of the server, and sessions in the next one.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{CompactionStatus, Error};
use sa_acp::{Cancellation, Job, Link, ServedSession, Session as _};

impl Session {
    /// The server is ready. It has the session on its disk, but not its MCP servers.
    pub(crate) fn revive(&mut self, core: &mut Core) {
        self.link.set_up();
        self.register(core);
        self.send_next(core);
    }
}

impl ServedSession<Core> for Session {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }

    fn on_server_lost(&mut self, core: &mut Core, error: &Error) {
        self.close_tools(core, "The process of OpenCode ended");
        self.end_compaction(core, CompactionStatus::Failed);
        self.speech.clear();
        self.aborts = 0;
        // New rules may have been on their way.
        self.ruled.clear();
        self.link.mcp.give_up();
        self.abort_turn(core, error);
    }

    fn closed(&mut self, core: &mut Core) {
        if !self.conversation.is_closing() {
            return;
        }
        self.unregister(core);
        for key in self.conversation.close(&mut core.io.client) {
            core.server.jobs.push_back(Job::Delete(key, self.conversation.id.clone()));
        }
    }

    fn is_stuck(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.cancel == Cancellation::Overdue)
    }
}
