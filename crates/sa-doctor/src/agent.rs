//! Examines one agent: its program, the runtime, credentials, the way to its model, and a handshake as the proof.

use crate::{Doctor, Finding, Verdict, network, program};
use sa_agents::AgentSpec;
use sa_install::{InstallError, Origin};
use sa_probe::Answers;
use sa_supervisor::CommandSpec;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Timeout of `--version`; some agents unpack themselves first.
const VERSION_PATIENCE: Duration = Duration::from_secs(30);
const VERSION_BYTES: u64 = 64 << 10;

/// Examines each requirement in the order in which starting the agent would need it. A requirement that depends on a
/// failed one is skipped, because it would fail for the same reason.
pub(crate) async fn examine(doctor: &Doctor, agent: &AgentSpec) -> Vec<Finding> {
    if let Err(error) = agent.check_startable() {
        let advice = "use another agent, or a newer version of sandbox-agent";
        return vec![Finding::wrong("launch", error.to_string(), advice)];
    }
    let mut findings: Vec<Finding> = agent.needs.iter().map(|name| needed(doctor, name)).collect();
    findings.extend(examine_node(doctor, agent).await);
    findings.extend(examine_program(doctor, agent).await);
    findings.extend(examine_credentials(doctor, agent).await);
    if findings.iter().all(|finding| finding.verdict < Verdict::Wrong) && is_here(doctor, agent) {
        findings.push(shake_hands(doctor, agent).await);
    }
    findings
}

fn needed(doctor: &Doctor, name: &str) -> Finding {
    const CHECK: &str = "runs on";
    match doctor.locate(name) {
        Some(path) => Finding::fine(CHECK, path.display().to_string()),
        None => {
            Finding::wrong(CHECK, format!("it needs {name}, which is not on PATH"), format!("install {name}"))
        }
    }
}

/// Checks that Node.js is installed in a version that the agent runs on. Returns nothing if the agent needs none or
/// is not installed.
async fn examine_node(doctor: &Doctor, agent: &AgentSpec) -> Option<Finding> {
    let installer = doctor.launcher.installer();
    let found = installer.find(agent, None).ok().flatten()?;
    let error = installer.check_node(agent, &found.program).await.err()?;
    let wanted = agent.node.as_deref().unwrap_or_default();
    Some(Finding::wrong("runs on", error.to_string(), format!("install Node.js {wanted}")))
}

fn is_here(doctor: &Doctor, agent: &AgentSpec) -> bool {
    doctor.launcher.prepare_now(agent).is_ok_and(|launchable| launchable.is_some())
}

async fn examine_program(doctor: &Doctor, agent: &AgentSpec) -> Vec<Finding> {
    const CHECK: &str = "program";
    let Some(name) = agent.program() else {
        return vec![Finding::fine(CHECK, "built in")];
    };
    if agent.install.is_none() {
        return match doctor.locate(name) {
            Some(path) => program::examine(&path, &agent.id, |name| doctor.search(name)),
            None => {
                let advice = "install it, or correct the agent's command";
                vec![Finding::wrong(CHECK, format!("{name} is not on PATH"), advice)]
            }
        };
    }
    match doctor.launcher.installer().find(agent, None) {
        Err(error) => vec![Finding::wrong(CHECK, error.to_string(), "check the data directory (--data-dir)")],
        Ok(None) => vec![not_installed(doctor, agent).await],
        Ok(Some(found)) => {
            let origin = match &found.origin {
                Origin::Installed(receipt) => format!("version {} from {}", receipt.version, receipt.source),
                Origin::Path => "on PATH, not installed by sandbox-agent".to_owned(),
            };
            let mut findings = vec![Finding::fine("installed", origin)];
            findings.extend(program::examine(&found.program, &agent.id, |name| doctor.search(name)));
            if findings.iter().all(|finding| finding.verdict < Verdict::Wrong) {
                findings.push(run_version(doctor, agent, &found.program).await);
            }
            findings
        }
    }
}

