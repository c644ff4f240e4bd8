//! How a session begins.

use super::{Place, Session, Settings};
use crate::core::Core;
use crate::native::about::Info;
use crate::native::message::Whole;
use crate::openings::{Around, How};
use agent_client_protocol_schema::v1::{
    ForkSessionResponse, LoadSessionResponse, NewSessionResponse, ResumeSessionResponse, SessionId,
};
use sa_acp::{RequestKey, one_line};

impl Session {
    /// A session for one that the server has opened.
    pub(crate) fn open(
        core: &mut Core,
        key: &RequestKey,
        how: How,
        place: Place,
        around: &Around,
        info: &Info,
        history: Vec<Whole>,
    ) -> Self {
        let settings = Settings::new(core.host.allow_bypass, around, Some(info));
        let mut session = Self::new(SessionId::new(info.id.clone()), place, settings);
        session.title = info.title().map(one_line);
        session.meter.begin(info.cost);
        if how == How::New {
            session.ruled = session.settings.rules(&session.place.directories, &[]);
        }
        session.replay(core, history);
        session.tell_opened(core, key, how);
        session.commands.clone_from(&around.commands);
        session.tell_commands(core);
        session.register(core);
        session
    }

    /// Answers a client that opened the session although it was open.
    pub(crate) fn reopened(
        &mut self,
        core: &mut Core,
        key: &RequestKey,
        how: How,
        place: Place,
        history: Vec<Whole>,
    ) {
        self.place = place;
        self.replay(core, history);
        self.tell_opened(core, key, how);
        self.tell_commands(core);
    }

    fn tell_opened(&self, core: &mut Core, key: &RequestKey, how: How) {
        let (modes, options) = (self.settings.modes(), self.settings.options());
        let id = self.id.clone();
        match how {
            How::New => core.reply(key, NewSessionResponse::new(id).modes(modes).config_options(options)),
            How::Loaded => core.reply(key, LoadSessionResponse::new().modes(modes).config_options(options)),
            How::Resumed => {
                core.reply(key, ResumeSessionResponse::new().modes(modes).config_options(options));
            }
            How::Forked => core.reply(key, ForkSessionResponse::new(id).modes(modes).config_options(options)),
        }
    }
}
