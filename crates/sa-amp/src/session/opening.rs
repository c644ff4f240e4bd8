//! How a session is opened: the thread is there, so all that is left is to answer the client.

use super::{Place, Session};
use crate::core::Core;
use agent_client_protocol_schema::v1::{
    LoadSessionResponse, NewSessionResponse, ResumeSessionResponse, SessionUpdate,
};
use sa_acp::{RequestKey, failure};

/// In which way a client opened the session.
#[derive(Debug)]
pub(crate) enum Opened {
    New,
    /// With all that was said before.
    Loaded(Vec<SessionUpdate>),
    Resumed,
}

impl Session {
    /// Answers the client that opened the session.
    pub(crate) fn opened(&self, core: &mut Core, key: &RequestKey, how: &Opened) {
        let (modes, options) = (self.settings.modes(), self.options(core));
        match how {
            Opened::New => {
                let response = NewSessionResponse::new(self.id.clone()).modes(modes).config_options(options);
                core.reply(key, response);
            }
            Opened::Loaded(history) => {
                for update in history {
                    self.emit(core, update);
                }
                core.reply(key, LoadSessionResponse::new().modes(modes).config_options(options));
            }
            Opened::Resumed => {
                core.reply(key, ResumeSessionResponse::new().modes(modes).config_options(options));
            }
        }
    }

    /// Opens a session that is open, which may be in another place from now on.
    pub(crate) fn reopen(&mut self, core: &mut Core, key: &RequestKey, how: &Opened, place: Place) {
        if place != self.place {
            if self.turn.is_some() {
                return core.fail(key, &failure("the session is at work and cannot move", "busy"));
            }
            self.place = place;
            self.dismiss(core);
        }
        self.opened(core, key, how);
    }
}
