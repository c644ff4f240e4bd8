//! Versions on disk: side by side, whole or not there, and taken away.
#![allow(clippy::unwrap_used)]

mod scene;

use sa_install::{InstallError, InstallRequest, Origin};
use scene::{Scene, asking, said, tool};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

fn versions(scene: &Scene) -> Vec<String> {
    scene.installer().versions("tool").unwrap().into_iter().map(|receipt| receipt.version).collect()
}

fn current(scene: &Scene) -> Option<String> {
    scene.installer().current("tool").unwrap().map(|receipt| receipt.version)
}

/// Returns a scene with these versions installed, in this order.
async fn with_versions(names: &[&str]) -> Scene {
    let scene = Scene::new().await;
    for name in names {
        scene.publish(name);
        scene.install(name).await.unwrap();
    }
    scene
}

#[tokio::test]
async fn versions_live_side_by_side_and_the_chosen_one_runs() {
    let scene = with_versions(&["1.10.0", "1.9.0"]).await;
    assert_eq!(versions(&scene), ["1.10.0", "1.9.0"]);
    assert_eq!(current(&scene).as_deref(), Some("1.10.0"), "an older one does not take its place");
    let installer = scene.installer();
    assert_eq!(installer.make_current("tool", "1.9.0").await.unwrap().version, "1.9.0");
    let missing = installer.make_current("tool", "7").await.unwrap_err().to_string();
    assert_eq!(missing, "version '7' of 'tool' is not installed; installed are: 1.10.0, 1.9.0");
    assert_eq!(current(&scene).as_deref(), Some("1.9.0"));
    assert_eq!(fs::read_link(scene.agent_dir().join("current")).unwrap().to_str(), Some("1.9.0"));
    for version in [None, Some("1.9.0"), Some("1.10.0")] {
        let found = installer.find(&tool(), version).unwrap().unwrap();
        assert_eq!(said(&found.program), format!("tool {}", version.unwrap_or("1.9.0")));
        assert!(matches!(found.origin, Origin::Installed(_)));
    }
    assert_eq!(installer.find(&tool(), Some("1.11.0")).unwrap(), None);
    // Asking for a newer one that is there selects it.
    assert!(scene.install("1.10.0").await.unwrap().already_installed);
    assert_eq!(current(&scene).as_deref(), Some("1.10.0"));
}

#[tokio::test]
async fn the_receipt_tells_where_a_version_came_from() {
    let scene = with_versions(&["1.0.0"]).await;
    let text = fs::read_to_string(scene.agent_dir().join("1.0.0/installed.json")).unwrap();
    let receipt: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(receipt["agent"], "tool");
    assert_eq!(receipt["version"], "1.0.0");
    assert_eq!(receipt["platform"], "linux-x64");
    assert_eq!(receipt["source"], "vendor");
    assert_eq!(receipt["url"], "https://files.example/1.0.0/tool");
    assert_eq!(receipt["entry"], "tool");
    assert_eq!(receipt["verified"], true);
    let size = fs::metadata(scene.agent_dir().join("1.0.0/tool")).unwrap().len();
    assert_eq!(receipt["size"], size);
    assert!(receipt["installedAtMs"].as_u64().unwrap() > 1_700_000_000_000);
}

