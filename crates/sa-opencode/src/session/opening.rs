//! How a session begins.

use super::{Session, Settings, Workspace};
use crate::core::Core;
use crate::native::about::Info;
use crate::native::message::Whole;
use crate::openings::Around;
use agent_client_protocol_schema::v1::SessionId;
use sa_acp::{How, RequestKey, one_line};

impl Session {
    /// A session for one that the server has opened.
    pub(crate) fn open(
        core: &mut Core,
        key: &RequestKey,
        how: &How,
        workspace: Workspace,
        around: &Around,
        info: &Info,
        history: Vec<Whole>,
    ) -> Self {
        let settings = Settings::new(core.host.allow_bypass, around, Some(info));
        let mut session = Self::new(SessionId::new(info.id.clone()), workspace, settings);
        session.conversation.title = info.title().map(one_line);
        session.meter.begin(info.cost);
        if *how == How::New {
            session.ruled = session.settings.rules(&session.workspace.directories, &[]);
        }
        if matches!(how, How::Forked(_)) {
            session.speech.begin_as_fork();
        }
        session.replay(core, history);
        session.commands.clone_from(&around.commands);
        session.tell_opened(core, key, how);
        session.register(core);
        session
    }

    /// Answers a client that opened the session although it was open.
    pub(crate) fn reopened(
        &mut self,
        core: &mut Core,
        key: &RequestKey,
        how: &How,
        workspace: Workspace,
        history: Vec<Whole>,
    ) {
        self.workspace = workspace;
        self.replay(core, history);
        self.tell_opened(core, key, how);
    }

    /// Answers the request, with the commands before it if the client knows the session: nothing may follow the answer then.
    fn tell_opened(&self, core: &mut Core, key: &RequestKey, how: &How) {
        let is_known = how.continued().is_some();
        if is_known {
            self.tell_commands(core);
        }
        core.client.opened(key, how, &self.conversation.id, self.settings.modes(), self.settings.options());
        if !is_known {
            self.tell_commands(core);
        }
    }
}
