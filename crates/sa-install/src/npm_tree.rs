//! npm, the program: for packages whose dependencies only it can put together, and as the last one who may know a registry.

use crate::error::Result;
use crate::error::SourceError;
use crate::fetch::Client;
use crate::limits::{NPM_INSTALL_TIMEOUT, NPM_QUESTION_TIMEOUT};
use crate::node::NodePrograms;
use crate::npmrc::NpmConfig;
use sa_disk::{at, on_disk};
use sa_supervisor::{CommandSpec, Exit, Process, SpawnError, Spawned};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::sync::OnceCell;

#[cfg(test)]
mod tests;

/// Bytes of npm's output that are kept.
const KEPT_OUTPUT: usize = 64 << 10;
/// Lines of npm's output that a failure quotes.
const QUOTED_LINES: usize = 12;
/// Time between SIGTERM and SIGKILL for npm.
const GRACE: Duration = Duration::from_secs(2);

/// npm's settings, and npm itself where it is installed. Clones share what npm has answered.
#[derive(Debug, Clone)]
pub(crate) struct Npm {
    config: NpmConfig,
    program: Option<NodePrograms>,
    completed: Arc<OnceCell<NpmConfig>>,
}

impl Npm {
    pub(crate) fn new(config: NpmConfig, program: Option<NodePrograms>) -> Self {
        Self { config, program, completed: Arc::default() }
    }

    /// Returns the settings. If none names the package's registry, npm is asked, once: it may be built to use one.
    pub(crate) async fn config_for(&self, package: &str) -> &NpmConfig {
        if self.config.knows_registry(package) {
            return &self.config;
        }
        let Some(program) = &self.program else { return &self.config };
        self.completed
            .get_or_init(|| async {
                match program.registry().await {
                    Some(registry) => self.config.clone().with_default(registry),
                    None => self.config.clone(),
                }
            })
            .await
    }

    /// Returns the settings, with npm's answer if it was asked.
    pub(crate) fn known_config(&self) -> &NpmConfig {
        self.completed.get().unwrap_or(&self.config)
    }

    /// Puts packages and all they depend on into `directory`, which exists. npm asks the same addresses as `client`: with
    /// a mirror, that mirror only.
    pub(crate) async fn build(&self, directory: &Path, packages: &[String], client: &Client) -> Result<()> {
        let Some(program) = &self.program else {
            return Err(SourceError::Missing(format!("npm is needed to install {}", packages.join(", "))));
        };
        let first = packages.first().map_or("", String::as_str);
        let config = self.config_for(first).await;
        // Packages' install scripts like to write there. An installation has no business in the user's home.
        let home = tempfile::Builder::new().prefix(".home-").tempdir_in(directory).map_err(at(directory))?;
        let mut env = vec![("HOME".into(), home.path().into())];
        env.extend(config.user_file().map(|file| ("npm_config_userconfig".into(), file.into())));
        // With `--prefix`, npm would look for it beneath that.
        env.extend(config.global_file().map(|file| ("npm_config_globalconfig".into(), file.into())));
        if let Ok(registry) = config.registry("") {
            let asked = client.address(&registry);
            if asked.scheme() == "file" {
                return Err(SourceError::Missing(format!(
                    "npm cannot install {} from a directory; use a mirror that is served over HTTP",
                    packages.join(", ")
                )));
            }
            if asked != registry {
                // The packages' metadata names the registry's own host for their files.
                env.push(("npm_config_replace_registry_host".into(), "always".into()));
            }
            env.push(("npm_config_registry".into(), String::from(asked).into()));
        }
        let credentials = config.address_settings();
        env.extend(credentials.map(|(key, value)| (format!("npm_config_{key}").into(), value.into())));
        let installed = program.install(directory, packages, env).await;
        on_disk(move || home.close()).await.map_err(at(directory))?;
        installed
    }
}

impl NodePrograms {
    /// Returns the registry that npm itself would use.
    async fn registry(&self) -> Option<String> {
        let arguments = ["config", "get", "registry"].map(OsString::from).to_vec();
        let (exit, output, _) = self.run(arguments, Vec::new(), None, NPM_QUESTION_TIMEOUT).await.ok()?;
        let answer = output.lines().map(str::trim).rfind(|line| line.starts_with("http"))?;
        (exit.code == Some(0)).then(|| answer.to_owned())
    }

    async fn install(
        &self,
        directory: &Path,
        packages: &[String],
        env: Vec<(OsString, OsString)>,
    ) -> Result<()> {
        let flags =
            ["--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts=false", "--omit=dev"];
        let mut arguments: Vec<OsString> = vec!["install".into(), "--prefix".into(), directory.into()];
        arguments.extend(flags.map(OsString::from));
        arguments.push("--".into());
        arguments.extend(packages.iter().map(OsString::from));
        let (exit, output, errors) = self.run(arguments, env, Some(directory), NPM_INSTALL_TIMEOUT).await?;
        if exit.code == Some(0) {
            return Ok(());
        }
        let written = if errors.trim().is_empty() { output } else { errors };
        let lines: Vec<&str> = written.lines().filter(|line| !line.trim().is_empty()).collect();
        let told = lines.get(lines.len().saturating_sub(QUOTED_LINES)..).unwrap_or_default().join("\n");
        Err(SourceError::Missing(format!("npm could not install {}: {told}", packages.join(", "))))
    }

    /// Runs npm to its end, or to the end of its time. Returns how it ended, what it wrote, and its complaints.
    async fn run(
        &self,
        args: Vec<OsString>,
        mut env: Vec<(OsString, OsString)>,
        cwd: Option<&Path>,
        limit: Duration,
    ) -> Result<(Exit, String, String)> {
        env.extend(self.search_path.iter().map(|path| (OsString::from("PATH"), path.clone())));
        let spec = CommandSpec { args, env, cwd: cwd.map(Path::to_owned), ..CommandSpec::new("npm") };
        let Spawned { process, stdin, mut stdout } =
            self.supervisor.spawn(spec).await.map_err(|error| match error {
                SpawnError::NotFound { .. } => {
                    SourceError::Missing("npm is not on the search path; install Node.js with npm".to_owned())
                }
                SpawnError::NotExecutable { .. } => {
                    SourceError::Missing(format!("npm cannot be run ({error}); install Node.js with npm"))
                }
                other => SourceError::Missing(format!("npm did not start: {other}")),
            })?;
        drop(stdin);
        let process = StoppedOnDrop(process);
        let ended = tokio::time::timeout(limit, async {
            let output = read_tail(&mut stdout).await;
            (process.0.wait().await, output)
        });
        match ended.await {
            Ok((exit, output)) => Ok((exit, output, process.0.stderr_tail())),
            Err(_) => {
                process.0.stop(GRACE).await;
                Err(SourceError::Missing(format!(
                    "npm did not end within {} s and was stopped",
                    limit.as_secs()
                )))
            }
        }
    }
}

/// An installation that is given up must not leave npm at work in its directory.
struct StoppedOnDrop(Process);

impl Drop for StoppedOnDrop {
    fn drop(&mut self) {
        if self.0.exit().is_some() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let process = self.0.clone();
            runtime.spawn(async move { process.stop(GRACE).await });
        }
    }
}

/// Returns all that is written, the last of it kept.
async fn read_tail(stdout: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut kept = Vec::new();
    let mut piece = vec![0; 8 << 10];
    while let Ok(length @ 1..) = stdout.read(&mut piece).await {
        kept.extend(piece.iter().take(length));
        let excess = kept.len().saturating_sub(KEPT_OUTPUT);
        kept.drain(..excess);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
