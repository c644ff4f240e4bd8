//! Shared by the tests of installations: a server that publishes a small tool, a data directory, and installers.
#![allow(dead_code, reason = "each test binary uses a part")]

use sa_agents::{AgentSpec, Catalog, Checksum, Launch, Platform, Recipe, Source, Unpack, Vendor};
use sa_install::{
    ClientOptions, InstallError, InstallRequest, Installed, Installer, InstallerOptions, NpmConfig,
    NpmSources,
};
use sa_testkit::mirror::{Mirror, program_of_size, sha256_hex};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use url::Url;

/// Large enough for several cuts, small enough for many downloads.
pub(crate) const SIZE: usize = 3 << 20;

/// A server and a place to install to.
pub(crate) struct Scene {
    pub(crate) mirror: Mirror,
    pub(crate) data: TempDir,
}

impl Scene {
    pub(crate) async fn new() -> Self {
        Self { mirror: Mirror::start().await.unwrap(), data: TempDir::new().unwrap() }
    }

    /// Creates a scene with one version of the tool, which is a program.
    pub(crate) async fn with(version: &str) -> Self {
        let scene = Self::new().await;
        scene.publish(version);
        scene
    }

    /// Publishes a version of the tool, as the latest.
    pub(crate) fn publish(&self, version: &str) {
        self.publish_file("tool", version, program_of_size("tool", version, SIZE));
    }

    /// Publishes a file as a version, as the latest, with its checksum.
    pub(crate) fn publish_file(&self, name: &str, version: &str, bytes: Vec<u8>) {
        self.mirror
            .put(&format!("/files.example/{version}/SUMS"), format!("{}  {name}\n", sha256_hex(&bytes)));
        self.mirror.put(&format!("/files.example/{version}/{name}"), bytes);
        self.mirror.put("/files.example/latest", version.to_owned());
    }

    pub(crate) fn installer(&self) -> Installer {
        self.installer_with(|_| {})
    }

    pub(crate) fn installer_with(&self, change: impl FnOnce(&mut InstallerOptions)) -> Installer {
        let mut options = options(self.data.path(), &self.mirror.url());
        change(&mut options);
        Installer::new(options)
    }

    /// Installs a version of the tool with a new installer.
    pub(crate) async fn install(&self, version: &str) -> Result<Installed, InstallError> {
        self.installer().install(&tool(), asking(version)).outcome().await
    }

    pub(crate) fn agent_dir(&self) -> PathBuf {
        self.data.path().join("agents/tool")
    }

    /// Returns the names in the tool's directory.
    pub(crate) fn names(&self) -> Vec<String> {
        names(&self.agent_dir())
    }

    /// Returns the path of the published file on the server.
    pub(crate) fn file(version: &str) -> String {
        format!("/files.example/{version}/tool")
    }
}

/// Options of an installer that asks nobody but the mirror.
pub(crate) fn options(data: &Path, mirror: &str) -> InstallerOptions {
    InstallerOptions {
        data_dir: data.to_owned(),
        platform: Platform::LinuxX64,
        client: ClientOptions {
            mirror: Some(Url::parse(mirror).unwrap()),
            first_pause: Duration::from_millis(1),
            ..ClientOptions::default()
        },
        npm: NpmConfig::load(&NpmSources::default()),
        supervisor: None,
        registry: Url::parse(sa_install::ACP_REGISTRY).unwrap(),
        search_path: None,
        allow_unverified: false,
        observer: None,
    }
}

/// Returns the tool whose published file is the program itself.
pub(crate) fn tool() -> AgentSpec {
    agent("tool", "tool", Unpack::default())
}

/// Returns an agent with the program `tool`, published under this file name.
pub(crate) fn agent(id: &str, file: &str, unpack: Unpack) -> AgentSpec {
    let vendor = Vendor {
        base: vec!["https://files.example".to_owned()],
        latest: "{base}/latest".to_owned(),
        channels: BTreeMap::new(),
        file: format!("{{base}}/{{version}}/{file}"),
        checksum: Some(Checksum::Sums { sums: "{base}/{version}/SUMS".to_owned() }),
        unpack,
        platforms: Platform::ALL.map(|platform| (platform, platform.name().to_owned())).into(),
    };
    AgentSpec {
        id: id.to_owned(),
        name: id.to_owned(),
        description: None,
        launch: Launch::Command { program: "tool".to_owned(), args: Vec::new() },
        env: BTreeMap::new(),
        needs: Vec::new(),
        node: None,
        install: Some(Recipe { entry: vec!["tool".to_owned()], sources: vec![Source::Vendor(vendor)] }),
        capabilities: None,
        modes: Default::default(),
        token: None,
    }
}

/// Returns the tool of a publisher who gives no checksums.
pub(crate) fn unvouched_tool() -> AgentSpec {
    let mut spec = tool();
    for source in spec.install.iter_mut().flat_map(|recipe| &mut recipe.sources) {
        if let Source::Vendor(vendor) = source {
            vendor.checksum = None;
        }
    }
    spec
}

pub(crate) fn shipped(id: &str) -> AgentSpec {
    Catalog::shipped().unwrap().get(id).unwrap().clone()
}

pub(crate) fn asking(version: &str) -> InstallRequest {
    InstallRequest { version: Some(version.to_owned()), ..InstallRequest::default() }
}

/// Returns the names in a directory, sorted; none if there is none.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn said(program: &Path) -> String {
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{} failed", program.display());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
