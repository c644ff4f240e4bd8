//! The requests of a client, each read once and into one form.

use crate::protocol::errors::{failure, invalid};
use crate::protocol::incoming::{RequestKey, params};
use crate::protocol::marks::Asking;
use crate::protocol::profile::{Extra, Profile};
use agent_client_protocol_schema::v1::{
    AuthenticateRequest, CloseSessionRequest, DeleteSessionRequest, Error, ListSessionsRequest,
    LoadSessionRequest, LogoutRequest, McpServer, NewSessionRequest, PromptRequest, ResumeSessionRequest,
    SessionConfigOptionValue, SessionId, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug)]
pub enum Request {
    /// The client says that there are credentials now.
    Authenticate,
    Logout,
    Open(How, RequestedWorkspace),
    List(Box<ListSessionsRequest>),
    Close(SessionId),
    /// Closes a session and removes what is stored of it.
    Delete(SessionId),
    /// Sets an option of a session.
    Set(SessionId, Setting),
    Prompt(Box<PromptRequest>),
}

/// The session that is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// A new session.
    New,
    /// This session, with its history.
    Loaded(SessionId),
    /// This session, without its history.
    Resumed(SessionId),
    /// A copy of this session.
    Forked(SessionId),
}

impl How {
    /// Returns the session that continues or is copied.
    pub fn origin(&self) -> Option<&SessionId> {
        match self {
            Self::New => None,
            Self::Loaded(id) | Self::Resumed(id) | Self::Forked(id) => Some(id),
        }
    }

    pub fn continued(&self) -> Option<&SessionId> {
        self.origin().filter(|_| !matches!(self, Self::Forked(_)))
    }

    /// Returns whether the client wants the history.
    pub fn is_loaded(&self) -> bool {
        matches!(self, Self::Loaded(_))
    }
}

/// The directories and MCP servers of a session, as a client names them when it opens one.
pub type RequestedWorkspace = Workspace<Vec<McpServer>>;

/// The directories and MCP servers of a session. `S` are the MCP servers; for most CLIs the settings of each, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace<S = Map<String, Value>> {
    pub cwd: PathBuf,
    /// Further directories that the session may work in.
    pub directories: Vec<PathBuf>,
    pub servers: S,
    /// The party that decides on calls that the agent would allow by itself.
    pub asking: Asking,
}

impl<S: PartialEq> Workspace<S> {
    /// Refuses to open a session again in another directory than the one in which it is open.
    pub fn check_directory(&self, asked: &Self) -> Result<(), Error> {
        if self.cwd == asked.cwd { Ok(()) } else { Err(open_already("in another directory")) }
    }

    /// Refuses to open a session again with other MCP servers than those with which it is open.
    pub fn check_servers(&self, asked: &Self) -> Result<(), Error> {
        if self.servers == asked.servers { Ok(()) } else { Err(open_already("with other MCP servers")) }
    }
}

fn open_already(how: &str) -> Error {
    failure(format!("the session is open {how}; close it first"), "busy")
}

/// A client's request to open a session. `S` are the MCP servers of its workspace.
#[derive(Debug)]
pub struct OpenRequest<S = Vec<McpServer>> {
    pub key: RequestKey,
    pub how: How,
    pub workspace: Workspace<S>,
}

/// A client's request to open a session whose directories were checked.
pub type CheckedRequest = OpenRequest<Map<String, Value>>;

impl OpenRequest {
    /// Checks the directories and brings the MCP servers into the form of a CLI.
    pub fn resolve<S>(
        self,
        is_directory: impl Fn(&Path) -> bool,
        convert: impl FnOnce(Vec<McpServer>) -> Result<S, Error>,
    ) -> Result<OpenRequest<S>, Error> {
        let Self { key, how, workspace: Workspace { cwd, directories, servers, asking } } = self;
        for path in std::iter::once(&cwd).chain(&directories) {
            if !path.is_absolute() {
                return Err(invalid(format!("not an absolute path: {}", path.display())));
            }
            if !is_directory(path) {
                return Err(invalid(format!("no such directory: {}", path.display())));
            }
        }
        let workspace = Workspace { cwd, directories, servers: convert(servers)?, asking };
        Ok(OpenRequest { key, how, workspace })
    }
}

#[derive(Debug)]
pub struct ListRequest {
    pub key: RequestKey,
    pub page: ListSessionsRequest,
}

/// A client's request to set an option.
#[derive(Debug)]
pub struct SetRequest {
    pub key: RequestKey,
    pub setting: Setting,
}

/// An option and its new value.
#[derive(Debug)]
pub struct Setting {
    pub form: Form,
    pub option: Arc<str>,
    pub value: SessionConfigOptionValue,
}

/// The method by which an option is set: one for all options, and older ones for single options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `session/set_mode`.
    Mode,
    /// `session/set_model`.
    Model,
    /// `session/set_config_option`.
    Option,
}

impl Setting {
    /// Returns the value of an option that is chosen from a list.
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
            "session/fork" if !profile.has(Extra::Fork) => return Err(unknown(method)),
            // Both have the same parameters.
            "session/resume" | "session/fork" => {
                let request: ResumeSessionRequest = params(text)?;
                let how = if method == "session/fork" { How::Forked } else { How::Resumed };
                let how = how(request.session_id);
                (how, request.cwd, request.additional_directories, request.mcp_servers, request.meta)
            }
            _ => return Err(unknown(method)),
        };
        if !directories.is_empty() && !profile.has(Extra::Directories) {
            return Err(invalid(format!("{} works in one directory", profile.title)));
        }
        Ok(Self::Open(
            how,
            RequestedWorkspace { cwd, directories, servers, asking: Asking::read(meta.as_ref()) },
        ))
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
