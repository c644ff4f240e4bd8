//! Errors: RFC 7807 problem details, the only form in which this API reports one.

use sa_api_macros::api;

/// An error, as `application/problem+json`.
#[api]
pub struct Problem {
    /// Type of the error: `urn:sandbox-agent:error:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title of the type of error.
    pub title: String,
    /// HTTP status.
    pub status: u16,
    /// Description of the error, and how to solve it.
    pub detail: String,
    /// Id of the agent that the error concerns.
    pub agent: Option<String>,
    /// Id of the session that the error concerns.
    pub session_id: Option<String>,
    /// Details by type: for `agent_process_exited` the exit, for the `conflict` of a session `what` it conflicts with.
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>)]
    pub details: Option<serde_json::Value>,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal $status:literal $title:literal;)*) => {
        /// Every kind of error, with its code, status and title.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ErrorCode { $($(#[$doc])* $name,)* }

        impl ErrorCode {
            /// The last part of the problem's `type`.
            pub fn code(self) -> &'static str { match self { $(Self::$name => $code,)* } }
            /// The HTTP status.
            pub fn status(self) -> u16 { match self { $(Self::$name => $status,)* } }
            /// The problem's `title`.
            pub fn title(self) -> &'static str { match self { $(Self::$name => $title,)* } }
        }
    };
}

codes! {
    /// The request is malformed.
    InvalidRequest "invalid_request" 400 "Invalid Request";
    /// No such agent.
    UnsupportedAgent "unsupported_agent" 400 "Unsupported Agent";
    /// No token, or not the right one.
    TokenInvalid "token_invalid" 401 "Token Invalid";
    /// Host or Origin not allowed, or the system forbids it.
    PermissionDenied "permission_denied" 403 "Permission Denied";
    /// Nothing there.
    NotFound "not_found" 404 "Not Found";
    /// The agent has to be installed first.
    AgentNotInstalled "agent_not_installed" 404 "Agent Not Installed";
    /// No source has this version of the agent.
    VersionNotFound "version_not_found" 404 "Version Not Found";
    /// The path exists, but not for this method.
    MethodNotAllowed "method_not_allowed" 405 "Method Not Allowed";
    /// The client accepts nothing that this operation answers with.
    NotAcceptable "not_acceptable" 406 "Not Acceptable";
    /// The body stopped coming.
    RequestTimeout "request_timeout" 408 "Request Timeout";
    /// A conflict with the current state.
    Conflict "conflict" 409 "Conflict";
    /// A condition of the request does not hold.
    PreconditionFailed "precondition_failed" 412 "Precondition Failed";
    /// The body exceeds the limit.
    PayloadTooLarge "payload_too_large" 413 "Payload Too Large";
    /// The body's content type is not the one this operation takes.
    UnsupportedMediaType "unsupported_media_type" 415 "Unsupported Media Type";
    /// No byte of the file is in the range.
    RangeNotSatisfiable "range_not_satisfiable" 416 "Range Not Satisfiable";
    /// The agent is not built for this machine.
    UnsupportedPlatform "unsupported_platform" 422 "Unsupported Platform";
    /// The request is well formed, but a value in it cannot be used, such as a directory that does not exist.
    InvalidValue "invalid_value" 422 "Invalid Value";
    /// The agent cannot do it.
    Unsupported "unsupported" 422 "Unsupported";
    /// An answer does not keep a bound of its question.
    InvalidAnswer "invalid_answer" 422 "Invalid Answer";
    /// The provider does not accept the agent's credentials, or there are none.
    CredentialsRefused "credentials_refused" 422 "Credentials Refused";
    /// The agent can be installed, but not be started here.
    AgentNotStartable "agent_not_startable" 422 "Agent Not Startable";
    /// A limit on counts is reached.
    TooManyRequests "too_many_requests" 429 "Too Many Requests";
    /// A bug of the daemon.
    Internal "internal" 500 "Internal Error";
    /// The agent ended.
    AgentProcessExited "agent_process_exited" 502 "Agent Process Exited";
    /// The agent could not be started.
    SpawnFailed "spawn_failed" 502 "Spawn Failed";
    /// No source could provide the agent.
    InstallFailed "install_failed" 502 "Install Failed";
    /// The model's provider did not answer.
    ProviderUnreachable "provider_unreachable" 502 "Provider Unreachable";
    /// The agent did not answer an inquiry.
    InquiryFailed "inquiry_failed" 502 "Inquiry Failed";
    /// The agent answered with an error.
    AgentRefused "agent_refused" 502 "Agent Refused";
    /// Talking to the agent failed.
    StreamError "stream_error" 502 "Stream Error";
    /// The daemon is stopping.
    ShuttingDown "shutting_down" 503 "Shutting Down";
    /// The system has no file descriptor, thread, process or memory to spare.
    ResourceExhausted "resource_exhausted" 503 "Resource Exhausted";
    /// The agent said nothing for too long.
    Timeout "timeout" 504 "Timeout";
    /// The disk is full.
    InsufficientStorage "insufficient_storage" 507 "Insufficient Storage";
}

impl Problem {
    /// A problem of that kind.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:sandbox-agent:error:{}", code.code()),
            title: code.title().to_owned(),
            status: code.status(),
            detail: detail.into(),
            agent: None,
            session_id: None,
            details: None,
        }
    }

    /// The same, about this agent.
    #[must_use]
    pub fn with_agent(mut self, agent: impl Into<String>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// The same, about this session.
    #[must_use]
    pub fn with_session(mut self, session_id: impl Into<String>) -> Self {
        self.session_id = Some(session_id.into());
        self
    }

    /// The same, with more for programs.
    #[must_use]
    pub fn with_details(mut self, details: serde_json::Value) -> Self {
        self.details = Some(details);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    /// Clients of sandbox-agent 0.4.2 know these titles.
    #[test]
    fn titles_are_those_that_clients_know() {
        let known = [
            (ErrorCode::InvalidRequest, "Invalid Request"),
            (ErrorCode::UnsupportedAgent, "Unsupported Agent"),
            (ErrorCode::TokenInvalid, "Token Invalid"),
            (ErrorCode::PermissionDenied, "Permission Denied"),
            (ErrorCode::NotFound, "Not Found"),
            (ErrorCode::AgentNotInstalled, "Agent Not Installed"),
            (ErrorCode::NotAcceptable, "Not Acceptable"),
            (ErrorCode::Conflict, "Conflict"),
            (ErrorCode::UnsupportedMediaType, "Unsupported Media Type"),
            (ErrorCode::AgentProcessExited, "Agent Process Exited"),
            (ErrorCode::InstallFailed, "Install Failed"),
            (ErrorCode::StreamError, "Stream Error"),
            (ErrorCode::Timeout, "Timeout"),
        ];
        for (code, title) in known {
            assert_eq!(code.title(), title);
        }
    }
}
