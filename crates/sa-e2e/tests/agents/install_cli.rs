//! `install-agent`, `uninstall-agent`, `outdated`: without a daemon.

use crate::scene::{STORE, Scene};
use anyhow::{Context, Result};
use sa_testkit::Finished;
use sa_testkit::mirror::Fault;
use serde_json::{Value, json};

#[tokio::test]
async fn an_installation_is_reported_line_by_line_where_nobody_watches() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let ended = scene.run(&["install-agent", "acme"]).await?;
    assert_eq!(ended.status.code(), Some(0), "{ended}");
    let path = scene.acme_dir().join("1.0.0/acme");
    assert_eq!(ended.stdout, format!("Acme 1.0.0 installed from vendor: {}\n", path.display()));
    let lines: Vec<&str> = ended.stderr.lines().collect();
    let download = "downloading https://agents.example/acme/1.0.0/acme";
    let expected = ["asking vendor", download, "verifying", "activating"];
    assert_eq!(lines, expected.map(|step| format!("acme: {step}")), "no bar, no colors, each step once");

    let again = scene.run(&["install-agent", "acme"]).await?;
    assert!(again.stdout.starts_with("Acme 1.0.0 was installed before from vendor: "), "{again}");
    Ok(())
}

#[tokio::test]
async fn the_result_can_be_json_without_progress() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let ended = scene.run(&["install-agent", "acme", "--json"]).await?;
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended}");
    let path = scene.acme_dir().join("1.0.0/acme");
    let expected = json!({
        "agent": "acme", "version": "1.0.0", "path": path, "source": "vendor", "verified": true, "alreadyInstalled": false,
    });
    assert_eq!(serde_json::from_str::<Value>(&ended.stdout)?, expected);
    Ok(())
}

#[tokio::test]
async fn one_agent_that_fails_does_not_stop_the_others() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let ended = scene.run(&["install-agent", "amp", "acme", "--json"]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert!(
        ended.stderr.starts_with("error: 'amp' could not be installed from any source: vendor: "),
        "{ended}"
    );
    let answers: Vec<Value> =
        serde_json::Deserializer::from_str(&ended.stdout).into_iter().collect::<Result<_, _>>()?;
    assert_eq!((&answers[0]["agent"], &answers[1]["agent"]), (&json!("amp"), &json!("acme")));
    assert!(answers[0]["error"].is_string() && answers[1]["version"] == json!("1.0.0"), "{ended}");
    Ok(())
}

#[tokio::test]
async fn all_four_come_from_a_mirror() -> Result<()> {
    let scene = Scene::new().await?;
    scene.mirror.publish_claude("2.0.1")?;
    scene.mirror.publish_codex("0.9.0")?;
    scene.mirror.publish_opencode("1.4.0")?;
    scene.mirror.publish_amp("0.0.7")?;
    let ended = scene.run(&["install-agent", "--all", "--json"]).await?;
    assert!(ended.status.success(), "{ended}");
    let answers: Vec<Value> =
        serde_json::Deserializer::from_str(&ended.stdout).into_iter().collect::<Result<_, _>>()?;
    let seen: Vec<_> =
        answers.iter().map(|answer| [&answer["agent"], &answer["version"], &answer["source"]]).collect();
    let expected = [
        ["claude", "2.0.1", "vendor"],
        ["codex", "0.9.0", "vendor"],
        ["opencode", "1.4.0", "github"],
        ["amp", "0.0.7", "vendor"],
    ];
    assert_eq!(json!(seen), json!(expected));
    for answer in &answers {
        let path = answer["path"].as_str().context("a path")?;
        let program = Finished::wait(scene.sandbox.command(path)).await?;
        assert!(program.stdout.contains(answer["version"].as_str().unwrap()), "{program}");
    }
    let outdated = scene.run(&["outdated"]).await?;
    assert_eq!(outdated.status.code(), Some(0), "{outdated}");
    Ok(())
}

#[tokio::test]
async fn an_image_without_a_network_installs_from_a_directory() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let tree = scene.sandbox.path("tree");
    scene.mirror.write_tree(&tree)?;
    let tree = tree.to_str().unwrap();
    let asked = scene.mirror.requests().len();
    let mut command = scene.command(&["install-agent", "acme", "--json", "--from", tree])?;
    command.env_remove("SANDBOX_AGENT_MIRROR");
    let ended = Finished::wait(command).await?;
    assert!(ended.status.success(), "{ended}");
    let mut command =
        scene.command(&["install-agent", "acme", "--reinstall", "--mirror", &format!("file://{tree}")])?;
    command.env_remove("SANDBOX_AGENT_MIRROR");
    let ended = Finished::wait(command).await?;
    assert!(ended.status.success(), "{ended}");
    assert_eq!(scene.mirror.requests().len(), asked);
    Ok(())
}

