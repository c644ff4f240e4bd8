//! How `run` and `chat` begin a session, and why they cannot.

use crate::args::SessionArgs;
use crate::commands::api;
use crate::commands::target::DaemonLocation;
use crate::commands::terminal::key_variable;
use crate::failure::Failure;
use anyhow::{Context, anyhow};
use sa_api::sessions::{AgentError, CreateSession, Session};
use sa_api::{AgentInfo, CredentialStatus, ErrorCode};
use sa_client::{AgentQuery, Client, ClientError};
use sa_terminal::{Explanation, explain_agent_error};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time that the daemon gets to cancel the turn or delete the session of a command that is ending.
pub(crate) const CLEANUP_TIMEOUT: Duration = Duration::from_secs(5);
/// Exit code for an agent that is not logged in.
pub(crate) const EXIT_NOT_LOGGED_IN: u8 = 4;

/// Puts a failure of the API into words: what failed, and what to do. Details for programs are left out.
pub(crate) fn explain(error: ClientError) -> Failure {
    match error {
        ClientError::Problem { status, problem } if status != 401 => {
            Failure::Failed(anyhow!("{}", problem.detail.trim()))
        }
        error => api::explain(error),
    }
}

/// The reason why an agent is not ready.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) explanation: Explanation,
    is_logged_out: bool,
}

impl Refused {
    fn new(agent: &str, error: &AgentError) -> Self {
        let explanation = explain_agent_error(agent, error, key_variable(agent).as_deref());
        Self { explanation, is_logged_out: matches!(error, AgentError::TokenError { .. }) }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        if self.is_logged_out { EXIT_NOT_LOGGED_IN } else { 1 }
    }
}

/// Returns the agent that was named, or the one installed agent that has credentials.
pub(crate) async fn choose_agent(client: &Client, named: Option<&str>) -> Result<String, Failure> {
    if let Some(agent) = named {
        return Ok(agent.to_owned());
    }
    let agents = client.list_agents(AgentQuery::default()).await.map_err(explain)?.agents;
    let is_ready =
        |agent: &&AgentInfo| agent.installed && agent.credential_status == CredentialStatus::Available;
    let ready: Vec<&str> = agents.iter().filter(is_ready).map(|agent| agent.id.as_str()).collect();
    match ready.as_slice() {
        [agent] => Ok((*agent).to_owned()),
        [] => Err(Failure::usage(
            "no installed agent has credentials: name one with --agent; 'demo' works without any",
        )),
        several => Err(Failure::usage(format!(
            "several agents are ready: name one with --agent: {}",
            several.join(", ")
        ))),
    }
}

/// An id that no other session has. It is known before the session is there, so that one which is not wanted any more can be
/// deleted while it starts.
pub(crate) fn made_up_id(command: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{command}-{:x}-{:x}", now.as_nanos(), std::process::id())
}

/// The request for a new session.
pub(crate) fn request(
    agent: &str,
    args: &SessionArgs,
    place: DaemonLocation,
) -> Result<CreateSession, Failure> {
    let cwd = directory(args.cwd.as_deref(), place)?;
    let mut request = CreateSession { agent: agent.to_owned(), cwd, ..CreateSession::default() };
    args.choices.clone().apply(&mut request);
    Ok(request)
}

/// The directory to work in. Another machine has directories of its own.
fn directory(given: Option<&str>, place: DaemonLocation) -> Result<Option<String>, Failure> {
    if place == DaemonLocation::Given {
        return Ok(given.map(str::to_owned));
    }
    let path = std::path::absolute(given.unwrap_or(".")).context("cannot find the current directory")?;
    let path = path.to_str().context("the current directory's name is no text: pass --cwd")?;
    Ok(Some(path.to_owned()))
}

/// Separates sessions whose agent is not ready from those that can be used.
pub(crate) fn checked(
    agent: &str,
    created: Result<Session, ClientError>,
) -> Result<Result<Session, Refused>, Failure> {
    match created {
        Ok(Session { error: Some(error), .. }) => Ok(Err(Refused::new(agent, &error))),
        Ok(session) => Ok(Ok(session)),
        Err(ClientError::Problem { problem, .. })
            if problem.kind.ends_with(ErrorCode::CredentialsRefused.code()) =>
        {
            Ok(Err(Refused::new(agent, &AgentError::TokenError { message: problem.detail })))
        }
        Err(error) => Err(explain(error)),
    }
}
