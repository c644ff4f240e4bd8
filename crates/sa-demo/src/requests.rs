//! The requests of a client.

use super::commands::commands_update;
use super::config::Select;
use super::content::Prompt;
use super::core::Effect;
use super::machine::Machine;
use super::session::{MAX_QUEUE, Session};
use agent_client_protocol_schema::v1::{
    AgentAuthCapabilities, AgentCapabilities, AuthMethod, AuthMethodAgent, AuthenticateRequest,
    AuthenticateResponse, CloseSessionRequest, CloseSessionResponse, DeleteSessionRequest,
    DeleteSessionResponse, Error, ForkSessionRequest, ForkSessionResponse, Implementation,
    InitializeResponse, LoadSessionRequest, LoadSessionResponse, LogoutCapabilities, LogoutRequest,
    LogoutResponse, McpCapabilities, McpServer, NewSessionRequest, NewSessionResponse, PromptCapabilities,
    PromptRequest, ResumeSessionRequest, ResumeSessionResponse, SessionAdditionalDirectoriesCapabilities,
    SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities, SessionForkCapabilities,
    SessionId, SessionListCapabilities, SessionResumeCapabilities, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse,
};
use sa_acp::{RequestKey, params};
use serde_json::json;
use std::path::{Path, PathBuf};

/// The one way to log in, which always succeeds.
const LOGIN: &str = "demo";

/// What a client says about a session whenever it opens one.
struct Place {
    cwd: PathBuf,
    additional_directories: Vec<PathBuf>,
    mcp_servers: Vec<McpServer>,
}

impl Place {
    fn check(self) -> Result<Self, Error> {
        let relative = |path: &&Path| !path.is_absolute();
        let paths = std::iter::once(self.cwd.as_path())
            .chain(self.additional_directories.iter().map(PathBuf::as_path));
        if let Some(path) = paths.into_iter().find(relative) {
            let reason = format!("not an absolute path: {}", path.display());
            return Err(Error::invalid_params().data(json!({ "reason": reason })));
        }
        Ok(self)
    }

    fn apply(self, session: &mut Session) {
        session.cwd = self.cwd;
        session.additional_directories = self.additional_directories;
        session.mcp_servers = self.mcp_servers;
        session.open = true;
    }
}

impl Machine {
    /// Answers a request, now or, in the case of a prompt, later; an error is for the caller to send.
    pub(super) fn serve(&mut self, key: &RequestKey, method: &str, text: Option<&str>) -> Result<(), Error> {
        if method == "initialize" {
            return self.initialize(key, text);
        }
        self.core.client.require()?;
        match method {
            "authenticate" => self.authenticate(key, params(text)?),
            "logout" => {
                let _: LogoutRequest = params(text)?;
                self.core.reply(key, LogoutResponse::new());
                Ok(())
            }
            "session/new" => self.new_session(key, params(text)?),
            "session/load" => self.load(key, params(text)?),
            "session/resume" => self.resume(key, params(text)?),
            "session/fork" => self.fork(key, params(text)?),
            "session/list" => {
                let page = self.sessions.list(&params(text)?, &self.core)?;
                self.core.reply(key, page);
                Ok(())
            }
            "session/close" => self.close(key, params(text)?),
            "session/delete" => self.delete(key, params(text)?),
            "session/set_mode" => self.set_mode(key, params(text)?),
            "session/set_config_option" => self.set_config_option(key, params(text)?),
            "session/prompt" => self.prompt(key, params(text)?),
            _ => Err(Error::method_not_found().data(json!({ "method": method }))),
        }
    }

