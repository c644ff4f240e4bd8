//! The parts that deal with agents, put together from settings and this process's environment.

use crate::settings::AgentSettings;
use sa_api::Timestamp;
use sa_credentials::{Host, Platform};
use sa_install::{
    COMMON_PREFIXES, ClientOptions, InstallEnd, InstallObserver, Installer, InstallerOptions, Launcher,
    NpmConfig, NpmSources, detect,
};
use sa_otlp::{Exporter, Installation, TraceContext};
use sa_probe::{Probe, ProbeOptions};
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Time for an agent to say what it offers: some unpack themselves first.
const PROBE_PATIENCE: Duration = Duration::from_secs(60);

/// The parts that start agents, probe them and find their credentials.
pub(crate) struct Agents {
    pub(crate) launcher: Launcher,
    pub(crate) probe: Probe,
    pub(crate) host: Host,
}

impl Agents {
    pub(crate) fn new(
        settings: &AgentSettings,
        supervisor: &Supervisor,
        telemetry: Option<Exporter>,
    ) -> io::Result<Self> {
        let host = host();
        let npm = NpmConfig::load(&NpmSources {
            registry: settings.npm_registry.clone(),
            env: host.environment.clone(),
            home: Some(host.home.clone()),
            project: None,
            prefixes: COMMON_PREFIXES.map(PathBuf::from).to_vec(),
        });
        let installer = Installer::new(InstallerOptions {
            data_dir: settings.data_dir.clone(),
            platform: detect(),
            client: ClientOptions { mirror: settings.mirror.clone(), ..ClientOptions::default() },
            npm,
            registry: settings.acp_registry.clone(),
            search_path: std::env::var_os("PATH"),
            allow_unverified: settings.allow_unverified,
            supervisor: Some(supervisor.clone()),
            observer: telemetry.map(|exporter| InstallObserver::new(move |ended| report(&exporter, ended))),
        });
        let launcher = Launcher::new(installer, this_program()?, settings.preinstall);
        let options = ProbeOptions {
            launcher: launcher.clone(),
            supervisor: supervisor.clone(),
            patience: PROBE_PATIENCE,
        };
        Ok(Self { launcher, probe: Probe::new(options), host })
    }

    /// The same for a command that works without a daemon.
    pub(crate) fn standalone(settings: &AgentSettings) -> anyhow::Result<(Self, Supervisor)> {
        let env = BaseEnv::Inherit(std::env::vars_os().collect());
        let supervisor = Supervisor::start(SupervisorOptions { env, guardian: None })?;
        Ok((Self::new(settings, &supervisor, None)?, supervisor))
    }
}

/// Reports an installation. The turn that waits for it is known by the environment that its agent would get.
fn report(exporter: &Exporter, ended: &InstallEnd<'_>) {
    let ms = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let variable = |name: &str| ended.agent.env.get(name).map(String::as_str);
    exporter.installation(Installation {
        agent: ended.agent.id.clone(),
        parent: variable("TRACEPARENT")
            .and_then(|parent| TraceContext::parse(parent, variable("TRACESTATE"))),
        start_ms: ms(ended.began),
        end_ms: Timestamp::now().as_millis(),
        outcome: match ended.outcome {
            Ok(installed) => Ok(installed.receipt.version.clone()),
            Err(error) => Err(error.kind().to_owned()),
        },
    });
}

/// This machine, as agents would find it.
fn host() -> Host {
    let environment = environment();
    let home = environment.get("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
    host_with(home, environment)
}

/// This machine now, with that home and environment.
pub(crate) fn host_with(home: PathBuf, environment: BTreeMap<String, String>) -> Host {
    let platform = if cfg!(target_os = "macos") { Platform::MacOs } else { Platform::Linux };
    Host { home, environment, platform, now_ms: Timestamp::now().as_millis() }
}

/// The variables that are text; no credential is anything else.
pub(crate) fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// The running binary itself, also after its file was replaced: an agent must be of the daemon's version.
pub(crate) fn this_program() -> io::Result<PathBuf> {
    let link = Path::new("/proc/self/exe");
    if link.exists() { Ok(link.to_owned()) } else { std::env::current_exe() }
}
