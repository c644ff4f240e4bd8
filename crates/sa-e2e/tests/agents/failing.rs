//! Installations that must not succeed, or only after all.

use crate::scene::{Asking, Scene, steps};
use anyhow::Result;
use sa_testkit::mirror::{Fault, program_of_size};
use serde_json::json;
use std::time::Duration;

const FILE: &str = "/agents.example/acme/1.0.0/acme";

#[tokio::test]
async fn an_unknown_agent_is_a_problem_everywhere() -> Result<()> {
    let scene = Scene::new().await?;
    let daemon = scene.daemon().start().await?;
    let http = daemon.http();
    for request in [
        http.post("/v1/agents/nobody/install"),
        http.get("/v1/agents/nobody/latest"),
        http.get("/v1/agents/nobody/modes"),
        http.get("/v1/agents/nobody/models"),
        http.delete("/v1/agents/nobody"),
    ] {
        let problem = request.send().await?.expect_problem(404, "not_found")?;
        assert_eq!(problem.document["agent"], json!("nobody"));
    }
    Ok(())
}

#[tokio::test]
async fn an_unknown_version_is_reported_with_who_was_asked() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    for version in ["9.9.9", "nightly"] {
        let body = format!(r#"{{"agentVersion":"{version}"}}"#);
        let problem = daemon.install("acme", &body).await?.expect_problem(404, "version_not_found")?;
        assert!(problem.detail.contains(&format!("no version '{version}' of 'acme'")), "{problem:?}");
        let attempts = problem.document["details"]["attempts"].as_array().unwrap().clone();
        assert_eq!((attempts.len(), &attempts[0]["source"]), (1, &json!("vendor")), "{problem:?}");
        assert!(attempts[0]["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    }
    assert!(scene.has_no_version(), "{:?}", scene.on_disk());
    Ok(())
}

#[tokio::test]
async fn no_source_in_reach_is_reported_with_what_each_said() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let closed = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let daemon = sa_testkit::Daemon::builder()
        .sandbox(std::sync::Arc::clone(&scene.sandbox))
        .arg("--mirror")
        .arg(&format!("http://{closed}"))
        .env("npm_config_registry", &format!("http://{closed}/npm"))
        .start()
        .await?;
    let problem = daemon.install("acme", "").await?.expect_problem(502, "install_failed")?;
    let attempt = &problem.document["details"]["attempts"][0];
    assert_eq!(attempt["source"], json!("vendor"), "{problem:?}");
    assert!(attempt["url"].as_str().unwrap().ends_with("/agents.example/acme/latest"), "{problem:?}");
    assert!(attempt["reason"].as_str().unwrap().contains("onnection refused"), "{problem:?}");
    let problem = daemon.install("claude", "").await?.expect_problem(502, "install_failed")?;
    let attempts = problem.document["details"]["attempts"].as_array().unwrap();
    let sources: Vec<_> = attempts.iter().map(|attempt| attempt["source"].as_str().unwrap()).collect();
    assert_eq!(sources, ["vendor", "npm"], "each source, in its order");
    Ok(())
}

#[tokio::test]
async fn a_source_that_the_agent_does_not_have_is_no_source() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    let reply = daemon.install("acme", r#"{"source":"npm"}"#).await?;
    let problem = reply.expect_problem(502, "install_failed")?;
    assert!(problem.detail.contains("it comes from vendor only"), "{problem:?}");
    Ok(())
}

#[tokio::test]
async fn bytes_that_were_not_published_are_never_installed() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    scene.mirror.fault(FILE, Fault::Corrupt);
    let daemon = scene.daemon().start().await?;
    let problem = daemon.install("acme", "").await?.expect_problem(502, "install_failed")?;
    assert!(problem.detail.contains("checksum"), "{problem:?}");
    assert!(scene.has_no_version(), "{:?}", scene.on_disk());
    assert_eq!(daemon.agent("acme").await?["installed"], json!(false));
    // The same as a stream, and as a first use.
    let (names, end) = steps(daemon.install_events("acme", "{}").await?).await?;
    let tail: Vec<&str> = names.iter().rev().take(2).map(String::as_str).collect();
    assert_eq!(tail, ["failed", "sourceFailed"], "{names:?}");
    assert_eq!((&end["status"], &end["agent"]), (&json!(502), &json!("acme")));
    assert_eq!(end["type"], json!("urn:sandbox-agent:error:install_failed"));
    let used = daemon.acp("one").post_to("acme", sa_e2e::request(1, "pid", "{}")).await?;
    used.expect_problem(502, "install_failed")?;
    assert_eq!(daemon.acp("one").listed().await?, None, "it never ran");
    assert!(scene.started().is_empty());
    // Once the bytes are right, all is.
    scene.mirror.heal();
    daemon.acp("one").start("acme").await?;
    Ok(())
}

#[tokio::test]
async fn what_has_no_checksum_is_refused_unless_that_is_allowed() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let agents = scene.data_dir().join("agents.toml");
    let text = std::fs::read_to_string(&agents)?;
    let without: Vec<&str> = text.lines().filter(|line| !line.starts_with("checksum")).collect();
    std::fs::write(&agents, without.join("\n"))?;
    let daemon = scene.daemon().start().await?;
    let problem = daemon.install("acme", "").await?.expect_problem(502, "install_failed")?;
    assert!(problem.detail.contains("--allow-unverified"), "{problem:?}");
    assert!(scene.has_no_version(), "{:?}", scene.on_disk());
    drop(daemon);
    let daemon = scene.daemon().arg("--allow-unverified").start().await?;
    daemon.install("acme", "").await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn a_connection_that_breaks_is_continued() -> Result<()> {
    let scene = Scene::new().await?;
    let bytes = program_of_size("acme", "1.0.0", 200 << 10);
    let size = bytes.len();
    scene.publish_bytes("1.0.0", bytes);
    scene.mirror.fault_times(FILE, Fault::CutAfter(size / 3), 2);
    let daemon = scene.daemon().start().await?;
    daemon.install("acme", "").await?.expect_status(200)?;
    let ranges: Vec<bool> =
        scene.mirror.requests_of(FILE).iter().map(|request| request.range.is_some()).collect();
    assert_eq!(ranges, [false, true, true], "each goes on where the one before broke off");
    assert_eq!(std::fs::metadata(scene.acme_dir().join("1.0.0/acme"))?.len(), size as u64);
    Ok(())
}

#[tokio::test]
async fn a_store_that_cannot_be_written_is_the_daemons_own_failure() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    // A file where the directory should be: not even root can make one there.
    std::fs::write(scene.data_dir().join("agents"), "")?;
    let daemon = scene.daemon().start().await?;
    let problem = daemon.install("acme", "").await?.expect_problem(500, "internal")?;
    assert!(problem.detail.contains("sandbox-agent/agents"), "{problem:?}");
    assert_eq!(daemon.agent("acme").await?["installed"], json!(false));
    daemon.http().get("/v1/agents").send().await?.expect_status(200)?;
    Ok(())
}

