//! Failures of agents' servers as problems.

use super::ApiError;
use sa_api::{AgentExit, ErrorCode, Problem};
use sa_hub::{BadServerId, CallError, OpenError, StreamError};
use sa_jsonrpc::{ErrorObject, codes};
use sa_relay::Refused;

impl From<OpenError> for ApiError {
    fn from(error: OpenError) -> Self {
        let detail = error.to_string();
        let (code, agent) = match error {
            OpenError::Unknown(_) => (ErrorCode::InvalidRequest, None),
            OpenError::UnknownAgent(unknown) => (ErrorCode::UnsupportedAgent, Some(unknown.agent)),
            OpenError::OtherAgent { bound, .. } => (ErrorCode::Conflict, Some(bound)),
            OpenError::OtherVersion { .. } => (ErrorCode::Conflict, None),
            OpenError::NotStartable(error) => (ErrorCode::AgentNotStartable, Some(error.agent)),
            OpenError::TooMany(_) => (ErrorCode::TooManyRequests, None),
            OpenError::ShuttingDown => (ErrorCode::ShuttingDown, None),
        };
        Problem { agent, ..Problem::new(code, detail) }.into()
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

codes! {
    StreamError {
        StreamError::Busy => Conflict,
        StreamError::TooMany(_) => TooManyRequests,
        StreamError::LongSession(_) => InvalidRequest,
    }
    BadServerId {
        _ => InvalidRequest,
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
