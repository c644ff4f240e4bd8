//! The daemon that `run` and `chat` use: one that runs already, or one of their own.
//!
//! A private daemon is part of the command's process. It starts in milliseconds, needs no file or log to be found by, and
//! cannot outlive the command: when the process is killed, the guardian ends its agents.

use crate::args::{ServerArgs, TargetArgs, from_environment};
use crate::commands::session::explain;
use crate::daemon::Daemon;
use crate::failure::Failure;
use crate::local_daemon::{self, DEFAULT_ENDPOINT};
use crate::settings::Settings;
use crate::signals::Signals;
use sa_client::Client;
use std::time::Duration;

/// Time in which a running daemon answers.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// The fate of the sessions of a private daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sessions {
    /// They are in the data directory.
    Kept,
    /// They end with the daemon.
    Forgotten,
}

/// The way in which the daemon was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DaemonLocation {
    /// At the address that was given; perhaps on another machine.
    Given,
    /// On this machine.
    Here,
}

/// A daemon to work with.
pub(crate) struct Target {
    pub(crate) client: Client,
    pub(crate) place: DaemonLocation,
    /// Something the user should know about the choice.
    pub(crate) note: Option<String>,
    private: Option<Daemon>,
}

impl Target {
    /// Finds a running daemon, or starts a private one.
    pub(crate) async fn find(args: &TargetArgs, sessions: Sessions) -> Result<Self, Failure> {
        let token = args.token.as_deref();
        if let Some(endpoint) = &args.endpoint {
            let client = Client::new(endpoint, token).map_err(explain)?;
            return Ok(Self { client, place: DaemonLocation::Given, note: None, private: None });
        }
        let mut note = None;
        if !args.private {
            let found = local_daemon::Target::running(args.data_dir.clone())?;
            let known = found.as_ref().and_then(|found| found.token.as_deref());
            let endpoint = found.as_ref().map_or(DEFAULT_ENDPOINT, |found| &found.endpoint);
            match probe(endpoint, token.or(known)).await? {
                Probe::Usable(client) => {
                    return Ok(Self { client, place: DaemonLocation::Here, note: None, private: None });
                }
                Probe::Locked => {
                    note = Some(format!(
                        "a daemon runs at {endpoint}, but SANDBOX_AGENT_TOKEN is not set: using a private one"
                    ));
                }
                Probe::Absent => {}
            }
        }
        let daemon = start(args, sessions).await?;
        let (endpoint, token) = daemon.contact();
        let client = Client::new(&endpoint, token).map_err(explain)?;
        Ok(Self { client, place: DaemonLocation::Here, note, private: Some(daemon) })
    }

    /// Returns true if the daemon ends with this command.
    pub(crate) fn is_private(&self) -> bool {
        self.private.is_some()
    }

    /// Ends a private daemon and its agents; at once after a signal.
    pub(crate) async fn close(self, signals: &mut Signals) {
        let Some(mut daemon) = self.private else { return };
        tokio::select! {
            () = daemon.stop() => {}
            // The guardian ends the agents.
            signal = signals.next() => std::process::exit(signal.exit_code().into()),
        }
    }
}

/// The answer of a daemon on this machine.
enum Probe {
    Usable(Client),
    /// Wants a token that is not known here.
    Locked,
    Absent,
}

async fn probe(endpoint: &str, token: Option<&str>) -> Result<Probe, Failure> {
    let client = Client::new(endpoint, token).map_err(explain)?;
    if !matches!(tokio::time::timeout(PROBE_TIMEOUT, client.health()).await, Ok(Ok(_))) {
        return Ok(Probe::Absent);
    }
    match client.info().await {
        Ok(_) => Ok(Probe::Usable(client)),
        Err(error) if error.problem_status() == Some(401) && token.is_none() => Ok(Probe::Locked),
        Err(error) => Err(explain(error)),
    }
}

async fn start(args: &TargetArgs, sessions: Sessions) -> Result<Daemon, Failure> {
    let mut server: ServerArgs = from_environment().map_err(|error| Failure::Usage(error.into()))?;
    server.data_dir = args.data_dir.clone().or(server.data_dir);
    let mut settings = Settings::private(server, |name| std::env::var_os(name))?;
    settings.sessions.kept &= sessions == Sessions::Kept;
    let kept = settings.sessions.kept;
    let advice = "another daemon may use this data directory: pass its address with --endpoint and its token with \
                  SANDBOX_AGENT_TOKEN, or choose another --data-dir";
    let built = Daemon::build(settings).await;
    built.map_err(|error| {
        let hint = if kept { format!("\nhint: {advice}") } else { String::new() };
        Failure::Failed(anyhow::anyhow!("cannot start a private daemon: {error:#}{hint}"))
    })
}