#[tokio::test]
async fn a_daemon_that_ends_gives_up_its_installations() -> Result<()> {
    let scene = Scene::new().await?;
    scene.publish_bytes("1.0.0", program_of_size("acme", "1.0.0", 2 << 20));
    scene.mirror.fault(FILE, Fault::HangAfter(1 << 20));
    let mut daemon = scene.daemon().start().await?;
    let mut stream = daemon.install_events("acme", "{}").await?;
    let half =
        |event: &sa_testkit::Event| event.json().is_ok_and(|data| data["received"].as_u64() >= Some(1 << 20));
    stream.find("half of the download", half).await?;
    let stopped = daemon.stop().await?;
    assert!(stopped.status.success() && stopped.elapsed < Duration::from_secs(4), "{stopped:?}");
    let end = stream.find("the end", |event| event.event == "failed").await?.json()?;
    assert_eq!((&end["status"], &end["agent"]), (&json!(503), &json!("acme")), "{end}");
    let versions: Vec<String> = scene.on_disk().into_iter().filter(|name| !name.starts_with('.')).collect();
    assert_eq!(versions, [] as [String; 0]);
    scene.mirror.heal();
    let daemon = scene.daemon().start().await?;
    daemon.install("acme", "").await?.expect_status(200)?;
    let last = scene.mirror.requests_of(FILE).pop().unwrap();
    assert!(last.range.is_some(), "the next daemon goes on where this one was: {last:?}");
    Ok(())
}
