//! The requests of a client, each read once and into one form.

use crate::protocol::errors::invalid;
use crate::protocol::incoming::{RequestKey, params};
use crate::protocol::marks::Asking;
use crate::protocol::profile::{Extra, Profile};
use agent_client_protocol_schema::v1::{
    AuthenticateRequest, CloseSessionRequest, DeleteSessionRequest, Error, ForkSessionRequest,
    ListSessionsRequest, LoadSessionRequest, LogoutRequest, McpServer, NewSessionRequest, PromptRequest,
    ResumeSessionRequest, SessionConfigOptionValue, SessionId, SetSessionConfigOptionRequest,
    SetSessionModeRequest,
};
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a client wants.
#[derive(Debug)]
pub enum Request {
    /// It says that it has credentials now, in the way that the agent named.
    Authenticate,
    /// It wants no credentials to be kept.
    Logout,
    /// A session is to be opened.
    Open(How, Workspace),
    /// Which sessions there are.
    List(Box<ListSessionsRequest>),
    /// A session is to be closed.
    Close(SessionId),
    /// Nothing is to be left of a session.
    Delete(SessionId),
    /// Something about a session is to be another from now on.
    Set(SessionId, Setting),
    /// A prompt.
    Prompt(Box<PromptRequest>),
}

/// In which way a session is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It is new.
    New,
    /// This one goes on, and tells what was said in it.
    Loaded(SessionId),
    /// This one goes on.
    Resumed(SessionId),
    /// It is a copy of this one.
    Forked(SessionId),
}

impl How {
    /// The session that it goes on with, or is a copy of.
    pub fn origin(&self) -> Option<&SessionId> {
        match self {
            Self::New => None,
            Self::Loaded(id) | Self::Resumed(id) | Self::Forked(id) => Some(id),
        }
    }

    /// The session that it goes on with.
    pub fn continued(&self) -> Option<&SessionId> {
        self.origin().filter(|_| !matches!(self, Self::Forked(_)))
    }

    /// Whether what was said is to be told.
    pub fn is_loaded(&self) -> bool {
        matches!(self, Self::Loaded(_))
    }
}

/// The surroundings of a session, which a client names whenever it opens one. `S` are its MCP servers: as the client names
/// them, or in the form of a CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace<S = Vec<McpServer>> {
    /// The working directory.
    pub cwd: PathBuf,
    /// Further directories that it may work in.
    pub directories: Vec<PathBuf>,
    /// The MCP servers.
    pub servers: S,
    /// Who decides on what the agent would allow by itself.
    pub asking: Asking,
}

impl Workspace {
    /// Brings the MCP servers into the form of a CLI.
    pub fn with_servers<S>(
        self,
        convert: impl FnOnce(Vec<McpServer>) -> Result<S, Error>,
    ) -> Result<Workspace<S>, Error> {
        let Self { cwd, directories, servers, asking } = self;
        Ok(Workspace { cwd, directories, servers: convert(servers)?, asking })
    }

    /// Returns an error if the session cannot work there.
    pub fn check(&self, is_directory: impl Fn(&Path) -> bool) -> Result<(), Error> {
        for path in std::iter::once(&self.cwd).chain(&self.directories) {
            if !path.is_absolute() {
                return Err(invalid(format!("not an absolute path: {}", path.display())));
            }
            if !is_directory(path) {
                return Err(invalid(format!("no such directory: {}", path.display())));
            }
        }
        Ok(())
    }
}

/// A client's request to open a session.
#[derive(Debug)]
pub struct OpenRequest<S = Vec<McpServer>> {
    /// The request to answer.
    pub key: RequestKey,
    /// Which session is opened.
    pub how: How,
    /// The surroundings of the session.
    pub workspace: Workspace<S>,
}

/// Something that is to be another from now on.
#[derive(Debug)]
pub struct Setting {
    /// In which form that was asked for.
    pub form: Form,
    /// The option.
    pub option: Arc<str>,
    /// Its new value.
    pub value: SessionConfigOptionValue,
}

