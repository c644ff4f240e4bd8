//! The requests of a client.

use super::jobs::Job;
use super::machine::Machine;
use super::openings::{How, Opening};
use super::servers::servers;
use super::session::{Place, Prompt, Reply};
use agent_client_protocol_schema::v1::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthenticateRequest, CloseSessionRequest,
    DeleteSessionRequest, Error, ForkSessionRequest, Implementation, InitializeResponse, ListSessionsRequest,
    LoadSessionRequest, McpCapabilities, McpServer, NewSessionRequest, PromptCapabilities, PromptRequest,
    ResumeSessionRequest, SessionAdditionalDirectoriesCapabilities, SessionCapabilities,
    SessionCloseCapabilities, SessionDeleteCapabilities, SessionForkCapabilities, SessionId,
    SessionListCapabilities, SessionResumeCapabilities, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use sa_acp::{RequestKey, failure, invalid, params};
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;

/// The way to log in: with a key from the environment, or outside of the protocol.
const LOGIN: &str = "opencode-login";

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
            "session/list" => self.list(key, params(text)?),
            "session/close" => self.close(key, &params(text)?),
            "session/delete" => self.delete(key, params(text)?),
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
        let login = AuthMethodAgent::new(LOGIN, "Log in with OpenCode").description(
            "Set the key of a provider, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, or run `opencode auth login` in a \
             terminal"
                .to_owned(),
        );
        let response = InitializeResponse::new(version)
            .agent_capabilities(capabilities)
            .auth_methods(vec![AuthMethod::Agent(login)])
            .agent_info(
                Implementation::new("opencode", env!("CARGO_PKG_VERSION")).title("OpenCode".to_owned()),
            );
        self.core.reply(key, response);
        Ok(())
    }

    /// Succeeds if there are credentials by now: those of a login in a terminal are looked for by a new process.
    fn authenticate(&mut self, key: &RequestKey, request: &AuthenticateRequest) -> Result<(), Error> {
        if request.method_id.0.as_ref() != LOGIN {
            return Err(Error::invalid_params().data(json!({ "methodId": request.method_id })));
        }
        if self.sessions.is_empty() && self.openings.is_empty() {
            self.dismiss();
        }
        self.core.jobs.push_back(Job::Authenticate(key.clone()));
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

    fn open(
        &mut self,
        key: &RequestKey,
        how: How,
        from: Option<SessionId>,
        place: Place,
    ) -> Result<(), Error> {
        if let (Some(id), How::Loaded | How::Resumed) = (&from, how) {
            let is_opening = self.openings.values().any(|opening| opening.from.as_ref() == Some(id));
            let known = self.sessions.get(&id.0);
            if is_opening || known.is_some_and(|session| !session.is_open()) {
                return Err(failure("the session is being opened or closed already", "busy"));
            }
            if let Some(session) = known {
                session.may_move(&place)?;
            }
        }
        let opening = Opening::new(key.clone(), how, from, place);
        self.core.jobs.push_back(Job::Open(Box::new(opening)));
        Ok(())
    }

    fn new_session(&mut self, key: &RequestKey, request: NewSessionRequest) -> Result<(), Error> {
        let NewSessionRequest { cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        self.open(key, How::New, None, place)
    }

    fn fork(&mut self, key: &RequestKey, request: ForkSessionRequest) -> Result<(), Error> {
        let ForkSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        self.open(key, How::Forked, Some(session_id), place)
    }

    fn load(&mut self, key: &RequestKey, request: LoadSessionRequest) -> Result<(), Error> {
        let LoadSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        self.open(key, How::Loaded, Some(session_id), place)
    }

    fn resume(&mut self, key: &RequestKey, request: ResumeSessionRequest) -> Result<(), Error> {
        let ResumeSessionRequest { session_id, cwd, additional_directories, mcp_servers, .. } = request;
        let place = self.place(cwd, additional_directories, mcp_servers)?;
        self.open(key, How::Resumed, Some(session_id), place)
    }

    fn list(&mut self, key: &RequestKey, request: ListSessionsRequest) -> Result<(), Error> {
        self.core.jobs.push_back(Job::List(key.clone(), Box::new(request)));
        Ok(())
    }

    fn close(&mut self, key: &RequestKey, request: &CloseSessionRequest) -> Result<(), Error> {
        self.session(&request.session_id)?;
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.close(&mut self.core, key.clone(), false);
        }
        Ok(())
    }

    fn delete(&mut self, key: &RequestKey, request: DeleteSessionRequest) -> Result<(), Error> {
        match self.sessions.get_mut(&request.session_id.0) {
            Some(session) => session.close(&mut self.core, key.clone(), true),
            None => self.core.jobs.push_back(Job::Delete(key.clone(), request.session_id)),
        }
        Ok(())
    }

    fn set_mode(&mut self, key: &RequestKey, request: &SetSessionModeRequest) -> Result<(), Error> {
        let change = self.session(&request.session_id)?.settings().check_mode(&request.mode_id.0)?;
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.change(&mut self.core, key, change, Reply::Mode);
        }
        Ok(())
    }

    fn set_model(&mut self, key: &RequestKey, request: &SetModel) -> Result<(), Error> {
        let change = self.session(&request.session_id)?.settings().check_model(&request.model_id)?;
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.change(&mut self.core, key, change, Reply::Model);
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
            session.change(&mut self.core, key, change, Reply::Option);
        }
        Ok(())
    }

    fn prompt(&mut self, key: &RequestKey, request: PromptRequest) -> Result<(), Error> {
        let id = request.session_id.clone();
        self.session(&id)?;
        let prompt = Prompt::new(key.clone(), request)?;
        if let Some(session) = self.sessions.get_mut(&id.0) {
            session.prompt(&mut self.core, prompt);
        }
        Ok(())
    }
}
