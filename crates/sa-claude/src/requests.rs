//! The requests of a client.

use super::launch::Conversation;
use super::machine::Machine;
use super::session::{Opened, Place, Prompt, Reply, Session, Settings, servers};
use agent_client_protocol_schema::v1::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthenticateRequest, AuthenticateResponse,
    CloseSessionRequest, DeleteSessionRequest, DeleteSessionResponse, Error, ForkSessionRequest,
    Implementation, InitializeResponse, ListSessionsRequest, LoadSessionRequest, McpCapabilities, McpServer,
    NewSessionRequest, PromptCapabilities, PromptRequest, ResumeSessionRequest,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionForkCapabilities, SessionId, SessionListCapabilities,
    SessionResumeCapabilities, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use sa_acp::invalid;
use sa_acp::{RequestKey, params, session_not_found};
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;

/// The way to log in: outside of the protocol, with the CLI's own means.
const LOGIN: &str = "claude-login";

/// Gone from the protocol and still sent by clients.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetModel {
    session_id: SessionId,
    model_id: String,
}

impl Machine {
    /// Answers a request, now or later; an error is for the caller to send.
    pub(super) fn serve(&mut self, key: &RequestKey, method: &str, text: Option<&str>) -> Result<(), Error> {
        if method == "initialize" {
            return self.initialize(key, text);
        }
        self.core.client.require()?;
        match method {
            "authenticate" => self.authenticate(key, &params(text)?),
            "session/new" => self.new_session(key, params(text)?),
            "session/load" => self.load(key, params(text)?),
            "session/resume" => self.resume(key, params(text)?),
            "session/fork" => self.fork(key, params(text)?),
            "session/list" => self.list(key, &params(text)?),
            "session/close" => self.close(key, &params(text)?),
            "session/delete" => self.delete(key, &params(text)?),
            "session/set_mode" => self.set_mode(key, &params(text)?),
            "session/set_model" => self.set_model(key, &params(text)?),
            "session/set_config_option" => self.set_config_option(key, &params(text)?),
            "session/prompt" => self.prompt(key, params(text)?),
            _ => Err(Error::method_not_found().data(json!({ "method": method }))),
        }
    }

    fn initialize(&mut self, key: &RequestKey, text: Option<&str>) -> Result<(), Error> {
        let version = self.core.client.greet(text)?;
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
            .session_capabilities(
                SessionCapabilities::new()
                    .list(SessionListCapabilities::new())
                    .delete(SessionDeleteCapabilities::new())
                    .additional_directories(SessionAdditionalDirectoriesCapabilities::new())
                    .fork(SessionForkCapabilities::new())
                    .resume(SessionResumeCapabilities::new())
                    .close(SessionCloseCapabilities::new()),
            );
        let login = AuthMethodAgent::new(LOGIN, "Log in with Claude Code")
            .description("Set ANTHROPIC_API_KEY, or run `claude` in a terminal and log in there".to_owned());
        let response = InitializeResponse::new(version)
            .agent_capabilities(capabilities)
            .auth_methods(vec![AuthMethod::Agent(login)])
            .agent_info(
                Implementation::new("claude", env!("CARGO_PKG_VERSION")).title("Claude Code".to_owned()),
            );
        self.core.reply(key, response);
        Ok(())
    }

    /// There is nothing to be done here: the CLI looks for its credentials whenever a session is opened.
    fn authenticate(&mut self, key: &RequestKey, request: &AuthenticateRequest) -> Result<(), Error> {
        if request.method_id.0.as_ref() != LOGIN {
            return Err(Error::invalid_params().data(json!({ "methodId": request.method_id })));
        }
        self.core.reply(key, AuthenticateResponse::new());
        Ok(())
    }

    /// What a client says about a session whenever it opens one.
    fn place(&self, cwd: PathBuf, directories: Vec<PathBuf>, wanted: Vec<McpServer>) -> Result<Place, Error> {
        for path in std::iter::once(&cwd).chain(&directories) {
            if !path.is_absolute() {
                return Err(invalid(format!("not an absolute path: {}", path.display())));
            }
            if !self.core.host.disk.is_directory(path) {
                return Err(invalid(format!("no such directory: {}", path.display())));
            }
        }
        Ok(Place { cwd, directories, servers: servers(wanted)? })
    }

    /// A session that has no process yet.
    fn add(&mut self, id: &SessionId, place: Place, mode: Option<&str>) {
        let mut settings = Settings::new(self.core.host.allow_bypass, self.core.host.any_model);
        if let Some(mode) = mode {
            settings.go_on_in(mode);
        }
        self.sessions.insert(id.0.clone(), Session::new(id.clone(), place, settings));
    }

