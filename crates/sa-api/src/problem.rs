//! Errors: RFC 7807 problem details, the only form in which this API reports one.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What went wrong, as `application/problem+json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// `urn:sandbox-agent:error:<code>`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind of error, for people.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened here, and what to do about it.
    pub detail: String,
    /// The agent it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent: Option<String>,
    /// The session it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub session_id: Option<String>,
    /// More, by code: for `agent_process_exited` the exit; for the `conflict` of a session `what` it is with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<HashMap<String, serde_json::Value>>, nullable = false)]
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
    InvalidRequest "invalid_request" 400 "Invalid request";
    /// No such agent.
    UnsupportedAgent "unsupported_agent" 400 "Unknown agent";
    /// No token, or not the right one.
    TokenInvalid "token_invalid" 401 "Token missing or invalid";
    /// Host or Origin not allowed, or the system forbids it.
    PermissionDenied "permission_denied" 403 "Not allowed";
    /// Nothing there.
    NotFound "not_found" 404 "Not found";
    /// The agent has to be installed first.
    AgentNotInstalled "agent_not_installed" 404 "Agent not installed";
    /// No source has this version of the agent.
    VersionNotFound "version_not_found" 404 "Unknown version";
    /// The path exists, but not for this method.
    MethodNotAllowed "method_not_allowed" 405 "Method not allowed";
    /// The client accepts nothing that this operation answers with.
    NotAcceptable "not_acceptable" 406 "Not acceptable";
    /// The body stopped coming.
    RequestTimeout "request_timeout" 408 "Request timed out";
    /// It contradicts what is there.
    Conflict "conflict" 409 "Conflict";
    /// A condition of the request does not hold.
    PreconditionFailed "precondition_failed" 412 "Precondition failed";
    /// The body exceeds the limit.
    PayloadTooLarge "payload_too_large" 413 "Body too large";
    /// The body's content type is not the one this operation takes.
    UnsupportedMediaType "unsupported_media_type" 415 "Unsupported content type";
    /// No byte of the file is in the range.
    RangeNotSatisfiable "range_not_satisfiable" 416 "Range not satisfiable";
    /// The agent is not built for this machine.
    UnsupportedPlatform "unsupported_platform" 422 "Not built for this platform";
    /// The agent cannot do it.
    Unsupported "unsupported" 422 "Not supported by the agent";
    /// The provider does not accept the agent's credentials, or there are none.
    CredentialsRefused "credentials_refused" 422 "Credentials missing or refused";
    /// The agent can be installed, but not be started here.
    AgentNotStartable "agent_not_startable" 422 "Agent cannot be started";
    /// A limit on counts is reached.
    TooManyRequests "too_many_requests" 429 "Too many requests";
    /// A bug of the daemon.
    Internal "internal" 500 "Internal error";
    /// The agent ended.
    AgentProcessExited "agent_process_exited" 502 "Agent process exited";
    /// The agent could not be started.
    SpawnFailed "spawn_failed" 502 "Agent could not be started";
    /// No source could provide the agent.
    InstallFailed "install_failed" 502 "Installation failed";
    /// The model's provider did not answer.
    ProviderUnreachable "provider_unreachable" 502 "Provider could not be reached";
    /// The agent did not tell what it was asked.
    InquiryFailed "inquiry_failed" 502 "Agent did not answer";
    /// The agent answered with an error.
    AgentRefused "agent_refused" 502 "Agent refused";
    /// Talking to the agent failed.
    StreamError "stream_error" 502 "Agent stream error";
    /// The daemon is stopping.
    ShuttingDown "shutting_down" 503 "Shutting down";
    /// The agent said nothing for too long.
    Timeout "timeout" 504 "Agent timed out";
    /// The disk is full.
    InsufficientStorage "insufficient_storage" 507 "No space left";
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
