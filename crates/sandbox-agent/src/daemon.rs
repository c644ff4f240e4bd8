//! The daemon, put together from its parts in the order in which each needs the one before.

use crate::agents::{Agents, this_program};
use crate::announce::{TOKEN_VARIABLE, announce};
use crate::sessions;
use crate::settings::{Access, Settings};
use crate::telemetry::LogGuard;
use anyhow::{Context, anyhow};
use sa_config::ConfigStore;
use sa_files::Files;
use sa_http::{AgentServices, Auth, HttpOptions, Services};
use sa_hub::{Hub, HubOptions};
use sa_install::Installer;
use sa_otlp::Exporter;
use sa_processes::Processes;
use sa_sessions::Sessions;
use sa_supervisor::{BaseEnv, GuardianCommand, Supervisor, SupervisorOptions};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// How much longer than its parts may take the whole waits before it goes without them.
const MARGIN: Duration = Duration::from_secs(1);

/// A daemon that listens.
pub(crate) struct Daemon {
    hub: Hub,
    files: Files,
    processes: Processes,
    sessions: Sessions,
    installer: Installer,
    address: SocketAddr,
    access: Access,
    shutdown: CancellationToken,
    serving: JoinHandle<io::Result<()>>,
    telemetry: Option<Exporter>,
}

impl Daemon {
    /// Takes the port, then starts the parts: the supervisor, the hub on top of it, the sessions. Clients that connect
    /// meanwhile wait. A port that is taken leaves no trace on the disk.
    pub(crate) async fn build(settings: Settings) -> anyhow::Result<Self> {
        let listener = bind(&settings.host, settings.port).await?;
        let telemetry = settings.telemetry.map(Exporter::start).transpose()?;
        let files = Files::open(settings.files).context("cannot use --fs-root or --workspace")?;
        let supervisor = start_supervisor(settings.clean_env)?;
        let Agents { launcher, probe, host } = Agents::new(&settings.agents, &supervisor, telemetry.clone())
            .context("cannot find this program's own file")?;
        let configs = ConfigStore::new(settings.agents.data_dir.join("config"));
        let processes = Processes::new(supervisor.clone(), settings.processes, files.workspace());
        let hub = Hub::new(
            HubOptions {
                catalogue: settings.agents.catalogue,
                limits: settings.limits,
                launcher: launcher.clone(),
                numbers_after: sessions::numbers_after(&settings.sessions, &settings.agents.data_dir),
            },
            supervisor.clone(),
        );
        let around = sessions::Around {
            hub: hub.clone(),
            configs: configs.clone(),
            host: host.clone(),
            supervisor,
            workspace: files.workspace().to_owned(),
            data_dir: settings.agents.data_dir,
            telemetry: telemetry.clone(),
            secrets: settings.access.token().map(str::to_owned).into_iter().collect(),
        };
        let sessions = sessions::open(settings.sessions, around).await?;
        let installer = launcher.installer().clone();
        let agents = AgentServices { launcher, probe, host };
        let address = listener.local_addr().context("cannot tell where the daemon listens")?;
        warn_if_open(&settings.access, address);
        let (cors, allow_hosts) = (settings.cors, settings.allow_hosts);
        let limits = settings.http_limits;
        let options = HttpOptions { auth: auth(&settings.access), cors, allow_hosts, limits };
        let services = Services {
            agents,
            hub: hub.clone(),
            files: files.clone(),
            configs,
            processes: processes.clone(),
            sessions: sessions.clone(),
            telemetry: telemetry.clone(),
        };
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(sa_http::serve(listener, options, services, shutdown.clone()));
        Ok(Self {
            hub,
            files,
            processes,
            sessions,
            installer,
            address,
            access: settings.access,
            shutdown,
            serving,
            telemetry,
        })
    }

    /// Has the log exported, too, if there is a collector.
    pub(crate) fn export_log(&self, log: &LogGuard) {
        if let Some(exporter) = &self.telemetry {
            log.export(exporter);
        }
    }