/// In which form a client asks for a change: there is one for all options, and older ones for single options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The mode alone.
    Mode,
    /// The model alone.
    Model,
    /// Any option.
    Option,
}

impl Setting {
    /// The value of an option that is chosen from a list.
    pub fn choice(&self) -> Result<&str, Error> {
        let value = self.value.as_value_id().map(|value| &*value.0);
        value.ok_or_else(|| invalid("the value must be the id of a choice"))
    }
}

impl Request {
    /// Reads a request to an agent of that profile.
    pub(crate) fn read(profile: &Profile, method: &str, text: Option<&str>) -> Result<Self, Error> {
        Ok(match method {
            "authenticate" => {
                let AuthenticateRequest { method_id, .. } = params(text)?;
                if &*method_id.0 != profile.login.id {
                    return Err(Error::invalid_params().data(json!({ "methodId": method_id })));
                }
                Self::Authenticate
            }
            "logout" if profile.has(Extra::Logout) => {
                let _: LogoutRequest = params(text)?;
                Self::Logout
            }
            "session/list" => Self::List(params(text)?),
            "session/close" => {
                let CloseSessionRequest { session_id, .. } = params(text)?;
                Self::Close(session_id)
            }
            "session/delete" => {
                let DeleteSessionRequest { session_id, .. } = params(text)?;
                Self::Delete(session_id)
            }
            "session/prompt" => Self::Prompt(params(text)?),
            "session/set_mode" | "session/set_model" | "session/set_config_option" => {
                return Self::set(profile, method, text);
            }
            _ => return Self::open(profile, method, text),
        })
    }

    fn open(profile: &Profile, method: &str, text: Option<&str>) -> Result<Self, Error> {
        let (how, cwd, directories, servers, meta) = match method {
            "session/new" => {
                let request: NewSessionRequest = params(text)?;
                (How::New, request.cwd, request.additional_directories, request.mcp_servers, request.meta)
            }
            "session/load" => {
                let request: LoadSessionRequest = params(text)?;
                let how = How::Loaded(request.session_id);
                (how, request.cwd, request.additional_directories, request.mcp_servers, request.meta)
            }
            "session/resume" => {
                let request: ResumeSessionRequest = params(text)?;
                let how = How::Resumed(request.session_id);
                (how, request.cwd, request.additional_directories, request.mcp_servers, request.meta)
            }
            "session/fork" if profile.has(Extra::Fork) => {
                let request: ForkSessionRequest = params(text)?;
                let how = How::Forked(request.session_id);
                (how, request.cwd, request.additional_directories, request.mcp_servers, request.meta)
            }
            _ => return Err(unknown(method)),
        };
        if !directories.is_empty() && !profile.has(Extra::Directories) {
            return Err(invalid(format!("{} works in one directory", profile.title)));
        }
        Ok(Self::Open(how, Workspace { cwd, directories, servers, asking: Asking::read(meta.as_ref()) }))
    }

    fn set(profile: &Profile, method: &str, text: Option<&str>) -> Result<Self, Error> {
        /// Gone from the protocol and still sent by clients.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct SetModel {
            session_id: SessionId,
            model_id: String,
        }
        let (session, form, option, value) = match method {
            "session/set_mode" => {
                let SetSessionModeRequest { session_id, mode_id, .. } = params(text)?;
                (session_id, Form::Mode, "mode".into(), SessionConfigOptionValue::value_id(mode_id.0))
            }
            "session/set_model" if profile.has(Extra::SetModel) => {
                let SetModel { session_id, model_id } = params(text)?;
                (session_id, Form::Model, "model".into(), SessionConfigOptionValue::value_id(model_id))
            }
            "session/set_config_option" => {
                let SetSessionConfigOptionRequest { session_id, config_id, value, .. } = params(text)?;
                (session_id, Form::Option, config_id.0, value)
            }
            _ => return Err(unknown(method)),
        };
        Ok(Self::Set(session, Setting { form, option, value }))
    }
}

fn unknown(method: &str) -> Error {
    Error::method_not_found().data(json!({ "method": method }))
}
