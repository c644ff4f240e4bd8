//! A mirror, a home, and a made-up agent that the mirror publishes: `acme`.

use anyhow::{Context, Result};
use sa_testkit::mirror::{Mirror, sha256_hex};
use sa_testkit::{Daemon, DaemonBuilder, Finished, Reply, Sandbox, Sse, daemon_path, puppet_path};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The vendor's store, as the mirror has it.
pub(crate) const STORE: &str = "/agents.example/acme";

/// `acme` as a user writes it down: a program that speaks ACP, in a vendor's store. `lumber` can only be installed.
const AGENTS: &str = r#"
[acme]
name = "Acme"
description = "Published by the mirror"
command = "acme"
[acme.install]
entry = ["acme"]
[[acme.install.sources]]
kind = "vendor"
base = ["https://agents.example/acme"]
latest = "{base}/latest"
channels = { stable = "{base}/stable" }
file = "{base}/{version}/acme"
checksum = { sums = "{base}/{version}/acme.sha256" }
PLATFORMS

[lumber]
command = "lumber"
install-only = true
[lumber.install]
entry = ["acme"]
[[lumber.install.sources]]
kind = "vendor"
base = ["https://agents.example/acme"]
latest = "{base}/latest"
file = "{base}/{version}/acme"
checksum = { sums = "{base}/{version}/acme.sha256" }
PLATFORMS
"#;
const PLATFORMS: &str = r#"platforms = { linux-x64 = "any", linux-x64-baseline = "any", linux-x64-musl = "any", linux-x64-baseline-musl = "any", linux-arm64 = "any", linux-arm64-musl = "any", darwin-arm64 = "any", darwin-x64 = "any" }"#;

/// A mirror and a home in which `acme` is known, but not installed.
pub(crate) struct Scene {
    pub(crate) mirror: Mirror,
    pub(crate) sandbox: Arc<Sandbox>,
}

impl Scene {
    pub(crate) async fn new() -> Result<Self> {
        let scene = Self { mirror: Mirror::start().await?, sandbox: Arc::new(Sandbox::new()?) };
        fs::create_dir_all(scene.data_dir())?;
        fs::write(scene.data_dir().join("agents.toml"), AGENTS.replace("PLATFORMS", PLATFORMS))?;
        Ok(scene)
    }

    /// Creates a scene with one version of `acme` published.
    pub(crate) async fn with_version(version: &str) -> Result<Self> {
        let scene = Self::new().await?;
        scene.publish(version)?;
        Ok(scene)
    }

    pub(crate) fn data_dir(&self) -> PathBuf {
        self.sandbox.data_home().join("sandbox-agent")
    }

    /// Returns the directory of `acme`.
    pub(crate) fn acme_dir(&self) -> PathBuf {
        self.data_dir().join("agents/acme")
    }

    /// Publishes a version of `acme`, as the latest: a puppet that says its version.
    pub(crate) fn publish(&self, version: &str) -> Result<()> {
        let puppet = puppet_path()?;
        self.publish_program(version, &format!("exec '{}'", puppet.display()));
        Ok(())
    }

    /// Publishes one that is the demo agent.
    pub(crate) fn publish_demo(&self, version: &str) -> Result<()> {
        let daemon = daemon_path()?;
        self.publish_program(version, &format!("exec '{}' acp demo", daemon.display()));
        Ok(())
    }

    /// Publishes a script that notes its start, and then does this.
    pub(crate) fn publish_program(&self, version: &str, script: &str) {
        let notes = self.notes();
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && {{ echo 'acme {version}'; exit 0; }}\necho {version} >> '{}'\n{script}\n",
            notes.display()
        );
        self.publish_bytes(version, text.into_bytes());
    }

    pub(crate) fn publish_bytes(&self, version: &str, bytes: Vec<u8>) {
        let sum = sha256_hex(&bytes);
        self.mirror.put(&format!("{STORE}/{version}/acme.sha256"), format!("{sum}  acme\n"));
        self.mirror.put(&format!("{STORE}/{version}/acme"), bytes);
        self.mirror.put(&format!("{STORE}/latest"), format!("{version}\n"));
    }

    /// Returns the versions that were started, in their order.
    pub(crate) fn started(&self) -> Vec<String> {
        let notes = fs::read_to_string(self.notes()).unwrap_or_default();
        notes.lines().map(str::to_owned).collect()
    }

    fn notes(&self) -> PathBuf {
        self.sandbox.path("starts")
    }

    /// Returns the number of downloads of a version's program.
    pub(crate) fn fetched(&self, version: &str) -> usize {
        self.mirror.requests_of(&format!("{STORE}/{version}/acme")).len()
    }

    /// Returns a daemon in the making that uses the mirror.
    pub(crate) fn daemon(&self) -> DaemonBuilder {
        Daemon::builder().sandbox(Arc::clone(&self.sandbox)).arg("--mirror").arg(&self.mirror.url())
    }

    /// Returns a command that works without a daemon, on the same data, with the mirror.
    pub(crate) fn command(&self, arguments: &[&str]) -> Result<Command> {
        let mut command = self.sandbox.command(daemon_path()?);
        command.args(arguments).env("SANDBOX_AGENT_MIRROR", self.mirror.url());
        Ok(command)
    }

    pub(crate) async fn run(&self, arguments: &[&str]) -> Result<Finished> {
        Finished::wait(self.command(arguments)?).await
    }

    /// Returns the files of `acme` on the disk, apart from the lock.
    pub(crate) fn on_disk(&self) -> Vec<String> {
        names(&self.acme_dir()).into_iter().filter(|name| name != ".lock").collect()
    }

    /// Returns whether nothing of `acme` could be taken for an installed version.
    pub(crate) fn has_no_version(&self) -> bool {
        self.on_disk().iter().all(|name| name == ".partial")
            && names(&self.acme_dir().join(".partial")).is_empty()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Requests about agents over HTTP.
pub(crate) trait Asking {
    async fn agent(&self, id: &str) -> Result<Value>;
    async fn install(&self, id: &str, body: &str) -> Result<Reply>;
    async fn install_events(&self, id: &str, body: &str) -> Result<Sse>;
}

impl Asking for Daemon {
    async fn agent(&self, id: &str) -> Result<Value> {
        self.http().get(&format!("/v1/agents/{id}")).send().await?.expect_status(200)?.json()
    }

    async fn install(&self, id: &str, body: &str) -> Result<Reply> {
        let request = self.http().post(&format!("/v1/agents/{id}/install"));
        if body.is_empty() { request.send().await } else { request.json(body.to_owned()).send().await }
    }

    async fn install_events(&self, id: &str, body: &str) -> Result<Sse> {
        Sse::open(self.http().post(&format!("/v1/agents/{id}/install/sse")).json(body.to_owned())).await
    }
}

/// Returns the events of an installation: their names, each once in a row, and the last one's data.
pub(crate) async fn steps(mut stream: Sse) -> Result<(Vec<String>, Value)> {
    let mut names: Vec<String> = Vec::new();
    let mut last = None;
    while let Some(event) = stream.next_event().await? {
        let data = event.json()?;
        assert_eq!(data["step"], event.event, "the event's name is its step");
        if names.last() != Some(&event.event) {
            names.push(event.event.clone());
        }
        last = Some(data);
    }
    Ok((names, last.context("an end")?))
}