    /// Returns where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns who may talk to it.
    pub(crate) fn access(&self) -> &Access {
        &self.access
    }

    /// Prints the address on standard output. A daemon whose output nobody reads works all the same.
    pub(crate) fn announce(&self) {
        let exported = std::env::var(TOKEN_VARIABLE).ok();
        if let Err(error) = announce(io::stdout().lock(), self.address, &self.access, exported.as_deref()) {
            tracing::debug!("nobody reads where the daemon listens: {error}");
        }
        tracing::info!(address = %self.address, version = env!("CARGO_PKG_VERSION"), "listening");
    }

    /// Returns the address to call, and the token.
    pub(crate) fn contact(&self) -> (String, Option<&str>) {
        let token = match &self.access {
            Access::Given(token) | Access::Generated(token) => Some(token.as_str()),
            Access::Open => None,
        };
        (format!("http://{}", self.address), token)
    }

    /// Serves until told to stop; comes back only when serving failed.
    pub(crate) async fn serve(&mut self) -> anyhow::Error {
        match (&mut self.serving).await {
            Ok(Ok(())) => anyhow!("the HTTP server ended by itself"),
            Ok(Err(error)) => anyhow::Error::new(error).context("the HTTP server failed"),
            Err(error) => anyhow::Error::new(error).context("the HTTP server crashed"),
        }
    }

    /// Stops accepting and ends agents, processes and installations, which answers the requests that wait for them, and
    /// with them the connections. Bounded by the limits.
    pub(crate) async fn stop(&mut self) {
        self.shutdown.cancel();
        self.files.close();
        let limits = self.hub.limits();
        let bound = Duration::from_millis(limits.shutdown_ms.saturating_add(limits.stop_grace_ms)) + MARGIN;
        let grace = Duration::from_millis(limits.stop_grace_ms);
        let agents = async {
            // Sessions first: an agent that is ended with the daemon is nothing that a session should tell of.
            self.sessions.shutdown().await;
            self.hub.shutdown().await;
        };
        let ended = async {
            tokio::join!(self.processes.shutdown(grace), self.installer.shutdown(), agents, &mut self.serving)
        };
        if tokio::time::timeout(bound, ended).await.is_err() {
            tracing::warn!("not everything ended in time; going without it");
        }
        if let Some(exporter) = &self.telemetry {
            exporter.shutdown().await;
        }
    }
}

/// Starts the supervisor, with this process's environment and a guardian.
fn start_supervisor(clean_env: bool) -> anyhow::Result<Supervisor> {
    let program = this_program().context("cannot find this program's own file")?;
    let environment = std::env::vars_os().collect();
    let options = SupervisorOptions {
        env: if clean_env { BaseEnv::Clean(environment) } else { BaseEnv::Inherit(environment) },
        guardian: Some(GuardianCommand { program, args: vec!["guardian".into()] }),
    };
    Supervisor::start(options).context("cannot start the supervisor of processes")
}

fn auth(access: &Access) -> Auth {
    match access {
        Access::Given(token) | Access::Generated(token) => Auth::Token(token.clone()),
        Access::Open => Auth::Open,
    }
}

fn warn_if_open(access: &Access, address: SocketAddr) {
    if *access == Access::Open && !address.ip().is_loopback() {
        tracing::warn!(
            "NO TOKEN IS ASKED FOR ON {address}: everyone who can reach this port can run commands here. Use a token, or \
             listen on 127.0.0.1"
        );
    }
}

async fn bind(host: &str, port: u16) -> anyhow::Result<TcpListener> {
    TcpListener::bind((host, port)).await.map_err(|error| {
        let advice = match error.kind() {
            io::ErrorKind::AddrInUse => {
                "another program listens there; stop it, or choose another port with --port (0 takes a free one)"
            }
            io::ErrorKind::AddrNotAvailable => "this machine has no such address; see --host",
            io::ErrorKind::PermissionDenied => "ports below 1024 need privileges; choose another with --port",
            _ => "see --host and --port",
        };
        anyhow!("cannot listen on port {port} of {host}: {error}: {advice}")
    })
}