/// Not installed is no illness where it would be installed on first use; not being able to is.
async fn not_installed(doctor: &Doctor, agent: &AgentSpec) -> Finding {
    const CHECK: &str = "installed";
    let install = format!("install it: sandbox-agent install-agent {}", agent.id);
    if !doctor.launcher.installs() {
        let detail = "it is not installed, and installing on first use is forbidden (--require-preinstall)";
        return Finding::wrong(CHECK, detail, install);
    }
    if doctor.offline {
        return Finding::note(CHECK, "no; it will be installed on first use", install);
    }
    match doctor.launcher.installer().latest(agent).await {
        Ok(version) => {
            Finding::note(CHECK, format!("no; version {version} will be installed on first use"), install)
        }
        Err(error @ InstallError::NoBuild { .. }) => {
            Finding::wrong(CHECK, error.to_string(), "use another image or another agent")
        }
        Err(error) => {
            let advice = "allow one of these addresses, set npm_config_registry, or use --mirror";
            Finding::wrong(CHECK, error.to_string(), advice)
        }
    }
}

async fn run_version(doctor: &Doctor, agent: &AgentSpec, program: &Path) -> Finding {
    const CHECK: &str = "version";
    let reinstall = format!("install it again: sandbox-agent install-agent {} --reinstall", agent.id);
    let mut command = CommandSpec::new(program);
    command.args.push("--version".into());
    command.env = agent.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let mut spawned = match doctor.supervisor.spawn(command).await {
        Ok(spawned) => spawned,
        Err(error) => return Finding::wrong(CHECK, format!("it does not start: {error}"), reinstall),
    };
    drop(spawned.stdin);
    let process = spawned.process;
    let mut said = Vec::new();
    let run = async {
        // Output that cannot be read counts as absent; the exit code decides.
        let _ = (&mut spawned.stdout).take(VERSION_BYTES).read_to_end(&mut said).await;
        process.wait().await
    };
    let exit = tokio::time::timeout(VERSION_PATIENCE, run).await;
    process.stop(Duration::ZERO).await;
    let words = String::from_utf8_lossy(&said);
    match exit {
        Ok(exit) if exit.code == Some(0) => {
            Finding::fine(CHECK, words.lines().next().unwrap_or_default().trim().to_owned())
        }
        Ok(exit) => {
            let how = match exit.signal {
                Some(signal) => {
                    format!("signal {signal}; the program does not fit this machine's C library or processor")
                }
                None => format!("exit code {}", exit.code.unwrap_or_default()),
            };
            let tail = process.stderr_tail();
            let last = tail.trim().lines().last().unwrap_or_default();
            let detail = format!("--version ended with {how} {last}");
            Finding::wrong(CHECK, detail.trim_end(), reinstall)
        }
        Err(_) => {
            let detail = format!("--version took more than {} s", VERSION_PATIENCE.as_secs());
            Finding::wrong(CHECK, detail, reinstall)
        }
    }
}

async fn examine_credentials(doctor: &Doctor, agent: &AgentSpec) -> Vec<Finding> {
    const CHECK: &str = "credential";
    let host = &doctor.host;
    let Some(availability) = sa_credentials::availability(&agent.id, host) else {
        return Vec::new();
    };
    let mut findings: Vec<Finding> = availability
        .problems
        .iter()
        .map(|problem| {
            Finding::note(CHECK, format!("{}: {}", problem.origin, problem.reason), "mend or remove it")
        })
        .collect();
    let usable = availability.sources.iter().find(|source| source.usable);
    match usable {
        Some(source) => {
            let found = format!("{} ({}) in {}", source.provider, source.kind, source.origin);
            findings.push(Finding::fine(CHECK, found));
            if let Some(address) = sa_credentials::address_of(&source.provider, host)
                && !doctor.offline
            {
                findings.push(network::examine(&address, doctor.is_proxied()).await);
            }
        }
        None if availability.available => {}
        None if availability.sources.is_empty() => {
            let advice = format!(
                "log in with {}'s own program, or set its API key where the daemon starts; docs/credentials.md has both",
                agent.id
            );
            findings.push(Finding::wrong(CHECK, "none was found", advice));
        }
        None => findings.push(Finding::wrong(CHECK, "all that were found have expired", "log in again")),
    }
    findings
}

async fn shake_hands(doctor: &Doctor, agent: &AgentSpec) -> Finding {
    const CHECK: &str = "handshake";
    match doctor.probe.ask(agent, Answers::New).await {
        Ok(_) => Finding::fine(CHECK, "it answers initialize and session/new"),
        Err(error) => Finding::wrong(CHECK, error.to_string(), "the agent's own words above say why"),
    }
}
