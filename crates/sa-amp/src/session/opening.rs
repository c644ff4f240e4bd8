//! How a session is opened: the thread is there, so all that is left is to answer the client.

use super::{Place, Session};
use crate::core::Core;
use agent_client_protocol_schema::v1::SessionUpdate;
use sa_acp::{How, RequestKey, failure};

impl Session {
    /// Answers the client that opened the session.
    pub(crate) fn opened(&self, core: &mut Core, key: &RequestKey, how: &How, history: &[SessionUpdate]) {
        for update in history {
            self.emit(core, update);
        }
        let options = self.options(core);
        core.opened(key, how, &self.id, self.settings.modes(), options);
    }

    /// Opens a session that is open, which may be in another place from now on.
    pub(crate) fn reopen(
        &mut self,
        core: &mut Core,
        key: &RequestKey,
        how: &How,
        history: &[SessionUpdate],
        place: Place,
    ) {
        if place != self.place {
            if self.turn.is_some() {
                return core.fail(key, &failure("the session is at work and cannot move", "busy"));
            }
            self.place = place;
            self.dismiss(core);
        }
        self.opened(core, key, how, history);
    }
}
