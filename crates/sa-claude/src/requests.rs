//! Which sessions there are, and how they come and go.

use super::launch::NativeConversation;
use super::machine::Machine;
use super::session::{Opening, Session, Settings, Workspace, servers};
use agent_client_protocol_schema::v1::{
    DeleteSessionResponse, Error, ListSessionsRequest, SessionId, SessionUpdate,
};
use sa_acp::{Asking, How, OpenRequest, RequestKey, session_not_found};

impl Machine {
    pub(super) fn open_session(&mut self, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, workspace } = request;
        let mut workspace = workspace.with_servers(servers)?;
        // Nothing here depends on it, so it must not tell two workspaces apart.
        workspace.asking = Asking::default();
        let origin = how.origin().map(|id| self.conversation_of(id)).transpose()?;
        let history = match &how {
            How::Loaded(id) => self.history(id, origin.as_deref().unwrap_or(&id.0), &workspace)?,
            _ => Vec::new(),
        };
        let continued = how.continued().cloned();
        let opening = Opening { key, how, history };
        let (id, conversation) = match (continued, origin) {
            (Some(id), Some(native)) => {
                // Two processes on one conversation would tear it in two, so a session that is open keeps the one it has.
                if let Some(session) = self.sessions.get_mut(&id.0) {
                    session.reopen(&mut self.core, opening, workspace);
                    return Ok(());
                }
                (id, NativeConversation::Resumed { id: native })
            }
            (_, origin) => {
                let id = (self.core.host.new_id)();
                let conversation = match origin {
                    Some(from) => NativeConversation::Forked { from, id: id.clone() },
                    None => NativeConversation::New { id: id.clone() },
                };
                (SessionId::new(id), conversation)
            }
        };
        self.start(id, workspace, opening, conversation);
        Ok(())
    }

    /// The id under which the CLI keeps a session's conversation; it is another one once the user had that cleared.
    fn conversation_of(&self, id: &SessionId) -> Result<String, Error> {
        let own = check_id(id)?;
        let open = self.sessions.get(&id.0).map(|session| session.native_id().to_owned());
        Ok(open.or_else(|| self.core.host.disk.conversation(&own)).unwrap_or(own))
    }

    /// What was said in a session.
    fn history(
        &self,
        id: &SessionId,
        native: &str,
        workspace: &Workspace,
    ) -> Result<Vec<SessionUpdate>, Error> {
        let is_open = self.sessions.get(&id.0).is_some_and(|session| session.conversation.is_open());
        match self.core.host.disk.read(native, &workspace.cwd)? {
            Some(history) => Ok(history),
            None if is_open => Ok(Vec::new()),
            None => Err(session_not_found(id)),
        }
    }

    fn start(
        &mut self,
        id: SessionId,
        workspace: Workspace,
        opening: Opening,
        conversation: NativeConversation,
    ) {
        let mut settings = Settings::new(self.core.host.allow_bypass, self.core.host.any_model);
        // The CLI itself does not go on in the mode that a session was in.
        let mode = match &conversation {
            NativeConversation::New { .. } => None,
            NativeConversation::Resumed { id: from } | NativeConversation::Forked { from, .. } => {
                self.core.host.disk.mode(from, &workspace.cwd)
            }
        };
        if let Some(mode) = mode {
            settings.go_on_in(&mode);
        }
        let mut session = Session::new(id.clone(), workspace, settings);
        session.open(&mut self.core, opening, conversation);
        self.sessions.insert(id.0, session);
    }

    pub(super) fn list_sessions(
        &mut self,
        key: &RequestKey,
        request: &ListSessionsRequest,
    ) -> Result<(), Error> {
        let (cwd, cursor) = (request.cwd.as_deref(), request.cursor.as_deref());
        let mut page = self.core.host.disk.list(cwd, cursor)?;
        if cursor.is_none() {
            // Nothing is stored of a session before its first prompt.
            let open = self
                .sessions
                .values()
                .filter(|session| session.conversation.is_open() && !session.is_stored());
            let open = open
                .map(|session| session.conversation.info())
                .filter(|info| cwd.is_none_or(|cwd| *cwd == info.cwd));
            let unlisted: Vec<_> = open
                .filter(|info| page.sessions.iter().all(|known| known.session_id != info.session_id))
                .collect();
            page.sessions.splice(0..0, unlisted);
        }
        self.core.client.reply(key, page);
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    pub(super) fn delete_stored(&mut self, key: &RequestKey, id: &SessionId) -> Result<(), Error> {
        if let (Ok(own), Ok(conversation)) = (check_id(id), self.conversation_of(id)) {
            self.core.host.disk.delete(&conversation)?;
            self.core.host.disk.delete(&own)?;
        }
        self.core.client.reply(key, DeleteSessionResponse::new());
        Ok(())
    }
}

/// Ids of sessions become parts of paths and of a command line; the CLI's own are UUIDs.
fn check_id(id: &SessionId) -> Result<String, Error> {
    match uuid::Uuid::parse_str(&id.0) {
        Ok(_) => Ok(id.to_string()),
        Err(_) => Err(session_not_found(id)),
    }
}
