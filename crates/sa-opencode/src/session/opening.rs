//! How a session begins.

use super::{Session, Settings};
use crate::core::Core;
use crate::native::about::Info;
use crate::native::message::Whole;
use crate::openings::DirectoryFacts;
use agent_client_protocol_schema::v1::SessionId;
use sa_acp::{CheckedRequest, How, OpenRequest, RequestKey, one_line};

impl Session {
    pub(crate) fn open(
        core: &mut Core,
        request: CheckedRequest,
        facts: &DirectoryFacts,
        info: &Info,
        history: Vec<Whole>,
    ) -> Self {
        let OpenRequest { key, how, workspace } = request;
        let settings = Settings::new(&core.host, facts, Some(info));
        let mut session = Self::new(SessionId::new(info.id.clone()), workspace, settings);
        session.conversation.title = info.title().map(one_line);
        session.meter.begin(info.cost);
        if how == How::New {
            session.ruled = session.settings.rules(&session.workspace.directories, &[]);
        }
        if matches!(how, How::Forked(_)) {
            session.speech.begin_as_fork();
        }
        session.replay(core, history);
        session.commands.clone_from(&facts.commands);
        session.answer_opened(core, &key, &how);
        session.register(core);
        session
    }

    /// Answers a client that opened the session although it was open.
    pub(crate) fn reopened(&mut self, core: &mut Core, request: CheckedRequest, history: Vec<Whole>) {
        self.workspace = request.workspace;
        self.replay(core, history);
        self.answer_opened(core, &request.key, &request.how);
    }

    fn answer_opened(&self, core: &mut Core, key: &RequestKey, how: &How) {
        let settings = (self.settings.modes.state(), self.settings.options());
        let (id, commands) = (&self.conversation.id, self.available_commands());
        core.io.client.opened_with_commands(key, how, id, settings, commands);
    }
}
