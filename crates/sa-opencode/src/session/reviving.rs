//! What happens when the server ends, and how a session goes on in the next one.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::{CompactionStatus, Error};
use sa_acp::{Link, ServedSession, Session as _};
use std::time::Duration;

impl Session {
    /// The server is ready. It has the session on its disk, but not its MCP servers.
    pub(crate) fn revive(&mut self, core: &mut Core) {
        self.link = Link::Up;
        self.register(core);
        self.send_next(core);
    }
}

impl ServedSession for Session {
    fn server_lost(&mut self, core: &mut Core, error: &Error) {
        self.conversation.withdraw_all(&mut core.client);
        self.close_tools(core, "The process of OpenCode ended");
        self.end_compaction(core, CompactionStatus::Failed);
        self.speech.clear();
        self.link = Link::Down;
        self.aborts = 0;
        self.mcp.give_up();
        self.abort_turn(core, error);
        if !self.conversation.is_open() {
            return self.closed(core);
        }
        self.send_next(core);
    }

    fn not_revived(&mut self, core: &mut Core, error: &Error) {
        self.link = Link::Down;
        self.conversation.fail_queue(&mut core.client, error);
    }

    fn is_stuck(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.cancel == Some(Duration::MAX))
    }
}