#[tokio::test]
async fn failures_exit_with_one_and_bad_usage_with_64() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    for arguments in [
        &["install-agent", "nobody"][..],
        &["install-agent"],
        &["install-agent", "acme", "--all"],
        &["install-agent", "acme", "--source", "elsewhere"],
        &["install-agent", "acme", "--mirror", "gopher://x"],
        &["uninstall-agent", "nobody"],
        &["outdated", "nobody"],
        &["doctor", "nobody"],
    ] {
        let ended = scene.run(arguments).await?;
        assert_eq!(ended.status.code(), Some(64), "{arguments:?}: {ended}");
        assert!(ended.stdout.is_empty() && ended.stderr.starts_with("error: "), "{arguments:?}: {ended}");
    }
    scene.mirror.fault(&format!("{STORE}/1.0.0/acme"), Fault::Corrupt);
    for (arguments, complaint) in [
        (&["install-agent", "acme"][..], "checksum"),
        (&["install-agent", "acme", "--version", "7"], "there is no version '7' of 'acme'"),
        (&["uninstall-agent", "acme"], "'acme' is not installed"),
        (&["uninstall-agent", "acme", "--version", "3"], "version 3 of 'acme' is not installed"),
    ] {
        let ended = scene.run(arguments).await?;
        assert_eq!(ended.status.code(), Some(1), "{arguments:?}: {ended}");
        let last = ended.stderr.lines().last().unwrap_or_default();
        assert!(last.starts_with("error: ") && last.contains(complaint), "{arguments:?}: {ended}");
        assert!(ended.stdout.is_empty(), "{ended}");
    }
    assert!(scene.has_no_version(), "{:?}", scene.on_disk());
    for (command, words) in [("install-agent", "install"), ("uninstall-agent", "remove")] {
        let ended = scene.run(&[command, "demo"]).await?;
        assert_eq!(ended.stdout, format!("Demo agent is built in; nothing to {words}\n"), "{ended}");
        assert!(ended.status.success(), "{ended}");
    }
    Ok(())
}

#[tokio::test]
async fn versions_are_removed() -> Result<()> {
    let scene = Scene::new().await?;
    for version in ["1.0.0", "1.1.0", "2.0.0"] {
        scene.publish(version)?;
        assert!(scene.run(&["install-agent", "acme", "--version", version]).await?.status.success());
    }
    let ended = scene.run(&["uninstall-agent", "acme", "--version", "1.1.0"]).await?;
    assert_eq!((ended.status.code(), ended.stdout.as_str()), (Some(0), "removed acme 1.1.0\n"), "{ended}");
    let ended = scene.run(&["uninstall-agent", "acme"]).await?;
    assert_eq!(ended.stdout, "removed acme 2.0.0, 1.0.0\n", "{ended}");
    assert!(scene.has_no_version(), "{:?}", scene.on_disk());
    Ok(())
}

#[tokio::test]
async fn a_version_newer_than_the_published_one_is_not_outdated() -> Result<()> {
    let scene = Scene::with_version("1.1.0").await?;
    assert!(scene.run(&["install-agent", "acme"]).await?.status.success());
    scene.publish("1.0.5")?;
    let ended = scene.run(&["outdated"]).await?;
    assert_eq!(ended.stdout, "AGENT  INSTALLED  LATEST\nacme   1.1.0      1.0.5\n");
    assert_eq!(ended.status.code(), Some(0), "{ended}");
    Ok(())
}

#[tokio::test]
async fn what_is_outdated_is_reported_by_the_exit_code() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let nothing = scene.run(&["outdated"]).await?;
    assert_eq!((nothing.status.code(), nothing.stdout.as_str()), (Some(0), "AGENT  INSTALLED  LATEST\n"));
    assert!(scene.run(&["install-agent", "acme"]).await?.status.success());
    assert_eq!(scene.run(&["outdated"]).await?.status.code(), Some(0));
    scene.publish("1.1.0")?;
    let ended = scene.run(&["outdated"]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert_eq!(ended.stdout, "AGENT  INSTALLED  LATEST\nacme   1.0.0      1.1.0\n");
    let ended = scene.run(&["outdated", "--json", "acme"]).await?;
    let expected = json!([{"agent": "acme", "installed": "1.0.0", "latest": "1.1.0", "outdated": true}]);
    assert_eq!((ended.status.code(), serde_json::from_str::<Value>(&ended.stdout)?), (Some(1), expected));
    scene.mirror.remove("/*");
    let ended = scene.run(&["outdated"]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert!(
        ended.stderr.starts_with("error: 'acme' could not be installed") || ended.stderr.contains("acme"),
        "{ended}"
    );
    Ok(())
}
