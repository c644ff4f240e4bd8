//! npm as a process: its arguments, its settings, and its failures.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::error::Result;
use crate::fetch::ClientOptions;
use crate::npmrc::NpmSources;
use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
use std::os::unix::fs::PermissionsExt;
use tempfile::TempDir;

/// A machine on which npm is this script.
struct Machine {
    root: TempDir,
    npm: Npm,
}

impl Machine {
    fn new(script: Option<&str>, registry: Option<&str>) -> Self {
        let root = TempDir::new().unwrap();
        if let Some(script) = script {
            let file = root.path().join("npm");
            std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut path = root.path().as_os_str().to_owned();
        path.push(":/usr/bin:/bin");
        // The real npm must not be found.
        let search_path = if script.is_some() { path } else { root.path().into() };
        let env = BaseEnv::Inherit(vec![("HOME".into(), "/nowhere".into())]);
        let supervisor = Supervisor::start(SupervisorOptions { env, guardian: None }).unwrap();
        let prefix = root.path().join("prefix");
        std::fs::create_dir_all(prefix.join("etc")).unwrap();
        std::fs::write(prefix.join("etc/npmrc"), "fund=false\n").unwrap();
        let sources = NpmSources {
            registry: registry.map(str::to_owned),
            home: Some(root.path().to_owned()),
            prefixes: vec![root.path().join("none"), prefix],
            ..NpmSources::default()
        };
        let program = NodePrograms { supervisor, search_path: Some(search_path) };
        let npm = Npm::new(NpmConfig::load(&sources), Some(program));
        std::fs::create_dir(root.path().join("tree")).unwrap();
        Self { root, npm }
    }

    async fn build(&self) -> Result<()> {
        self.build_with(None).await
    }

    async fn build_with(&self, mirror: Option<&str>) -> Result<()> {
        let packages = ["tool@1.2.3".to_owned(), "@s/beside".to_owned()];
        let client = Client::new(ClientOptions::default());
        let client = match mirror {
            Some(mirror) => client.with_mirror(mirror.parse().unwrap()),
            None => client,
        };
        self.npm.build(&self.root.path().join("tree"), &packages, &client).await
    }

    fn written(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.path().join("tree").join(name)).unwrap()
    }
}

#[tokio::test]
async fn npm_installs_into_the_directory_and_nowhere_else() {
    let script =
        "for a in \"$@\"; do echo \"$a\"; done > arguments; env > environment; touch \"$HOME/litter\"";
    let machine = Machine::new(Some(script), Some("https://registry.example/npm"));
    machine.build().await.unwrap();
    let arguments = machine.written("arguments");
    let tree = machine.root.path().join("tree");
    assert!(arguments.starts_with(&format!("install\n--prefix\n{}\n", tree.display())), "{arguments}");
    assert!(arguments.ends_with("--\ntool@1.2.3\n@s/beside\n"), "{arguments}");
    let environment = machine.written("environment");
    assert!(environment.contains("npm_config_registry=https://registry.example/npm/\n"), "{environment}");
    let user = machine.root.path().join(".npmrc");
    assert!(environment.contains(&format!("npm_config_userconfig={}\n", user.display())), "{environment}");
    let global = machine.root.path().join("prefix/etc/npmrc");
    assert!(
        environment.contains(&format!("npm_config_globalconfig={}\n", global.display())),
        "{environment}"
    );
    let mut left: Vec<_> =
        std::fs::read_dir(&tree).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["arguments", "environment"]);
}

#[tokio::test]
async fn npm_asks_the_mirror_and_nobody_else() {
    let machine = Machine::new(Some("env > environment"), Some("https://registry.example/npm"));
    machine.build_with(Some("http://mirror.example/all")).await.unwrap();
    let environment = machine.written("environment");
    let registry = "npm_config_registry=http://mirror.example/all/registry.example/npm/\n";
    assert!(environment.contains(registry), "{environment}");
    assert!(environment.contains("npm_config_replace_registry_host=always\n"), "{environment}");
    let error = machine.build_with(Some("file:///mirror")).await.unwrap_err().to_string();
    assert!(error.contains("served over HTTP"), "{error}");
}

#[tokio::test]
async fn credentials_in_the_registrys_address_reach_npm() {
    let machine = Machine::new(
        Some("tr '\\0' '\\n' < /proc/$$/environ > environment"),
        Some("https://user:pass@registry.example/npm/"),
    );
    machine.build().await.unwrap();
    let environment = machine.written("environment");
    assert!(environment.contains("npm_config_registry=https://registry.example/npm/\n"), "{environment}");
    // base64 of `user:pass`
    assert!(environment.contains("npm_config_//registry.example/npm/:_auth=dXNlcjpwYXNz\n"), "{environment}");
}

#[tokio::test]
async fn what_npm_says_about_a_failure_is_reported() {
    let machine = Machine::new(Some("echo 'npm error code E404' >&2; exit 1"), None);
    let error = machine.build().await.unwrap_err().to_string();
    assert!(error.contains("tool@1.2.3") && error.contains("E404"), "{error}");
    let error = Machine::new(None, None).build().await.unwrap_err().to_string();
    assert!(error.contains("install Node.js with npm"), "{error}");
    let machine = Machine::new(Some(""), None);
    let npm = Npm::new(NpmConfig::default(), None);
    let client = Client::new(ClientOptions::default());
    let error =
        npm.build(machine.root.path(), &["tool@1.2.3".to_owned()], &client).await.unwrap_err().to_string();
    assert!(error.contains("npm is needed"), "{error}");
}

#[tokio::test]
async fn npm_is_asked_for_the_registry_only_when_nobody_else_knows() {
    let script = "echo \"$@\" >> \"$(dirname \"$0\")/asked\"; echo notice; echo https://builtin.example/";
    let machine = Machine::new(Some(script), None);
    for package in ["x", "@s/y", "x"] {
        let config = machine.npm.config_for(package).await;
        assert_eq!(config.registry(package).unwrap().as_str(), "https://builtin.example/");
    }
    let asked = std::fs::read_to_string(machine.root.path().join("asked")).unwrap();
    assert_eq!(asked, "config get registry\n");

    let machine = Machine::new(Some(script), Some("https://registry.example/"));
    assert_eq!(
        machine.npm.config_for("x").await.registry("x").unwrap().as_str(),
        "https://registry.example/"
    );
    assert!(!machine.root.path().join("asked").exists());

    for script in [Some("echo undefined"), Some("exit 3"), None] {
        let machine = Machine::new(script, None);
        assert!(machine.npm.config_for("x").await.registry("x").is_err(), "{script:?}");
    }
}

#[tokio::test]
async fn an_installation_that_is_given_up_stops_npm() {
    let script = "echo $$ > \"$(dirname \"$0\")/pid\"; exec sleep 600";
    let machine = Machine::new(Some(script), Some("https://registry.example/"));
    let file = machine.root.path().join("pid");
    let pid = tokio::select! {
        ended = machine.build() => panic!("{ended:?}"),
        pid = sa_testkit::until_some("npm to start", || {
            let text = std::fs::read_to_string(&file).ok()?;
            text.ends_with('\n').then(|| text.trim().parse::<u32>().unwrap())
        }) => pid.unwrap(),
    };
    sa_testkit::until("npm to be gone", || !sa_testkit::is_alive(pid)).await.unwrap();
}
