//! Real agents: installed by the binary under test from npm's registry, without npm, into a cache that outlives the run.
//!
//! The cache is `SANDBOX_AGENT_TEST_CACHE`, by default `sandbox-agent-tests` in the user's directory for caches.
//! Agents in it are used again without network access; removing the directory fetches everything again. Several tests
//! may ask for the same agent at once: the installer itself keeps them apart.

use crate::binaries::daemon_path;
use crate::process::{Finished, Sandbox};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Timeout of an installation, download included.
const PATIENCE: Duration = Duration::from_secs(600);

/// Variables that the harness passes on, because without them there may be no way to the registry.
const PASSED_ON: [&str; 10] = [
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "http_proxy",
    "ALL_PROXY",
    "all_proxy",
    "NO_PROXY",
    "no_proxy",
];

/// Programs that agents start.
const BARE: [&str; 6] = ["sh", "bash", "cat", "env", "git", "uname"];

/// One version of a real agent.
#[derive(Debug, Clone)]
pub struct Installed {
    pub agent: String,
    pub version: String,
    pub program: PathBuf,
    /// A data directory (`--data-dir`) that holds this version and no other.
    pub data_dir: PathBuf,
}

#[derive(Deserialize)]
struct Answer {
    version: String,
    path: PathBuf,
}

/// This version of the agent, fetched if it is not in the cache; `None` is the newest, as it was when the cache was filled.
pub async fn installed(agent: &str, version: Option<&str>) -> Result<Installed> {
    let data_dir = cache()?.join(format!("{agent}@{}", version.unwrap_or("newest")));
    std::fs::create_dir_all(&data_dir).with_context(|| format!("creating {}", data_dir.display()))?;
    // Named by its version, what is there is found without asking anybody.
    let known = version.map(str::to_owned).or_else(|| current(&data_dir, agent));
    let sandbox = Sandbox::new()?;
    let mut command = sandbox.command(daemon_path()?);
    command.args(["install-agent", agent, "--json", "--source", "npm", "--data-dir"]).arg(&data_dir);
    if let Some(version) = &known {
        command.args(["--version", version]);
    }
    // Neither npm nor Node nor anything else can be found there.
    command.env("PATH", sandbox.path("empty"));
    let there = known.as_deref().is_some_and(|version| is_there(&data_dir, agent, version));
    let registry = if there { None } else { Some(registry().await?) };
    if let Some(registry) = &registry {
        command.env("npm_config_registry", registry);
    }
    let passed_on = PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
    command.envs(passed_on);
    let ended = Finished::within(command, PATIENCE).await?;
    if !ended.status.success() {
        let registry = registry.as_deref().unwrap_or("the cache");
        bail!("{agent} could not be installed from {registry}, which this test cannot do without: {ended}");
    }
    let answer: Answer = serde_json::from_str(&ended.stdout).with_context(|| ended.to_string())?;
    Ok(Installed { agent: agent.to_owned(), version: answer.version, program: answer.path, data_dir })
}

impl Installed {
    /// Makes it the installed version in the data directory of daemons in this sandbox.
    pub fn lend_to(&self, sandbox: &Sandbox) -> Result<()> {
        let agents = sandbox.data_home().join("sandbox-agent/agents");
        std::fs::create_dir_all(&agents)?;
        let own = self.data_dir.join("agents").join(&self.agent);
        match std::os::unix::fs::symlink(own, agents.join(&self.agent)) {
            // To an earlier daemon of the same home.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
            lent => lent.context("lending an agent"),
        }
    }

    /// Returns the program in an environment that holds nothing of the developer's, npm and Node included.
    pub fn command(&self, sandbox: &Sandbox) -> Result<Command> {
        let mut command = sandbox.command(&self.program);
        command.env("PATH", bare_path(sandbox)?);
        Ok(command)
    }
}

/// Returns a `PATH` with a shell and little else; neither npm nor Node is there.
pub fn bare_path(sandbox: &Sandbox) -> Result<PathBuf> {
    let folder = sandbox.path("bare-path");
    std::fs::create_dir_all(&folder)?;
    let usual = std::env::var_os("PATH").unwrap_or_default();
    for name in BARE {
        let found = std::env::split_paths(&usual).map(|place| place.join(name)).find(|file| file.is_file());
        let link = folder.join(name);
        if let Some(found) = found.filter(|_| !link.exists()) {
            std::os::unix::fs::symlink(found, link).with_context(|| format!("linking {name}"))?;
        }
    }
    Ok(folder)
}

fn cache() -> Result<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = variable("SANDBOX_AGENT_TEST_CACHE");
    let usual = || variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let found = own.or_else(|| Some(usual()?.join("sandbox-agent-tests")));
    found.context("where to keep real agents: set SANDBOX_AGENT_TEST_CACHE")
}

/// Returns the version that is there.
fn current(data_dir: &Path, agent: &str) -> Option<String> {
    let link = std::fs::read_link(data_dir.join("agents").join(agent).join("current")).ok()?;
    Some(link.to_str()?.to_owned())
}

fn is_there(data_dir: &Path, agent: &str, version: &str) -> bool {
    data_dir.join("agents").join(agent).join(version).is_dir()
}

/// Returns the registry that npm on this machine is configured to use.
async fn registry() -> Result<String> {
    if let Ok(registry) = std::env::var("npm_config_registry") {
        return Ok(registry);
    }
    let mut command = Command::new("npm");
    command.args(["config", "get", "registry"]);
    let asked = Finished::wait(command)
        .await
        .context("npm is asked which registry to use; or set npm_config_registry")?;
    let said = asked.stdout.trim();
    if !asked.status.success() || !said.starts_with("http") {
        bail!("npm does not say which registry to use: {asked}");
    }
    Ok(said.to_owned())
}