#[tokio::test]
async fn what_is_not_whole_is_not_installed() {
    let scene = with_versions(&["1.0.0", "2.0.0", "3.0.0", "4.0.0", "5.0.0"]).await;
    let directory = scene.agent_dir();
    fs::remove_file(directory.join("5.0.0/installed.json")).unwrap();
    fs::remove_file(directory.join("4.0.0/tool")).unwrap();
    fs::set_permissions(directory.join("3.0.0/tool"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::rename(directory.join("2.0.0"), directory.join("2.0.1")).unwrap();
    symlink("1.0.0", directory.join("0.9.0")).unwrap();
    fs::write(directory.join("6.0.0"), "a file").unwrap();
    fs::create_dir(directory.join(".staging-abc")).unwrap();
    fs::copy(directory.join("1.0.0/installed.json"), directory.join(".staging-abc/installed.json")).unwrap();
    assert_eq!(versions(&scene), ["1.0.0"]);
    // `current` names what is broken; what is whole runs instead.
    assert_eq!(current(&scene).as_deref(), Some("1.0.0"));
    for broken in ["2.0.1", "3.0.0", "4.0.0", "5.0.0", "6.0.0", ".staging-abc", "current", ".."] {
        assert_eq!(scene.installer().find(&tool(), Some(broken)).unwrap(), None, "{broken}");
    }
    // Installing again makes it whole, and sweeps up.
    assert!(!scene.install("5.0.0").await.unwrap().already_installed);
    assert_eq!(versions(&scene), ["5.0.0", "1.0.0"]);
    assert!(!directory.join(".staging-abc").exists());
    // Removing takes what is broken, too.
    let removed = scene.installer().uninstall("tool", None).await.unwrap();
    assert_eq!(removed, ["5.0.0", "4.0.0", "3.0.0", "2.0.1", "1.0.0"]);
}

#[tokio::test]
async fn names_from_outside_never_become_paths() {
    let scene = with_versions(&["1.0.0"]).await;
    let installer = scene.installer();
    for name in ["../1.0.0", "..", "a/b", ".lock", "", "current", &"1".repeat(500)] {
        let error = installer.install(&tool(), asking(name)).outcome().await.unwrap_err();
        assert!(matches!(error, InstallError::BadVersion { .. }), "{name}: {error}");
        assert_eq!(installer.uninstall("tool", Some(name)).await.unwrap(), [""; 0], "{name}");
    }
    for agent in ["..", "../agents/tool", "", "tool/1.0.0", ".lock"] {
        assert!(installer.uninstall(agent, None).await.is_err(), "{agent}");
        assert!(installer.versions(agent).is_err(), "{agent}");
    }
    // Neither does what a server calls its latest version.
    scene.mirror.put("/files.example/latest", "../../../etc");
    let error = installer.install(&tool(), InstallRequest::default()).outcome().await.unwrap_err();
    assert!(matches!(error, InstallError::NoSource { .. }), "{error}");
    assert_eq!(versions(&scene), ["1.0.0"]);
}

#[tokio::test]
async fn current_moves_on_when_its_version_goes() {
    let scene = with_versions(&["1.0.0", "2.0.0", "1.5.0"]).await;
    let installer = scene.installer();
    installer.make_current("tool", "1.5.0").await.unwrap();
    assert_eq!(installer.uninstall("tool", Some("9.9.9")).await.unwrap(), [""; 0]);
    assert_eq!(installer.uninstall("tool", Some("1.0.0")).await.unwrap(), ["1.0.0"]);
    assert_eq!(current(&scene).as_deref(), Some("1.5.0"));
    assert_eq!(installer.uninstall("tool", Some("1.5.0")).await.unwrap(), ["1.5.0"]);
    assert_eq!(current(&scene).as_deref(), Some("2.0.0"));
    assert_eq!(fs::read_link(scene.agent_dir().join("current")).unwrap().to_str(), Some("2.0.0"));
    assert_eq!(installer.uninstall("tool", None).await.unwrap(), ["2.0.0"]);
    assert_eq!(current(&scene), None);
    assert_eq!(scene.names(), [".lock"]);
    assert_eq!(installer.uninstall("tool", None).await.unwrap(), [""; 0]);
    assert_eq!(installer.uninstall("never-seen", None).await.unwrap(), [""; 0]);
    assert_eq!(scene::names(&scene.data.path().join("agents")), ["tool"]);
}

#[tokio::test]
async fn what_runs_goes_on_when_its_version_is_replaced_or_removed() {
    let scene = Scene::new().await;
    let script = b"#!/bin/sh\nwhile read -r line; do echo \"old $line\"; done\n".to_vec();
    scene.publish_file("tool", "1.0.0", script);
    scene.install("1.0.0").await.unwrap();
    let found = scene.installer().find(&tool(), None).unwrap().unwrap();
    let mut child =
        Command::new(&found.program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |word: &str| {
        use std::io::Write;
        writeln!(stdin, "{word}").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        line.trim().to_owned()
    };
    assert_eq!(ask("one"), "old one");
    scene.publish("1.0.0");
    let again = InstallRequest { reinstall: true, ..asking("1.0.0") };
    let installed = scene.installer().install(&tool(), again).outcome().await.unwrap();
    assert!(!installed.already_installed);
    assert_eq!(ask("two"), "old two");
    assert_eq!(said(&found.program), "tool 1.0.0");
    scene.installer().uninstall("tool", None).await.unwrap();
    assert_eq!(ask("three"), "old three");
    drop(stdin);
    assert!(child.wait().unwrap().success());
    assert_eq!(scene.names(), [".lock"]);
}
