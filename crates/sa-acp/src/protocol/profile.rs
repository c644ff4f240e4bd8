//! An agent's description of itself in the handshake.

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentAuthCapabilities, AgentCapabilities, AuthMethod, AuthMethodAgent, Implementation,
    InitializeResponse, LogoutCapabilities, McpCapabilities, Meta, PromptCapabilities,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionForkCapabilities, SessionListCapabilities, SessionResumeCapabilities,
};
use serde_json::Value;

/// An agent's description of itself. Every agent here opens, lists, closes and deletes sessions, resumes earlier ones, and
/// takes pictures and embedded files in prompts. An ability that only some agents have is an [`Extra`].
#[derive(Debug)]
pub struct Profile {
    pub name: &'static str,
    pub title: &'static str,
    /// The key of `_meta` for data that the protocol has no field for.
    pub namespace: &'static str,
    pub login: Login,
    pub extras: &'static [Extra],
}

/// The one way to log in.
#[derive(Debug)]
pub struct Login {
    pub id: &'static str,
    pub name: &'static str,
    pub description: &'static str,
}

/// Something that not every agent can. Requests for what an agent cannot are not known to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Sound in prompts.
    Audio,
    /// More directories than one for a session.
    Directories,
    /// Pictures in prompts by their address.
    ImageUrls,
    /// MCP servers over HTTP.
    Http,
    /// Copies of sessions.
    Fork,
    /// Logging out.
    Logout,
    /// `session/set_model`, which is gone from the protocol and still sent by clients.
    SetModel,
    /// MCP servers over SSE.
    Sse,
}

impl Profile {
    /// Returns whether the agent has this ability.
    pub fn has(&self, extra: Extra) -> bool {
        self.extras.contains(&extra)
    }

    /// Returns details that the protocol has no member for: `value` under the agent's own name.
    pub fn meta(&self, value: Value) -> Meta {
        Meta::from_iter([(self.namespace.to_owned(), value)])
    }

    /// The answer to `initialize`.
    pub(crate) fn greeting(&self, version: ProtocolVersion) -> InitializeResponse {
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .additional_directories(
                self.has(Extra::Directories).then(SessionAdditionalDirectoriesCapabilities::new),
            )
            .fork(self.has(Extra::Fork).then(SessionForkCapabilities::new))
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new());
        let prompts =
            PromptCapabilities::new().image(true).audio(self.has(Extra::Audio)).embedded_context(true);
        let logout = self.has(Extra::Logout).then(LogoutCapabilities::new);
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(prompts)
            .mcp_capabilities(McpCapabilities::new().http(self.has(Extra::Http)).sse(self.has(Extra::Sse)))
            .session_capabilities(sessions)
            .auth(AgentAuthCapabilities::new().logout(logout));
        let login = AuthMethodAgent::new(self.login.id, self.login.name)
            .description(self.login.description.to_owned());
        InitializeResponse::new(version)
            .agent_capabilities(capabilities)
            .auth_methods(vec![AuthMethod::Agent(login)])
            .agent_info(
                Implementation::new(self.name, env!("CARGO_PKG_VERSION")).title(self.title.to_owned()),
            )
    }
}
