//! The one place where errors become HTTP responses.

use crate::excerpt::shorten;
use crate::query;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use sa_agents::NotStartable;
use sa_api::{AgentExit, ErrorCode, Problem};
use sa_config::ConfigError;
use sa_files::FilesError;
use sa_hub::{BadServerId, CallError, OpenError, StreamError};
use sa_install::{InstallError, LaunchError, NodeError};
use sa_jsonrpc::{ErrorObject, codes};
use sa_probe::ProbeError;
use sa_relay::Refused;
use serde_json::json;
use std::io::ErrorKind;

/// An error on its way out.
#[derive(Debug, Clone)]
pub(crate) struct ApiError(pub(crate) Box<Problem>);

/// What handlers return.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    pub(crate) fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Problem::new(code, detail).into()
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, detail)
    }

    fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(&self.0).unwrap_or_default()
    }
}

impl From<Problem> for ApiError {
    fn from(mut problem: Problem) -> Self {
        problem.detail = shorten(problem.detail);
        problem.agent = problem.agent.map(shorten);
        problem.session_id = problem.session_id.map(shorten);
        Self(Box::new(problem))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, self.to_json()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"sandbox-agent\""));
        }
        // Kept for whoever knows what it is about.
        response.extensions_mut().insert(self);
        response
    }
}

/// The answer to a request for that path: a problem of a session says of which.
pub(crate) fn name_session(path: &str, mut response: Response) -> Response {
    let Some(mut error) = response.extensions_mut().remove::<ApiError>() else { return response };
    if error.0.session_id.is_none()
        && let Some(id) = session_in(path)
    {
        error.0.session_id = Some(id);
        response.headers_mut().remove(header::CONTENT_LENGTH);
        *response.body_mut() = error.to_json().into();
    }
    response
}

/// The session that a path is about. Clients may escape what ids need no escapes for.
fn session_in(path: &str) -> Option<String> {
    let id = path.strip_prefix("/v1/sessions/")?.split('/').next()?;
    let id = ["~", ":", "@"].iter().fold(id.to_owned(), |id, sign| {
        let code = sign.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        id.replace(&code, sign).replace(&code.to_lowercase(), sign)
    });
    (!matches!(id.as_str(), "" | "import") && !id.contains('%')).then_some(id)
}

impl From<OpenError> for ApiError {
    fn from(error: OpenError) -> Self {
        let detail = error.to_string();
        match error {
            OpenError::Unknown(_) => Self::invalid(detail),
            OpenError::UnknownAgent(unknown) => {
                Problem::new(ErrorCode::UnsupportedAgent, detail).with_agent(unknown.agent).into()
            }
            OpenError::OtherAgent { bound, .. } => {
                Problem::new(ErrorCode::Conflict, detail).with_agent(bound).into()
            }
            OpenError::OtherVersion { .. } => Self::new(ErrorCode::Conflict, detail),
            OpenError::NotStartable(error) => {
                Problem::new(ErrorCode::AgentNotStartable, detail).with_agent(error.agent).into()
            }
            OpenError::TooMany(_) => Self::new(ErrorCode::TooManyRequests, detail),
            OpenError::ShuttingDown => Self::new(ErrorCode::ShuttingDown, detail),
        }
    }
}

impl From<CallError> for ApiError {
    fn from(error: CallError) -> Self {
        let detail = error.to_string();
        match error {
            CallError::Launch(error) => error.into(),
            CallError::Spawn { agent, .. } => {
                Problem::new(ErrorCode::SpawnFailed, detail).with_agent(agent).into()
            }
            CallError::NotRunning(exit) | CallError::Ended(exit) => {
                Problem::new(ErrorCode::AgentProcessExited, describe_exit(&detail, &exit))
                    .with_details(serde_json::to_value(&exit).unwrap_or_default())
                    .into()
            }
            CallError::NotReading { .. } | CallError::Closing | CallError::Deleted => {
                Self::new(ErrorCode::StreamError, detail)
            }
            CallError::Refused(Refused::LongId(_)) => Self::invalid(detail),
            CallError::Refused(Refused::TooManyPending(_)) => Self::new(ErrorCode::TooManyRequests, detail),
            CallError::Refused(Refused::AmbiguousCancel(_)) => Self::new(ErrorCode::Conflict, detail),
            CallError::Silent(_) => Self::new(ErrorCode::Timeout, detail),
        }
    }
}

impl From<StreamError> for ApiError {
    fn from(error: StreamError) -> Self {
        let code = match error {
            StreamError::Busy => ErrorCode::Conflict,
            StreamError::TooMany(_) => ErrorCode::TooManyRequests,
            StreamError::LongSession(_) => ErrorCode::InvalidRequest,
        };
        Self::new(code, error.to_string())
    }
}

impl From<LaunchError> for ApiError {
    fn from(error: LaunchError) -> Self {
        let detail = error.to_string();
        match error {
            LaunchError::Install(error) => error.into(),
            LaunchError::Node(NodeError::Missing { agent, .. } | NodeError::Unsuitable { agent, .. })
            | LaunchError::NotStartable(NotStartable { agent }) => {
                Problem::new(ErrorCode::AgentNotStartable, detail).with_agent(agent).into()
            }
            LaunchError::NoVersions(agent) => {
                Problem::new(ErrorCode::VersionNotFound, detail).with_agent(agent).into()
            }
        }
    }
}