    fn new_session(&mut self, key: &RequestKey, request: NewSessionRequest) -> Result<(), Error> {
        let NewSessionRequest { cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        let id = (self.core.host.new_id)();
        self.start(key, &SessionId::new(id.clone()), place, Opened::New, Conversation::New { id });
        Ok(())
    }

    fn fork(&mut self, key: &RequestKey, request: ForkSessionRequest) -> Result<(), Error> {
        let ForkSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        let from = check_id(&session_id)?;
        let id = (self.core.host.new_id)();
        let conversation = Conversation::Forked { from, id: id.clone() };
        self.start(key, &SessionId::new(id), place, Opened::Forked, conversation);
        Ok(())
    }

    fn load(&mut self, key: &RequestKey, request: LoadSessionRequest) -> Result<(), Error> {
        let LoadSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        let id = check_id(&session_id)?;
        let open = self.session(&session_id).is_ok();
        let history = match self.core.host.disk.read(&id, &place.cwd)? {
            Some(history) => history,
            None if open => Vec::new(),
            None => return Err(session_not_found(&session_id)),
        };
        self.reopen_or_start(key, &session_id, place, Opened::Loaded(history));
        Ok(())
    }

    fn resume(&mut self, key: &RequestKey, request: ResumeSessionRequest) -> Result<(), Error> {
        let ResumeSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        check_id(&session_id)?;
        self.reopen_or_start(key, &session_id, place, Opened::Resumed);
        Ok(())
    }

    /// Two processes on one conversation would tear it in two, so a session that is open keeps the one it has.
    fn reopen_or_start(&mut self, key: &RequestKey, id: &SessionId, place: Place, how: Opened) {
        match self.sessions.get_mut(&id.0) {
            Some(session) => session.reopen(&mut self.core, key.clone(), how, place),
            None => {
                let conversation = Conversation::Resumed { id: id.to_string() };
                self.start(key, id, place, how, conversation);
            }
        }
    }

    fn start(
        &mut self,
        key: &RequestKey,
        id: &SessionId,
        place: Place,
        how: Opened,
        conversation: Conversation,
    ) {
        // The CLI itself does not go on in the mode that a session was in.
        let mode = match &conversation {
            Conversation::New { .. } => None,
            Conversation::Resumed { id: from } | Conversation::Forked { from, .. } => {
                self.core.host.disk.mode(from, &place.cwd)
            }
        };
        self.add(id, place, mode.as_deref());
        if let Some(session) = self.sessions.get_mut(&id.0) {
            session.open(&mut self.core, key.clone(), how, conversation);
        }
    }

    fn list(&mut self, key: &RequestKey, request: &ListSessionsRequest) -> Result<(), Error> {
        let (cwd, cursor) = (request.cwd.as_deref(), request.cursor.as_deref());
        let mut page = self.core.host.disk.list(cwd, cursor)?;
        if cursor.is_none() {
            // Nothing is stored of a session before its first prompt.
            let open = self.sessions.values().filter(|session| session.is_open() && !session.is_stored());
            let open = open.map(Session::info).filter(|info| cwd.is_none_or(|cwd| *cwd == info.cwd));
            let unlisted: Vec<_> = open
                .filter(|info| page.sessions.iter().all(|known| known.session_id != info.session_id))
                .collect();
            page.sessions.splice(0..0, unlisted);
        }
        self.core.reply(key, page);
        Ok(())
    }

    fn close(&mut self, key: &RequestKey, request: &CloseSessionRequest) -> Result<(), Error> {
        self.session(&request.session_id)?;
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.close(&mut self.core, key.clone(), false);
        }
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    fn delete(&mut self, key: &RequestKey, request: &DeleteSessionRequest) -> Result<(), Error> {
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.close(&mut self.core, key.clone(), true);
            return Ok(());
        }
        if let Ok(id) = check_id(&request.session_id) {
            self.core.host.disk.delete(&id)?;
        }
        self.core.reply(key, DeleteSessionResponse::new());
        Ok(())
    }

    fn set_mode(&mut self, key: &RequestKey, request: &SetSessionModeRequest) -> Result<(), Error> {
        let change = self.session(&request.session_id)?.settings().check_mode(&request.mode_id.0)?;
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.change(&mut self.core, key.clone(), change, Reply::Mode);
        }
        Ok(())
    }

    fn set_model(&mut self, key: &RequestKey, request: &SetModel) -> Result<(), Error> {
        let change = self.session(&request.session_id)?.settings().check_model(&request.model_id)?;
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.change(&mut self.core, key.clone(), change, Reply::Model);
        }
        Ok(())
    }

    fn set_config_option(
        &mut self,
        key: &RequestKey,
        request: &SetSessionConfigOptionRequest,
    ) -> Result<(), Error> {
        let value = request.value.as_value_id();
        let value = value.ok_or_else(|| invalid("the value must be the id of a choice"))?;
        let settings = self.session(&request.session_id)?.settings();
        let change = settings.change(&request.config_id.0, &value.0)?;
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.change(&mut self.core, key.clone(), change, Reply::Option);
        }
        Ok(())
    }

    fn prompt(&mut self, key: &RequestKey, request: PromptRequest) -> Result<(), Error> {
        self.session(&request.session_id)?;
        let id = request.session_id.clone();
        let prompt = Prompt::new(key.clone(), request)?;
        if let Some(session) = self.sessions.get_mut(&id.0) {
            session.prompt(&mut self.core, prompt);
        }
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
