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
use sa_otlp::Exporter;
use sa_processes::Processes;
use sa_sessions::{Sessions, SessionsOptions};
use sa_skills::{Places, Skills};
use sa_supervisor::{BaseEnv, GuardianCommand, Supervisor, SupervisorOptions};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Time that the whole waits in addition to its parts before it continues without them.
const MARGIN: Duration = Duration::from_secs(1);

/// A daemon that listens.
pub(crate) struct Daemon {
    services: Services,
    address: SocketAddr,
    access: Access,
    shutdown: CancellationToken,
    serving: JoinHandle<io::Result<()>>,
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
                catalog: settings.agents.catalog,
                limits: settings.limits.hub,
                launcher: launcher.clone(),
                numbers_after: sessions::numbers_after(&settings.sessions, &settings.agents.data_dir),
            },
            supervisor.clone(),
        );
        let sessions = Sessions::open(SessionsOptions {
            hub: hub.clone(),
            store: sessions::open_store(&settings.sessions, &settings.agents.data_dir).await?,
            configs: configs.clone(),
            skills: Skills::new(settings.agents.data_dir.join("skills"), supervisor, Places::default()),
            webhooks: sa_webhooks::Client::new(),
            limits: settings.sessions.limits,
            workspace: files.workspace().to_owned(),
            host: host.clone(),
            telemetry: telemetry.clone(),
            secrets: settings.access.token().map(str::to_owned).into_iter().collect(),
        });
        let sessions = sessions.await.context("cannot take up the sessions that are kept")?;
        let address = listener.local_addr().context("cannot tell where the daemon listens")?;
        warn_if_open(&settings.access, address);
        let options = HttpOptions {
            auth: settings.access.token().map_or(Auth::Open, |token| Auth::Token(token.to_owned())),
            cors: settings.cors,
            allow_hosts: settings.allow_hosts,
            limits: settings.limits.http,
        };
        let agents = AgentServices { launcher, probe, host };
        let services = Services { agents, hub, files, configs, processes, sessions, telemetry };
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(sa_http::serve(listener, options, services.clone(), shutdown.clone()));
        Ok(Self { services, address, access: settings.access, shutdown, serving })
    }

    /// Has the log exported, too, if there is a collector.
    pub(crate) fn export_log(&self, log: &LogGuard) {
        if let Some(exporter) = &self.services.telemetry {
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
        (format!("http://{}", self.address), self.access.token())
    }

    /// Serves until it is stopped; comes back only when serving failed.
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
        let Services { agents, hub, files, processes, sessions, telemetry, .. } = &self.services;
        self.shutdown.cancel();
        files.close();
        let limits = hub.limits();
        let bound = Duration::from_millis(limits.shutdown_ms.saturating_add(limits.stop_grace_ms)) + MARGIN;
        let grace = Duration::from_millis(limits.stop_grace_ms);
        let running = async {
            // Sessions first: an agent that is ended with the daemon is nothing that a session should report.
            sessions.shutdown().await;
            hub.shutdown().await;
        };
        let installer = agents.launcher.installer();
        let ended = async {
            tokio::join!(processes.shutdown(grace), installer.shutdown(), running, &mut self.serving)
        };
        if tokio::time::timeout(bound, ended).await.is_err() {
            tracing::warn!("not everything ended in time; going without it");
        }
        if let Some(exporter) = telemetry {
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

fn warn_if_open(access: &Access, address: SocketAddr) {
    if *access == Access::Open && !address.ip().is_loopback() {
        tracing::warn!(
            "no token is required on {address}: everyone who can reach this port can run commands here. Use a token, or \
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