impl From<InstallError> for ApiError {
    fn from(error: InstallError) -> Self {
        let code = match &error {
            InstallError::NotInstallable { .. } | InstallError::BadVersion { .. } => {
                ErrorCode::InvalidRequest
            }
            InstallError::NotInstalled { .. } => ErrorCode::Unsupported,
            InstallError::UnknownVersion { .. } => ErrorCode::VersionNotFound,
            InstallError::NoBuild { .. } => ErrorCode::UnsupportedPlatform,
            InstallError::NoSource { .. } => ErrorCode::InstallFailed,
            InstallError::Forbidden { .. } => ErrorCode::AgentNotInstalled,
            InstallError::DiskFull { .. } => ErrorCode::InsufficientStorage,
            InstallError::Store { .. } => ErrorCode::Internal,
            InstallError::Interrupted(_) => ErrorCode::ShuttingDown,
        };
        let mut problem = Problem::new(code, error.to_string());
        problem.agent = error.agent().map(str::to_owned);
        let attempts = error.attempts().iter().map(
            |attempt| json!({"source": attempt.source.name(), "url": attempt.url, "reason": attempt.reason}),
        );
        let attempts: Vec<_> = attempts.collect();
        if !attempts.is_empty() {
            problem.details = Some(json!({"attempts": attempts}));
        }
        problem.into()
    }
}

/// About this agent.
impl From<(ProbeError, &str)> for ApiError {
    fn from((error, agent): (ProbeError, &str)) -> Self {
        let code = match error {
            ProbeError::Install(error) => return error.into(),
            ProbeError::NotInstalled => ErrorCode::AgentNotInstalled,
            ProbeError::NotStartable => ErrorCode::AgentNotStartable,
            ProbeError::Spawn(_) => ErrorCode::SpawnFailed,
            ProbeError::NotLoggedIn(_) => ErrorCode::CredentialsRefused,
            ProbeError::Refused { .. } => ErrorCode::AgentRefused,
            ProbeError::Ended(_) | ProbeError::Silent(_) => ErrorCode::InquiryFailed,
        };
        Problem::new(code, format!("'{agent}': {error}")).with_agent(agent).into()
    }
}

impl From<BadServerId> for ApiError {
    fn from(error: BadServerId) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<ConfigError> for ApiError {
    fn from(error: ConfigError) -> Self {
        let code = match &error {
            ConfigError::Invalid(_) => ErrorCode::InvalidRequest,
            ConfigError::Missing(_) => ErrorCode::NotFound,
            ConfigError::TooLarge(_) => ErrorCode::PayloadTooLarge,
            ConfigError::TooMany(_) => ErrorCode::TooManyRequests,
            ConfigError::Disk(error) if error.is_full() => ErrorCode::InsufficientStorage,
            ConfigError::Disk(error) => match error.source.kind() {
                ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorCode::PermissionDenied,
                _ => ErrorCode::Internal,
            },
        };
        Self::new(code, error.to_string())
    }
}

impl From<FilesError> for ApiError {
    fn from(error: FilesError) -> Self {
        let code = match error {
            FilesError::Invalid(_) => ErrorCode::InvalidRequest,
            FilesError::NotFound(_) => ErrorCode::NotFound,
            FilesError::Outside(_) | FilesError::Denied { .. } => ErrorCode::PermissionDenied,
            FilesError::Conflict(_) => ErrorCode::Conflict,
            FilesError::Precondition(_) => ErrorCode::PreconditionFailed,
            FilesError::TooLarge(_) => ErrorCode::PayloadTooLarge,
            FilesError::Range { .. } => ErrorCode::RangeNotSatisfiable,
            FilesError::NoSpace(_) => ErrorCode::InsufficientStorage,
            FilesError::TooMany(_) => ErrorCode::TooManyRequests,
            FilesError::Stalled(_) => ErrorCode::RequestTimeout,
            FilesError::Unsupported(_) => ErrorCode::UnsupportedPlatform,
            FilesError::Io { .. } => ErrorCode::Internal,
        };
        Self::new(code, error.to_string())
    }
}

impl From<QueryRejection> for ApiError {
    /// Queries were checked before, so this is for values that only their handler can judge.
    fn from(rejection: QueryRejection) -> Self {
        let text = rejection.body_text();
        let parts: Vec<&str> = text.splitn(3, ": ").collect();
        match parts[..] {
            [_, name, _] => query::refusal(name, "not a value that this parameter takes"),
            _ => Self::invalid("the query could not be read"),
        }
    }
}

impl From<PathRejection> for ApiError {
    fn from(_: PathRejection) -> Self {
        Self::invalid("the path is not UTF-8")
    }
}

/// A request that should have been a WebSocket's handshake.
impl From<WebSocketUpgradeRejection> for ApiError {
    fn from(rejection: WebSocketUpgradeRejection) -> Self {
        Self::invalid(match rejection {
            WebSocketUpgradeRejection::InvalidWebSocketVersionHeader(_) => {
                "unsupported WebSocket version: send 'Sec-WebSocket-Version: 13'"
            }
            _ => {
                "this operation is a WebSocket: send 'Connection: Upgrade', 'Upgrade: websocket', \
                 'Sec-WebSocket-Version: 13' and 'Sec-WebSocket-Key'"
            }
        })
    }
}

fn describe_exit(what: &str, exit: &AgentExit) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!("{what} (exit code {code})"),
        (None, Some(signal)) => format!("{what} (signal {signal})"),
        (None, None) => what.to_owned(),
    }
}

/// The same failure as a JSON-RPC error: for places where the status line is already written, or there is none.
pub(crate) fn rpc_error(error: &CallError) -> ErrorObject {
    let problem = ApiError::from(error.clone()).0;
    let data = serde_json::to_value(&problem).ok();
    ErrorObject { code: codes::INTERNAL_ERROR, message: problem.detail, data }
}
