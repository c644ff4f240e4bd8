//! Failures of installing, starting and asking agents as problems.

use super::ApiError;
use sa_agents::NotStartable;
use sa_api::{ErrorCode, Problem};
use sa_install::{InstallError, LaunchError, NodeError};
use sa_probe::ProbeError;
use serde_json::json;

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
