//! The requests of a client.

use super::catalog::available_commands;
use super::config::Select;
use super::content::Prompt;
use super::core::{Core, Effect};
use super::machine::Machine;
use super::session::{MAX_QUEUE, Session};
use agent_client_protocol_schema::v1::{
    AuthenticateResponse, CloseSessionResponse, DeleteSessionResponse, Error, LogoutResponse, PromptRequest,
    SessionId,
};
use sa_acp::{Form, How, OpenRequest, Request, RequestKey, RequestedWorkspace, Setting};
use serde_json::json;

impl Machine {
    /// Answers a request, now or, in the case of a prompt, later; an error is for the caller to send.
    pub(super) fn serve(&mut self, key: &RequestKey, request: Request) -> Result<(), Error> {
        match request {
            Request::Authenticate => self.core.client.reply(key, AuthenticateResponse::new()),
            Request::Logout => self.core.client.reply(key, LogoutResponse::new()),
            Request::Open(how, workspace) => {
                let request = OpenRequest { key: key.clone(), how, workspace };
                // The agent reads no files, so any directory will do.
                return self.open(request.resolve(|_| true, Ok)?);
            }
            Request::List(request) => {
                let page = self.sessions.list(&request, &self.core)?;
                self.core.client.reply(key, page);
            }
            Request::Close(id) => return self.close(key, &id),
            Request::Delete(id) => self.delete(key, id),
            Request::Set(id, setting) => return self.set(key, &id, &setting),
            Request::Prompt(request) => return self.prompt(key, *request),
        }
        Ok(())
    }

    fn open(&mut self, request: OpenRequest) -> Result<(), Error> {
        let OpenRequest { key, how, workspace } = request;
        let mut session = match &how {
            How::New => Session::new(self.new_id(), workspace.cwd.clone(), self.core.now.unix),
            How::Forked(from) => {
                self.sessions.known(from, &self.core)?;
                let id = self.new_id();
                let original = self.sessions.known(from, &self.core)?;
                let session = original.fork(id, workspace.cwd.clone(), self.core.now.unix);
                self.sessions.put_away(from, &self.core);
                session
            }
            How::Loaded(id) | How::Resumed(id) => return self.reopen(&key, &how, id, workspace),
        };
        settle(&mut session, workspace);
        answer_opened(&mut self.core, &key, &how, &session);
        self.core.save(&session);
        self.sessions.insert(session);
        Ok(())
    }

    fn reopen(
        &mut self,
        key: &RequestKey,
        how: &How,
        id: &SessionId,
        workspace: RequestedWorkspace,
    ) -> Result<(), Error> {
        let session = self.sessions.known(id, &self.core)?;
        settle(session, workspace);
        if how.is_loaded() {
            for update in session.history.iter() {
                self.core.client.update(&session.about.id, update);
            }
        }
        answer_opened(&mut self.core, key, how, session);
        Ok(())
    }

    fn close(&mut self, key: &RequestKey, id: &SessionId) -> Result<(), Error> {
        let session = self.sessions.open(id)?;
        session.cancel_now(&mut self.core);
        session.open = false;
        self.core.save(session);
        self.sessions.put_away(id, &self.core);
        self.core.client.reply(key, CloseSessionResponse::new());
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    fn delete(&mut self, key: &RequestKey, id: SessionId) {
        if let Some(mut session) = self.sessions.remove(&id) {
            session.cancel_now(&mut self.core);
        }
        if self.core.stores() {
            self.core.effects.push_back(Effect::Forget(id));
        }
        self.core.client.reply(key, DeleteSessionResponse::new());
    }

    fn set(&mut self, key: &RequestKey, id: &SessionId, setting: &Setting) -> Result<(), Error> {
        let session = self.sessions.open(id)?;
        let select = if setting.form == Form::Mode {
            let mode = setting.choice()?;
            if !session.about.settings.choose(Select::Mode, mode) {
                return Err(Error::invalid_params().data(json!({ "modeId": mode })));
            }
            Some(Select::Mode)
        } else {
            session.about.settings.set(&setting.option, &setting.value, &self.core.client.handshake)?
        };
        if select == Some(Select::Mode) {
            session.announce(&mut self.core, Select::Mode);
        }
        self.core.save(session);
        let options = session.about.settings.options(&self.core.client.handshake);
        self.core.client.was_set(key, setting.form, options);
        Ok(())
    }

    fn prompt(&mut self, key: &RequestKey, request: PromptRequest) -> Result<(), Error> {
        let session = self.sessions.open(&request.session_id)?;
        let id = session.about.id.clone();
        if !session.prompt(&mut self.core, Prompt::new(key.clone(), request)) {
            let reason = format!("{MAX_QUEUE} prompts are waiting already");
            return Err(Error::invalid_request().data(json!({ "reason": reason })));
        }
        self.sessions.runs(&id);
        Ok(())
    }

    fn new_id(&mut self) -> SessionId {
        SessionId::new((self.core.host.new_session_id)())
    }
}

/// Answers the client that opened a session.
fn answer_opened(core: &mut Core, key: &RequestKey, how: &How, session: &Session) {
    let settings = &session.about.settings;
    let settings = (settings.modes(), settings.options(&core.client.handshake));
    core.client.opened_with_commands(key, how, &session.about.id, settings, available_commands());
}

/// Opens the session in that workspace.
fn settle(session: &mut Session, workspace: RequestedWorkspace) {
    session.about.cwd = workspace.cwd;
    session.about.additional_directories = workspace.directories;
    session.mcp_servers = workspace.servers;
    session.open = true;
}
