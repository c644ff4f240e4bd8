//! Requests that concern no open session: opening, listing and deleting sessions.

use super::core::Core;
use super::launch::NativeConversation;
use super::session::{Opening, Session, Settings, servers};
use agent_client_protocol_schema::v1::{DeleteSessionResponse, Error, SessionId, SessionUpdate};
use sa_acp::{
    Asking, How, ListRequest, OpenRequest, RequestKey, Sessions, Workspace, add_unlisted, session_not_found,
};

impl sa_acp::Adapter for Core {
    fn open(&mut self, sessions: &mut Sessions<Session>, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, mut workspace } =
            request.resolve(|path| self.host.disk.is_directory(path), servers)?;
        // Nothing here depends on it, so two workspaces must not differ by it.
        workspace.asking = Asking::default();
        let origin = how.origin().map(|id| self.conversation_of(sessions.get(&id.0), id)).transpose()?;
        let history = match &how {
            How::Loaded(id) => {
                self.history(sessions.get_mut(&id.0), id, origin.as_deref().unwrap_or(&id.0), &workspace)?
            }
            _ => Vec::new(),
        };
        let continued = how.continued().cloned();
        let opening = Opening { key, how, history, previous: None };
        let (id, conversation) = match (continued, origin) {
            (Some(id), Some(native)) => {
                // Two processes on one conversation would tear it in two, so a session that is open keeps the one it has.
                if let Some(session) = sessions.get_mut(&id.0) {
                    return session.reopen(self, opening, workspace);
                }
                (id, NativeConversation::Resumed { id: native })
            }
            (_, origin) => {
                let id = (self.host.new_id)();
                let conversation = match origin {
                    Some(from) => NativeConversation::Forked { from, id: id.clone() },
                    None => NativeConversation::New { id: id.clone() },
                };
                (SessionId::new(id), conversation)
            }
        };
        let session = self.start(id.clone(), workspace, opening, conversation);
        sessions.insert(id.0, session);
        Ok(())
    }

    fn list(&mut self, sessions: &mut Sessions<Session>, request: ListRequest) -> Result<(), Error> {
        let (cwd, cursor) = (request.page.cwd.as_deref(), request.page.cursor.as_deref());
        let mut page = self.host.disk.list(cwd, cursor)?;
        if cursor.is_none() {
            // Nothing is stored of a session before its first prompt.
            add_unlisted(&mut page.sessions, sessions.values().filter_map(Session::unstored_info), cwd);
        }
        self.io.client.reply(&request.key, page);
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    fn delete(&mut self, key: &RequestKey, id: SessionId) -> Result<(), Error> {
        if let (Ok(own), Ok(conversation)) = (check_id(&id), self.conversation_of(None, &id)) {
            self.host.disk.delete(&conversation)?;
            self.host.disk.delete(&own)?;
        }
        self.io.client.reply(key, DeleteSessionResponse::new());
        Ok(())
    }
}

impl Core {
    /// The id under which the CLI keeps a session's conversation; it is another one once the user had that cleared.
    fn conversation_of(&self, open: Option<&Session>, id: &SessionId) -> Result<String, Error> {
        let own = check_id(id)?;
        let open = open.map(|session| session.native_id().to_owned());
        Ok(open.or_else(|| self.host.disk.conversation(&own)).unwrap_or(own))
    }

    /// Returns what was said in a session.
    fn history(
        &self,
        open: Option<&mut Session>,
        id: &SessionId,
        native: &str,
        workspace: &Workspace,
    ) -> Result<Vec<SessionUpdate>, Error> {
        let is_open = open.is_some_and(|session| session.conversation.is_open());
        match self.host.disk.read(native, &workspace.cwd)? {
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
    ) -> Session {
        let mut settings = Settings::new(&self.host);
        // The CLI itself does not continue in the mode of the session.
        let mode = match &conversation {
            NativeConversation::New { .. } => None,
            NativeConversation::Resumed { id: from } | NativeConversation::Forked { from, .. } => {
                self.host.disk.mode(from, &workspace.cwd)
            }
        };
        if let Some(mode) = mode {
            settings.go_on_in(&mode);
        }
        let mut session = Session::new(id, workspace, settings);
        session.open(self, opening, conversation);
        session
    }
}

/// Ids of sessions become parts of paths and of a command line; the CLI's own are UUIDs.
fn check_id(id: &SessionId) -> Result<String, Error> {
    match uuid::Uuid::parse_str(&id.0) {
        Ok(_) => Ok(id.to_string()),
        Err(_) => Err(session_not_found(id)),
    }
}
