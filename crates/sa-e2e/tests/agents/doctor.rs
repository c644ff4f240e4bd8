//! `sandbox-agent doctor`: what stands in the way, in words, as JSON and as the exit code.

use crate::scene::{STORE, Scene};
use anyhow::{Context, Result};
use sa_testkit::{Finished, daemon_path};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A patient: a scene, and what is in the environment.
struct Patient {
    scene: Scene,
    variables: Vec<(&'static str, String)>,
}

impl Patient {
    async fn new() -> Result<Self> {
        Ok(Self { scene: Scene::with_version("1.0.0").await?, variables: Vec::new() })
    }

    fn variable(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Adds an agent of this definition to those of the scene.
    fn agent(self, definition: &str) -> Result<Self> {
        let file = self.scene.data_dir().join("agents.toml");
        let known = fs::read_to_string(&file)?;
        fs::write(file, format!("{known}\n{definition}\n"))?;
        Ok(self)
    }

    async fn doctor(&self, arguments: &[&str]) -> Result<Finished> {
        let mut command = self.scene.command(&[&["doctor"], arguments].concat())?;
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        Finished::wait(command).await
    }

    /// Returns the findings about one agent, and the exit code.
    async fn findings(&self, agent: &str) -> Result<(Vec<Value>, Option<i32>)> {
        let ended = self.doctor(&[agent, "--json"]).await?;
        let reports: Vec<Value> = serde_json::from_str(&ended.stdout).with_context(|| ended.to_string())?;
        assert_eq!((reports.len(), reports[0].get("agent"), &reports[1]["agent"]), (2, None, &json!(agent)));
        Ok((reports[1]["findings"].as_array().context("findings")?.clone(), ended.status.code()))
    }

    /// Returns the only thing that is wrong with an agent.
    async fn illness(&self, agent: &str) -> Result<Value> {
        let (findings, code) = self.findings(agent).await?;
        let wrong: Vec<&Value> = findings.iter().filter(|finding| finding["verdict"] == "wrong").collect();
        assert_eq!((wrong.len(), code), (1, Some(1)), "{findings:?}");
        assert!(wrong[0]["advice"].as_str().is_some_and(|advice| !advice.is_empty()), "{wrong:?}");
        Ok(wrong[0].clone())
    }
}

fn program(path: &Path, bytes: &[u8]) -> Result<String> {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, bytes)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    Ok(path.to_str().context("a path that is text")?.to_owned())
}

#[tokio::test]
async fn the_demo_agent_is_fine() -> Result<()> {
    let patient = Patient::new().await?;
    let ended = patient.doctor(&["demo"]).await?;
    assert_eq!(ended.status.code(), Some(0), "{ended}");
    for line in [
        "this machine",
        "demo",
        "  ok    program: built in",
        "  ok    handshake: it answers initialize and session/new",
    ] {
        assert!(ended.stdout.lines().any(|said| said == line), "{line:?} is not in {ended}");
    }
    let (findings, code) = patient.findings("demo").await?;
    assert_eq!(code, Some(0));
    assert!(findings.iter().all(|finding| finding["verdict"] == "fine"), "{findings:?}");
    // Without a name, whatever is in use here is looked at.
    let ended = patient.doctor(&["--offline"]).await?;
    assert!(ended.stdout.lines().any(|line| line == "demo"), "{ended}");
    assert!(!ended.stdout.lines().any(|line| line == "acme"), "{ended}");
    Ok(())
}

#[tokio::test]
async fn what_is_not_installed_is_no_illness_unless_nobody_has_it() -> Result<()> {
    let patient = Patient::new().await?;
    let (findings, code) = patient.findings("acme").await?;
    assert_eq!(code, Some(0), "{findings:?}");
    let note = "no; version 1.0.0 will be installed on first use";
    assert_eq!((&findings[0]["verdict"], &findings[0]["detail"]), (&json!("note"), &json!(note)));
    assert_eq!(findings[0]["advice"], json!("install it: sandbox-agent install-agent acme"));
    patient.scene.mirror.remove("/*");
    let illness = patient.illness("acme").await?;
    assert_eq!(illness["check"], json!("installed"));
    assert!(illness["detail"].as_str().unwrap().contains("vendor: "), "{illness}");
    Ok(())
}

#[tokio::test]
async fn an_installed_agent_is_started_and_greeted() -> Result<()> {
    let patient = Patient::new().await?;
    patient.scene.publish_demo("1.1.0")?;
    assert!(patient.scene.run(&["install-agent", "acme"]).await?.status.success());
    let (findings, code) = patient.findings("acme").await?;
    assert_eq!(code, Some(0), "{findings:?}");
    let seen: Vec<_> = findings.iter().map(|finding| finding["check"].as_str().unwrap()).collect();
    assert_eq!(seen, ["installed", "program", "interpreter", "version", "handshake"]);
    assert_eq!(findings[0]["detail"], json!("version 1.1.0 from vendor"));
    assert_eq!(findings[3]["detail"], json!("acme 1.1.0"));

    patient.scene.publish_program("1.2.0", "echo 'it lacks a soul' >&2; exit 1");
    assert!(patient.scene.run(&["install-agent", "acme"]).await?.status.success());
    let illness = patient.illness("acme").await?;
    assert_eq!(illness["check"], json!("handshake"));
    assert!(illness["detail"].as_str().unwrap().ends_with("it lacks a soul"), "{illness}");
    Ok(())
}

#[tokio::test]
async fn a_missing_program_or_interpreter_is_named() -> Result<()> {
    let patient = Patient::new()
        .await?
        .agent("[absent]\ncommand = \"no-such-program-anywhere\"")?
        .agent("[needy]\ncommand = \"sh\"\nneeds = [\"no-such-runtime\"]")?;
    let absent = patient.illness("absent").await?;
    assert_eq!(absent["detail"], json!("no-such-program-anywhere is not on PATH"));
    let needy = patient.illness("needy").await?;
    assert_eq!(needy["detail"], json!("it needs no-such-runtime, which is not on PATH"));

    patient.scene.publish_bytes("1.1.0", b"#!/usr/bin/env no-such-runtime\n".to_vec());
    assert!(patient.scene.run(&["install-agent", "acme"]).await?.status.success());
    let script = patient.illness("acme").await?;
    assert_eq!(script["check"], json!("interpreter"));
    assert_eq!(script["detail"], json!("it is run by no-such-runtime, which is not on PATH"));
    Ok(())
}

/// Returns the head of a program for this machine that asks for a loader; see elf(5).
fn elf(loader: &str) -> Vec<u8> {
    let machine: u16 = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let mut bytes = vec![0; 64 + 56];
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(0, b"\x7fELF\x02\x01");
    put(18, &machine.to_le_bytes());
    // One program header, right after this one: the name of the loader, at the end.
    put(32, &64_u64.to_le_bytes());
    put(54, &56_u16.to_le_bytes());
    put(56, &1_u16.to_le_bytes());
    put(64, &3_u32.to_le_bytes());
    put(72, &120_u64.to_le_bytes());
    put(96, &(loader.len() as u64 + 1).to_le_bytes());
    bytes.extend(loader.as_bytes());
    bytes.push(0);
    bytes
}

#[tokio::test]
async fn a_program_for_another_c_library_is_recognized() -> Result<()> {
    let patient = Patient::new().await?;
    let path = patient.scene.sandbox.path("foreign");
    let bytes = elf("/lib/ld-musl-other.so.1");
    let path = program(&path, &bytes)?;
    let patient = patient.agent(&format!("[foreign]\ncommand = '{path}'"))?;
    let illness = patient.illness("foreign").await?;
    assert_eq!(illness["check"], json!("C library"));
    let detail = illness["detail"].as_str().unwrap();
    assert!(detail.contains("is built for musl: it needs /lib/ld-musl-other.so.1"), "{detail}");
    Ok(())
}

#[tokio::test]
async fn an_agent_without_a_credential_cannot_work() -> Result<()> {
    let patient = Patient::new().await?;
    patient.scene.mirror.publish_opencode("1.4.0")?;
    assert!(patient.scene.run(&["install-agent", "opencode"]).await?.status.success());
    let illness = patient.illness("opencode").await?;
    assert_eq!((&illness["check"], &illness["detail"]), (&json!("credential"), &json!("none was found")));
    let advice = illness["advice"].as_str().unwrap();
    assert!(advice.contains("log in with opencode") && advice.contains("API key"), "{illness}");
    Ok(())
}

#[tokio::test]
async fn a_model_out_of_reach_is_reported_unless_nobody_shall_be_asked() -> Result<()> {
    let closed = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let patient = Patient::new()
        .await?
        .variable("ANTHROPIC_API_KEY", "sk-ant-SECRET")
        .variable("ANTHROPIC_BASE_URL", format!("http://{closed}"));
    patient.scene.publish_demo("1.1.0")?;
    // Whose program it is does not matter here: it is looked at as Claude Code's.
    let patient = patient
        .agent(&format!("[claude]\ncommand = '{}'\nargs = [\"acp\", \"demo\"]", daemon_path()?.display()))?;
    let illness = patient.illness("claude").await?;
    assert_eq!(illness["check"], json!("network"));
    let detail = illness["detail"].as_str().unwrap();
    assert!(detail.starts_with(&format!("{closed} cannot be reached: ")), "{detail}");
    let ended = patient.doctor(&["claude", "--offline"]).await?;
    assert_eq!(ended.status.code(), Some(0), "{ended}");
    assert!(
        ended.stdout.contains("ok    credential: anthropic") && !ended.stdout.contains("SECRET"),
        "{ended}"
    );
    Ok(())
}

#[tokio::test]
async fn a_home_that_cannot_be_written_is_reported() -> Result<()> {
    let scene = Scene::new().await?;
    // A file where the home should be: not even root can write into it.
    let home = scene.sandbox.path("no-home");
    fs::write(&home, "")?;
    let mut command = scene.command(&["doctor", "demo"])?;
    command.env("HOME", home.join("me"));
    let ended = Finished::wait(command).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert!(ended.stdout.lines().any(|line| line.starts_with("  BAD   home: ")), "{ended}");
    assert!(ended.stdout.contains("-> make it writable, or set HOME"), "{ended}");
    Ok(())
}

#[tokio::test]
async fn a_store_that_names_no_version_is_quoted() -> Result<()> {
    let patient = Patient::new().await?;
    patient.scene.mirror.put(&format!("{STORE}/latest"), "<html>Sign in</html>");
    let illness = patient.illness("acme").await?;
    assert!(illness["detail"].as_str().unwrap().contains("should hold the name of a version"), "{illness}");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_nothing_drives_is_reported() -> Result<()> {
    let illness = Patient::new().await?.illness("lumber").await?;
    assert_eq!(illness["check"], json!("launch"));
    Ok(())
}
