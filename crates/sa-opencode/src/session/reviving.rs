//! What happens when the server ends, and how a session goes on in the next one.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::Error;
use sa_acp::Link;

impl Session {
    /// The server ended, and what was under way in it.
    pub(crate) fn server_lost(&mut self, core: &mut Core, error: &Error) {
        self.conversation.withdraw_all(&mut core.client);
        self.close_tools(core, "The process of OpenCode ended");
        self.compaction_lost(core);
        self.speech.clear();
        self.link = Link::Down;
        self.aborts = 0;
        self.mcp.give_up();
        self.abort_turn(core, error);
        if !self.conversation.is_open() {
            return self.closed(core);
        }
        self.begin_next(core);
    }

    /// The server is ready. It has the session on its disk, but not its MCP servers.
    pub(crate) fn revive(&mut self, core: &mut Core) {
        self.link = Link::Up;
        self.register(core);
        self.begin_next(core);
    }

    /// The session stays open: the next prompt tries again.
    pub(crate) fn not_revived(&mut self, core: &mut Core, error: &Error) {
        self.link = Link::Down;
        self.conversation.fail_queue(&mut core.client, error);
    }
}
