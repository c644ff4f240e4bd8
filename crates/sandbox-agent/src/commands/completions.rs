//! `sandbox-agent completions <shell>`, and the answers that the printed script asks this program for.
//!
//! The script is a few lines that call this program at each press of Tab. So completions are those of the installed
//! version, and the ids of agents and sessions can be completed.

use crate::args::{self, Connection, from_environment};
use crate::commands::api::client_runtime;
use crate::failure::Failure;
use clap::{ArgAction, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{Bash, Elvish, EnvCompleter, Fish, Powershell, Zsh};
use clap_complete::{CompleteEnv, Shell};
use sa_api::sessions::Session;
use sa_client::{AgentQuery, Client, ClientError, Page, SessionQuery};
use std::ffi::OsStr;
use std::io::Write;
use std::time::Duration;

/// The variable that makes this program answer a shell; its value is the shell.
const VARIABLE: &str = "SANDBOX_AGENT_COMPLETE";
const PROGRAM: &str = "sandbox-agent";
/// Time that a user waits for the names that a daemon knows.
const PATIENCE: Duration = Duration::from_secs(2);
/// Sessions that are offered.
const SESSIONS: usize = 100;

pub(crate) fn run(shell: Shell) -> Result<(), Failure> {
    let completer: &dyn EnvCompleter = match shell {
        Shell::Bash => &Bash,
        Shell::Elvish => &Elvish,
        Shell::Fish => &Fish,
        Shell::PowerShell => &Powershell,
        Shell::Zsh => &Zsh,
        other => return Err(Failure::usage(format_args!("there are no completions for {other}"))),
    };
    let mut script = Vec::new();
    completer.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    Ok(std::io::stdout().write_all(&script)?)
}

/// Answers a shell that asks for completions. Returns only if none does.
pub(crate) fn answer_shell() {
    if std::env::var_os(VARIABLE).is_some() {
        CompleteEnv::with_factory(|| completing(offered(), Below::Root))
            .var(VARIABLE)
            .bin(PROGRAM)
            .complete();
    }
}

/// The commands for people; the engine would offer the hidden ones as well if nothing else fits.
fn offered() -> Command {
    let whole = args::command();
    let visible = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    clap::Command::new(PROGRAM)
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommands(visible)
}

/// The commands that a command belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Root,
    Agents,
    Sessions,
}

/// Gives arguments that name agents and sessions their completions.
fn completing(command: Command, below: Below) -> Command {
    let below = match command.get_name() {
        "agents" | "install-agent" | "uninstall-agent" | "outdated" | "doctor" => Below::Agents,
        "sessions" => Below::Sessions,
        _ => below,
    };
    let command = command.mut_args(|arg| {
        let takes_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        match arg.get_id().as_str() {
            "agent" | "agents" if takes_value && arg.get_possible_values().is_empty() => {
                arg.add(ArgValueCompleter::new(agents))
            }
            "id" if takes_value && below == Below::Sessions => arg.add(ArgValueCompleter::new(sessions)),
            _ => arg,
        }
    });
    command.mut_subcommands(|child| completing(child, below))
}

/// The agents that start with `current`: those of the daemon, or those that ship if none answers.
fn agents(current: &OsStr) -> Vec<CompletionCandidate> {
    let listed = ask(async |client: Client| {
        let list = client.list_agents(AgentQuery::default()).await?;
        Ok(list.agents.into_iter().map(|agent| (agent.id, agent.name)).collect())
    });
    let shipped = || {
        let catalog = sa_agents::Catalog::shipped().ok()?;
        Some(catalog.iter().map(|agent| (agent.id.clone(), agent.name.clone())).collect())
    };
    candidates(current, listed.or_else(shipped).unwrap_or_default())
}

/// The newest sessions that start with `current`.
fn sessions(current: &OsStr) -> Vec<CompletionCandidate> {
    let listed = ask(async |client: Client| {
        let page = Page { limit: Some(SESSIONS), after: None };
        let query = SessionQuery { page, ..SessionQuery::default() };
        let list = client.list_sessions(&query).await?;
        let named = |session: Session| (session.session_id, session.title.unwrap_or(session.agent));
        Ok(list.sessions.into_iter().map(named).collect())
    });
    candidates(current, listed.unwrap_or_default())
}

/// Asks the daemon that commands without flags call. Nothing is printed if there is none.
fn ask(
    question: impl AsyncFnOnce(Client) -> Result<Vec<(String, String)>, ClientError>,
) -> Option<Vec<(String, String)>> {
    let connection: Connection = from_environment().ok()?;
    let client = connection.target().ok()?.client().ok()?;
    let runtime = client_runtime().ok()?;
    runtime.block_on(async { tokio::time::timeout(PATIENCE, question(client)).await.ok()?.ok() })
}

fn candidates(current: &OsStr, names: Vec<(String, String)>) -> Vec<CompletionCandidate> {
    let current = current.to_str().unwrap_or_default();
    let fitting = names.into_iter().filter(|(id, _)| id.starts_with(current));
    fitting.map(|(id, help)| CompletionCandidate::new(id).help(Some(help.into()))).collect()
}
