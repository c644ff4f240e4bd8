//! How a session is opened: the thread is there, so all that is left is to answer the client.

use super::Session;
use crate::core::Core;
use agent_client_protocol_schema::v1::SessionUpdate;
use sa_acp::{CheckedRequest, How, OpenRequest, RequestKey, failure};

impl Session {
    /// Answers the client that opened the session.
    pub(crate) fn opened(&self, core: &mut Core, key: &RequestKey, how: &How, history: &[SessionUpdate]) {
        for update in history {
            self.conversation.update(&mut core.io.client, update);
        }
        let options = self.options(core);
        core.io.client.opened(key, how, &self.conversation.id, self.settings.modes.state(), options);
    }

    /// Opens a session that is open, which may be in another place from now on.
    pub(crate) fn reopen(&mut self, core: &mut Core, request: CheckedRequest, history: &[SessionUpdate]) {
        let OpenRequest { key, how, workspace } = request;
        if workspace != self.workspace {
            if self.turn.is_some() {
                return core.io.client.fail(&key, &failure("the session is at work and cannot move", "busy"));
            }
            self.workspace = workspace;
            self.dismiss(core);
        }
        self.opened(core, &key, &how, history);
    }
}