    fn initialize(&mut self, key: &RequestKey, text: Option<&str>) -> Result<(), Error> {
        let version = self.core.client.greet(text)?;
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).audio(true).embedded_context(true))
            .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
            .session_capabilities(
                SessionCapabilities::new()
                    .list(SessionListCapabilities::new())
                    .delete(SessionDeleteCapabilities::new())
                    .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
                    .fork(SessionForkCapabilities::new())
                    .resume(SessionResumeCapabilities::new())
                    .close(SessionCloseCapabilities::new()),
            )
            .auth(AgentAuthCapabilities::new().logout(LogoutCapabilities::new()));
        let login = AuthMethodAgent::new(LOGIN, "Demo login").description("Always succeeds".to_owned());
        let response = InitializeResponse::new(version)
            .agent_capabilities(capabilities)
            .auth_methods(vec![AuthMethod::Agent(login)])
            .agent_info(
                Implementation::new("demo", env!("CARGO_PKG_VERSION")).title("Demo Agent".to_owned()),
            );
        self.core.reply(key, response);
        Ok(())
    }

    fn authenticate(&mut self, key: &RequestKey, request: AuthenticateRequest) -> Result<(), Error> {
        if request.method_id.0.as_ref() != LOGIN {
            return Err(Error::invalid_params().data(json!({ "methodId": request.method_id })));
        }
        self.core.reply(key, AuthenticateResponse::new());
        Ok(())
    }

    fn new_session(&mut self, key: &RequestKey, request: NewSessionRequest) -> Result<(), Error> {
        let NewSessionRequest { cwd, additional_directories, mcp_servers, .. } = request;
        let place = Place { cwd, additional_directories, mcp_servers }.check()?;
        let id = self.new_id();
        let session = Session::new(id.clone(), place.cwd.clone(), self.core.now.unix);
        let response = NewSessionResponse::new(id)
            .modes(session.settings.modes())
            .config_options(session.settings.options(&self.core.client));
        self.core.reply(key, response);
        self.opened(session, place);
        Ok(())
    }

    fn fork(&mut self, key: &RequestKey, request: ForkSessionRequest) -> Result<(), Error> {
        let ForkSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = Place { cwd, additional_directories, mcp_servers }.check()?;
        self.sessions.known(&session_id, &self.core)?;
        let id = self.new_id();
        let original = self.sessions.known(&session_id, &self.core)?;
        let session = original.fork(id.clone(), place.cwd.clone(), self.core.now.unix);
        self.sessions.put_away(&session_id, &self.core);
        let response = ForkSessionResponse::new(id)
            .modes(session.settings.modes())
            .config_options(session.settings.options(&self.core.client));
        self.core.reply(key, response);
        self.opened(session, place);
        Ok(())
    }

    fn load(&mut self, key: &RequestKey, request: LoadSessionRequest) -> Result<(), Error> {
        let LoadSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = Place { cwd, additional_directories, mcp_servers }.check()?;
        let session = self.sessions.known(&session_id, &self.core)?;
        place.apply(session);
        for update in session.history.iter() {
            self.core.update(&session.id, update);
        }
        let response = LoadSessionResponse::new()
            .modes(session.settings.modes())
            .config_options(session.settings.options(&self.core.client));
        self.core.reply(key, response);
        self.core.update(&session.id, &commands_update());
        Ok(())
    }

    fn resume(&mut self, key: &RequestKey, request: ResumeSessionRequest) -> Result<(), Error> {
        let ResumeSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = Place { cwd, additional_directories, mcp_servers }.check()?;
        let session = self.sessions.known(&session_id, &self.core)?;
        place.apply(session);
        let response = ResumeSessionResponse::new()
            .modes(session.settings.modes())
            .config_options(session.settings.options(&self.core.client));
        self.core.reply(key, response);
        self.core.update(&session.id, &commands_update());
        Ok(())
    }

    fn close(&mut self, key: &RequestKey, request: CloseSessionRequest) -> Result<(), Error> {
        let session = self.sessions.open(&request.session_id)?;
        session.cancel(&mut self.core, true);
        session.open = false;
        self.core.save(session);
        self.sessions.put_away(&request.session_id, &self.core);
        self.core.reply(key, CloseSessionResponse::new());
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    fn delete(&mut self, key: &RequestKey, request: DeleteSessionRequest) -> Result<(), Error> {
        if let Some(mut session) = self.sessions.remove(&request.session_id) {
            session.cancel(&mut self.core, true);
        }
        if self.core.stores() {
            self.core.effects.push_back(Effect::Forget(request.session_id));
        }
        self.core.reply(key, DeleteSessionResponse::new());
        Ok(())
    }

    fn set_mode(&mut self, key: &RequestKey, request: SetSessionModeRequest) -> Result<(), Error> {
        let session = self.sessions.open(&request.session_id)?;
        if !session.settings.choose(Select::Mode, &request.mode_id.0) {
            return Err(Error::invalid_params().data(json!({ "modeId": request.mode_id })));
        }
        session.announce(&mut self.core, Select::Mode);
        self.core.save(session);
        self.core.reply(key, SetSessionModeResponse::new());
        Ok(())
    }

    fn set_config_option(
        &mut self,
        key: &RequestKey,
        request: SetSessionConfigOptionRequest,
    ) -> Result<(), Error> {
        let session = self.sessions.open(&request.session_id)?;
        let set = session.settings.set(&request.config_id.0, &request.value, &self.core.client)?;
        if set == Some(Select::Mode) {
            session.announce(&mut self.core, Select::Mode);
        }
        self.core.save(session);
        let options = session.settings.options(&self.core.client);
        self.core.reply(key, SetSessionConfigOptionResponse::new(options));
        Ok(())
    }

    fn prompt(&mut self, key: &RequestKey, request: PromptRequest) -> Result<(), Error> {
        let session = self.sessions.open(&request.session_id)?;
        let id = session.id.clone();
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

    /// Takes a session in whose id the client has just been told.
    fn opened(&mut self, mut session: Session, place: Place) {
        place.apply(&mut session);
        self.core.update(&session.id, &commands_update());
        self.core.save(&session);
        self.sessions.insert(session);
    }
}
