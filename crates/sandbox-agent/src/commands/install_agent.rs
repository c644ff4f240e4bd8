//! `sandbox-agent install-agent`, `uninstall-agent`, `outdated`: agents on this machine, without a daemon.

use crate::agents::Agents;
use crate::args::{InstallAgentArgs, InstallChoice, LocalArgs, OutdatedArgs, UninstallAgentArgs};
use crate::commands::progress::Bar;
use crate::commands::render::{Format, NONE, Table, print_json, print_text};
use crate::diagnostics::diagnose;
use crate::failure::Failure;
use crate::settings::AgentSettings;
use anyhow::{Context, anyhow};
use sa_agents::{AgentSpec, Catalog};
use sa_api::LatestVersion;
use sa_install::{InstallError, InstallRequest, Installed, Installer};
use serde_json::json;
use tokio::runtime::Runtime;

/// Agents of `--all`.
const REFERENCE: [&str; 4] = ["claude", "codex", "opencode", "amp"];

pub(crate) fn install(args: InstallAgentArgs) -> Result<(), Failure> {
    let settings = load(args.local)?;
    let ids = if args.all { REFERENCE.map(str::to_owned).to_vec() } else { args.agents };
    let InstallChoice { version, reinstall, source, make_current } = args.choice;
    let from = args.from;
    let request = InstallRequest { version, reinstall, source, from, mirror: None, make_current };
    let agents = named(&settings.catalog, &ids)?;
    runtime()?.block_on(async {
        let (parts, supervisor) = Agents::standalone(&settings)?;
        let installer = parts.launcher.installer();
        let (mut failed, format) = (false, Format::of_flag(args.json));
        for agent in agents {
            if agent.is_built_in() {
                report_built_in(agent, format)?;
                continue;
            }
            let outcome = install_watched(installer, agent, request.clone(), format).await;
            failed |= report(installer, agent, outcome, format)?;
        }
        supervisor.shutdown(std::time::Duration::ZERO).await;
        if failed { Err(Failure::Exit(1)) } else { Ok(()) }
    })
}

/// Installs an agent and shows the progress.
pub(crate) async fn install_watched(
    installer: &Installer,
    agent: &AgentSpec,
    request: InstallRequest,
    format: Format,
) -> Result<Installed, InstallError> {
    let mut job = installer.install(agent, request);
    let mut bar = Bar::new(&agent.id, format);
    while let Some(progress) = job.next().await {
        bar.show(&progress);
    }
    bar.finish();
    job.outcome().await
}

fn report_built_in(agent: &AgentSpec, format: Format) -> Result<(), Failure> {
    if format == Format::Json {
        let version = env!("CARGO_PKG_VERSION");
        let result =
            json!({"agent": agent.id, "version": version, "alreadyInstalled": true, "builtIn": true});
        return Ok(print_json(&result)?);
    }
    Ok(print_text(&format!("{} is built in; nothing to install", agent.name))?)
}

/// Prints what came of it; true if it failed.
fn report(
    installer: &Installer,
    agent: &AgentSpec,
    outcome: Result<Installed, InstallError>,
    format: Format,
) -> Result<bool, Failure> {
    let Installed { receipt, already_installed } = match outcome {
        Ok(installed) => installed,
        Err(error) => {
            if format == Format::Json {
                print_json(&json!({"agent": agent.id, "error": error.to_string()}))?;
            }
            diagnose!("error: {error}");
            return Ok(true);
        }
    };
    let path = installer.program(&receipt);
    if format == Format::Json {
        print_json(&json!({
            "agent": receipt.agent, "version": receipt.version, "path": path, "source": receipt.source,
            "verified": receipt.verified, "alreadyInstalled": already_installed,
        }))?;
    } else {
        let how = if already_installed { "was installed before" } else { "installed" };
        let name = &agent.name;
        print_text(&format!("{name} {} {how} from {}: {}", receipt.version, receipt.source, path.display()))?;
    }
    Ok(false)
}

pub(crate) fn uninstall(args: UninstallAgentArgs) -> Result<(), Failure> {
    let settings = load(args.local)?;
    let agent = settings.catalog.find(&args.agent).map_err(Failure::usage)?;
    if agent.is_built_in() {
        return Ok(print_text(&format!("{} is built in; nothing to remove", agent.name))?);
    }
    runtime()?.block_on(async {
        let (parts, _supervisor) = Agents::standalone(&settings)?;
        let version = args.version.as_deref();
        let removed = parts.launcher.installer().uninstall(&agent.id, version).await?;
        if removed.is_empty() {
            let what = version.map_or_else(String::new, |version| format!("version {version} of "));
            return Err(Failure::Failed(anyhow!("{what}'{}' is not installed", agent.id)));
        }
        Ok(print_text(&format!("removed {} {}", agent.id, removed.join(", ")))?)
    })
}

pub(crate) fn outdated(args: OutdatedArgs) -> Result<(), Failure> {
    let settings = load(args.local)?;
    let chosen = named(&settings.catalog, &args.agents)?;
    runtime()?.block_on(async {
        let (parts, _supervisor) = Agents::standalone(&settings)?;
        let installer = parts.launcher.installer();
        let is_installed =
            |agent: &&AgentSpec| installer.current(&agent.id).is_ok_and(|current| current.is_some());
        let agents: Vec<&AgentSpec> =
            if chosen.is_empty() { settings.catalog.iter().filter(is_installed).collect() } else { chosen };
        let (mut known, mut failed) = (Vec::new(), false);
        for agent in agents {
            match installer.check_latest(agent).await {
                Ok(latest) => known.push(latest),
                Err(error) => {
                    failed = true;
                    diagnose!("error: {error}");
                }
            }
        }
        failed |= known.iter().any(|version| version.outdated != Some(false));
        show(&known, Format::of_flag(args.json))?;
        if failed { Err(Failure::Exit(1)) } else { Ok(()) }
    })
}

fn show(versions: &[LatestVersion], format: Format) -> Result<(), Failure> {
    if format == Format::Json {
        return Ok(print_json(&versions)?);
    }
    let mut table = Table::new(&["AGENT", "INSTALLED", "LATEST"]);
    for version in versions {
        table.add(&[&version.agent, version.installed.as_deref().unwrap_or(NONE), &version.latest]);
    }
    Ok(table.print()?)
}

/// The agents of these ids.
pub(crate) fn named<'a>(catalog: &'a Catalog, ids: &[String]) -> Result<Vec<&'a AgentSpec>, Failure> {
    ids.iter().map(|id| catalog.find(id).map_err(Failure::usage)).collect()
}

pub(crate) fn load(args: LocalArgs) -> Result<AgentSettings, Failure> {
    load_with(args, Vec::new())
}

/// Loads the settings together with agents that the command line names, as `id=command line`.
pub(crate) fn load_with(args: LocalArgs, agents: Vec<String>) -> Result<AgentSettings, Failure> {
    Ok(AgentSettings::load(args, agents, |name| std::env::var_os(name))?)
}

pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start threads")
}
