//! A home folder of a test's own.

use sa_credentials::{Credential, Findings, Host, Platform, extract};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The time in these tests: the first second of 2027.
pub(crate) const NOW: u64 = 1_798_761_600_000;
pub(crate) const HOUR: u64 = 3_600_000;

pub(crate) struct Home {
    folder: TempDir,
    environment: BTreeMap<String, String>,
    platform: Platform,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), environment: BTreeMap::new(), platform: Platform::Linux }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn variable(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        self.environment.insert(name.to_owned(), value.as_ref().to_str().unwrap().to_owned());
        self
    }

    pub(crate) fn on(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    pub(crate) fn host(&self) -> Host {
        Host {
            home: self.folder.path().to_owned(),
            environment: self.environment.clone(),
            platform: self.platform,
            now_ms: NOW,
        }
    }

    pub(crate) fn findings(&self, agent: &str) -> Findings {
        extract(agent, &self.host()).expect("the agent is known")
    }

    /// Returns the credentials, where there is no problem with any.
    pub(crate) fn credentials(&self, agent: &str) -> Vec<Credential> {
        let findings = self.findings(agent);
        assert!(findings.problems.is_empty(), "{:?}", findings.problems);
        findings.credentials
    }

    /// Returns each secret found, with its kind and the variables that hand it on.
    pub(crate) fn summary(&self, agent: &str) -> Vec<String> {
        self.credentials(agent).iter().map(summary).collect()
    }

    /// Returns the problems, by place beneath home.
    pub(crate) fn complaints(&self, agent: &str) -> Vec<String> {
        let home = format!("{}/", self.folder.path().display());
        let problems = self.findings(agent).problems.into_iter();
        problems.map(|it| format!("{} {}", it.origin, it.reason).replace(&home, "")).collect()
    }
}

pub(crate) fn summary(credential: &Credential) -> String {
    let secret = credential.secret.as_ref().map_or("-", |secret| secret.expose());
    let names: Vec<_> = credential.variables.iter().map(|variable| variable.name).collect();
    format!("{} {}: {secret} as {}", credential.provider, credential.kind, names.join("+"))
}
