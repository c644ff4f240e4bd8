//! The requests of a client.

use super::errand::{Ready, Task, is_thread};
use super::launch::Launch;
use super::machine::Machine;
use super::session::{Opened, Place, Prompt, Session, servers};
use agent_client_protocol_schema::v1::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthenticateRequest, AuthenticateResponse,
    CloseSessionRequest, DeleteSessionRequest, Error, Implementation, InitializeResponse,
    ListSessionsRequest, LoadSessionRequest, McpCapabilities, McpServer, NewSessionRequest,
    PromptCapabilities, PromptRequest, ResumeSessionRequest, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionId, SessionListCapabilities, SessionResumeCapabilities,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse,
};
use sa_acp::{RequestKey, auth_required, failure, invalid, params, session_not_found};
use serde_json::json;
use std::path::PathBuf;

/// The way to log in: outside of the protocol, with the CLI's own means.
const LOGIN: &str = "amp-login";

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
            "session/list" => self.list(key, params(text)?),
            "session/close" => self.close(key, &params(text)?),
            "session/delete" => self.delete(key, &params(text)?),
            "session/set_mode" => self.set_mode(key, &params(text)?),
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
                    .resume(SessionResumeCapabilities::new())
                    .close(SessionCloseCapabilities::new()),
            );
        let login = AuthMethodAgent::new(LOGIN, "Log in with Amp")
            .description("Set AMP_API_KEY, or run `amp login` in a terminal".to_owned());
        let response = InitializeResponse::new(version)
            .agent_capabilities(capabilities)
            .auth_methods(vec![AuthMethod::Agent(login)])
            .agent_info(Implementation::new("amp", env!("CARGO_PKG_VERSION")).title("Amp".to_owned()));
        self.core.reply(key, response);
        Ok(())
    }

    /// There is nothing to be done here: the CLI looks for its credentials whenever it is started.
    fn authenticate(&mut self, key: &RequestKey, request: &AuthenticateRequest) -> Result<(), Error> {
        if request.method_id.0.as_ref() != LOGIN {
            return Err(Error::invalid_params().data(json!({ "methodId": request.method_id })));
        }
        self.core.reply(key, AuthenticateResponse::new());
        Ok(())
    }

    /// Without credentials the CLI would wait for somebody to log in.
    fn require_login(&self) -> Result<(), Error> {
        if self.core.host.has_key || self.core.host.disk.has_login() {
            return Ok(());
        }
        Err(auth_required("Amp is not logged in: set AMP_API_KEY, or run `amp login` in a terminal"))
    }

    /// What a client says about a session whenever it opens one.
    fn place(&self, cwd: PathBuf, more: &[PathBuf], wanted: Vec<McpServer>) -> Result<Place, Error> {
        if !more.is_empty() {
            return Err(invalid("Amp works in one directory"));
        }
        if !cwd.is_absolute() {
            return Err(invalid(format!("not an absolute path: {}", cwd.display())));
        }
        if !self.core.host.disk.is_directory(&cwd) {
            return Err(invalid(format!("no such directory: {}", cwd.display())));
        }
        Ok(Place { cwd, servers: servers(wanted)? })
    }

    fn new_session(&mut self, key: &RequestKey, request: NewSessionRequest) -> Result<(), Error> {
        let place = self.place(request.cwd, &request.additional_directories, request.mcp_servers)?;
        self.require_login()?;
        self.learn_agent_modes();
        let launch = Launch::NewThread { cwd: place.cwd.clone() };
        self.send(launch, Task::NewThread { key: key.clone(), place });
        Ok(())
    }

    fn load(&mut self, key: &RequestKey, request: LoadSessionRequest) -> Result<(), Error> {
        let place = self.place(request.cwd, &request.additional_directories, request.mcp_servers)?;
        self.reopen(key, request.session_id, place, true)
    }

    fn resume(&mut self, key: &RequestKey, request: ResumeSessionRequest) -> Result<(), Error> {
        let place = self.place(request.cwd, &request.additional_directories, request.mcp_servers)?;
        self.reopen(key, request.session_id, place, false)
    }

    /// Only the service knows whether there is such a thread.
    fn reopen(&mut self, key: &RequestKey, id: SessionId, place: Place, history: bool) -> Result<(), Error> {
        let thread = check_id(&id)?;
        self.require_login()?;
        self.learn_agent_modes();
        self.send(Launch::Export { thread }, Task::Open { key: key.clone(), id, place, history });
        Ok(())
    }

    /// Opens a session whose thread is there.
    pub(super) fn open(&mut self, ready: Ready) {
        let Ready { key, id, place, how } = ready;
        let known = self.sessions.get_mut(&id.0);
        match known {
            Some(session) if !session.is_open() => {
                self.core.fail(&key, &failure("the session is being closed", "busy"));
            }
            Some(session) => session.reopen(&mut self.core, &key, &how, place),
            None => {
                let named = !matches!(how, Opened::New);
                let session = Session::new(&self.core, id.clone(), place, named);
                session.opened(&mut self.core, &key, &how);
                self.sessions.insert(id.0, session);
            }
        }
    }

    fn list(&mut self, key: &RequestKey, request: ListSessionsRequest) -> Result<(), Error> {
        self.require_login()?;
        self.send(Launch::List, Task::List { key: key.clone(), cwd: request.cwd });
        Ok(())
    }

    fn close(&mut self, key: &RequestKey, request: &CloseSessionRequest) -> Result<(), Error> {
        let (session, core) = self.session(&request.session_id)?;
        session.close(core, key.clone(), false);
        Ok(())
    }

    /// Succeeds for a session that does not exist, too: it is gone, as was wanted.
    fn delete(&mut self, key: &RequestKey, request: &DeleteSessionRequest) -> Result<(), Error> {
        if let Some(session) = self.sessions.get_mut(&request.session_id.0) {
            session.close(&mut self.core, key.clone(), true);
            return Ok(());
        }
        check_id(&request.session_id)?;
        self.require_login()?;
        self.delete_thread(&request.session_id.0, vec![key.clone()]);
        Ok(())
    }

    pub(super) fn delete_thread(&mut self, id: &str, keys: Vec<RequestKey>) {
        self.send(Launch::Delete { thread: id.to_owned() }, Task::Delete { keys });
    }

    fn set_mode(&mut self, key: &RequestKey, request: &SetSessionModeRequest) -> Result<(), Error> {
        let (session, core) = self.session(&request.session_id)?;
        session.set_mode(core, &request.mode_id.0)?;
        core.reply(key, SetSessionModeResponse::new());
        Ok(())
    }

    fn set_config_option(
        &mut self,
        key: &RequestKey,
        request: &SetSessionConfigOptionRequest,
    ) -> Result<(), Error> {
        let value = request.value.as_value_id();
        let value = value.ok_or_else(|| invalid("the value must be the id of a choice"))?;
        let (session, core) = self.session(&request.session_id)?;
        session.set_option(core, &request.config_id.0, &value.0)?;
        let options = session.options(core);
        core.reply(key, SetSessionConfigOptionResponse::new(options));
        Ok(())
    }

    fn prompt(&mut self, key: &RequestKey, request: PromptRequest) -> Result<(), Error> {
        let id = request.session_id.clone();
        let (session, core) = self.session(&id)?;
        let prompt = Prompt::new(key.clone(), request)?;
        session.prompt(core, prompt);
        Ok(())
    }
}

fn check_id(id: &SessionId) -> Result<String, Error> {
    if is_thread(&id.0) { Ok(id.to_string()) } else { Err(session_not_found(id)) }
}
