//! `POST /v1/agents/{agent}/install`.

use crate::scene::{Asking, STORE, Scene, steps};
use anyhow::Result;
use sa_e2e::poll;
use sa_testkit::Finished;
use sa_testkit::mirror::{Fault, program_of_size};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

#[tokio::test]
async fn an_agent_is_installed_and_then_it_is_there() -> Result<()> {
    let scene = Scene::with_version("1.2.3").await?;
    let daemon = scene.daemon().start().await?;
    let answer = daemon.install("acme", "{}").await?.expect_status(200)?.json()?;
    let path = scene.acme_dir().join("1.2.3/acme");
    let expected = json!({
        "agent": "acme", "version": "1.2.3", "path": path, "source": "vendor", "alreadyInstalled": false,
        "already_installed": false, "builtIn": false, "current": true,
        "artifacts": [{"kind": "native_agent", "path": path, "source": "vendor", "version": "1.2.3"}],
    });
    assert_eq!(answer, expected);
    let mut program = scene.sandbox.command(&path);
    program.arg("--version");
    assert_eq!(Finished::wait(program).await?.stdout, "acme 1.2.3\n");

    let acme = daemon.agent("acme").await?;
    let known = ["installed", "version", "path", "source"].map(|key| acme[key].clone());
    assert_eq!(known, [json!(true), json!("1.2.3"), json!(path), json!("vendor")]);
    let version = &acme["versions"][0];
    assert_eq!((&version["version"], &version["current"]), (&json!("1.2.3"), &json!(true)));
    assert_eq!((&version["path"], &version["source"]), (&json!(path), &json!("vendor")));
    let size = std::fs::metadata(&path)?.len();
    assert!(version["size"].as_u64().unwrap() >= size, "{version}");
    let at = version["installedAt"].as_str().unwrap();
    assert!(
        at.len() == "2026-03-14T20:42:18.250Z".len() && at.starts_with("20") && at.ends_with('Z'),
        "{at}"
    );
    Ok(())
}

#[tokio::test]
async fn what_is_there_is_not_fetched_again() -> Result<()> {
    let scene = Scene::with_version("1.2.3").await?;
    let daemon = scene.daemon().start().await?;
    // No body at all asks for the latest, too; the member of another server's clients is taken.
    daemon.install("acme", "").await?.expect_status(200)?;
    for body in ["", "{}", r#"{"agentVersion":"1.2.3"}"#, r#"{"agentProcessVersion":"9","reinstall":false}"#]
    {
        let answer = daemon.install("acme", body).await?.expect_status(200)?.json()?;
        assert_eq!(
            (&answer["already_installed"], &answer["version"]),
            (&json!(true), &json!("1.2.3")),
            "{body}"
        );
    }
    assert_eq!(scene.fetched("1.2.3"), 1);
    let answer = daemon.install("acme", r#"{"reinstall":true}"#).await?.expect_status(200)?.json()?;
    assert_eq!(answer["already_installed"], json!(false));
    assert_eq!(scene.fetched("1.2.3"), 2, "unless it is asked for");
    Ok(())
}

#[tokio::test]
async fn a_version_that_is_there_needs_no_network() -> Result<()> {
    let scene = Scene::with_version("1.2.3").await?;
    let daemon = scene.daemon().start().await?;
    daemon.install("acme", "").await?.expect_status(200)?;
    scene.mirror.fault("/*", Fault::Status(500));
    let asked = scene.mirror.requests().len();
    daemon.install("acme", r#"{"agentVersion":"1.2.3"}"#).await?.expect_status(200)?;
    assert_eq!(scene.mirror.requests().len(), asked);
    Ok(())
}

#[tokio::test]
async fn the_steps_are_streamed_in_their_order() -> Result<()> {
    let scene = Scene::with_version("1.2.3").await?;
    let daemon = scene.daemon().start().await?;
    let stream = daemon.install_events("acme", "{}").await?;
    assert_eq!(stream.headers()["x-accel-buffering"], "no");
    let (names, end) = steps(stream).await?;
    assert_eq!(names, ["resolving", "downloading", "verifying", "activating", "done"]);
    let path = scene.acme_dir().join("1.2.3/acme");
    assert_eq!((&end["agent"], &end["path"]), (&json!("acme"), &json!(path)));
    assert_eq!(end["already_installed"], json!(false));

    let (names, end) = steps(daemon.install_events("acme", "{}").await?).await?;
    assert_eq!(names, ["resolving", "done"]);
    assert_eq!(end["already_installed"], json!(true));
    // The spelling of older clients.
    let old = daemon.http().post("/v1/agents/acme/install").header("accept", "text/event-stream");
    assert_eq!(steps(sa_testkit::Sse::open(old).await?).await?.0, ["resolving", "done"]);
    let json = daemon.http().post("/v1/agents/acme/install/sse").header("accept", "application/json");
    json.send().await?.expect_problem(406, "not_acceptable")?;

    scene.mirror.publish_codex("0.9.0")?;
    let (names, _) = steps(daemon.install_events("codex", "{}").await?).await?;
    assert_eq!(
        names,
        ["resolving", "downloading", "verifying", "unpacking", "activating", "done"],
        "an archive"
    );
    scene.mirror.remove("/releases.openai.com/*");
    let (names, end) = steps(daemon.install_events("codex", r#"{"reinstall":true}"#).await?).await?;
    assert_eq!(names[..4], ["resolving", "sourceFailed", "resolving", "downloading"], "the next source");
    assert_eq!((names.last().unwrap().as_str(), &end["source"]), ("done", &json!("github")));
    Ok(())
}

/// Large enough to be slow in several pieces.
fn publish_slowly(scene: &Scene, version: &str) -> u64 {
    let bytes = program_of_size("acme", version, 64 << 10);
    let size = bytes.len() as u64;
    scene.publish_bytes(version, bytes);
    let file = format!("{STORE}/{version}/acme");
    scene.mirror.fault(&file, Fault::Slow(8 << 10, Duration::from_millis(60)));
    size
}

#[tokio::test]
async fn a_download_tells_how_far_it_has_come() -> Result<()> {
    let scene = Scene::new().await?;
    let size = publish_slowly(&scene, "2.0.0");
    let daemon = scene.daemon().start().await?;
    let mut stream = daemon.install_events("acme", "{}").await?;
    let mut counts: Vec<u64> = Vec::new();
    while let Some(event) = stream.next_event().await? {
        if event.event == "downloading" {
            let data = event.json()?;
            assert!(data["url"].as_str().unwrap().ends_with("/acme/2.0.0/acme"), "{data}");
            if data["total"] != Value::Null {
                assert_eq!(data["total"], json!(size));
            }
            counts.push(data["received"].as_u64().unwrap());
        }
    }
    assert!(counts.is_sorted() && counts.last() == Some(&size), "{counts:?} of {size}");
    assert!(counts.iter().any(|count| (1..size).contains(count)), "{counts:?}");
    Ok(())
}

#[tokio::test]
async fn an_installation_goes_on_when_its_client_leaves() -> Result<()> {
    let scene = Scene::new().await?;
    publish_slowly(&scene, "2.0.0");
    let daemon = scene.daemon().start().await?;
    let mut stream = daemon.install_events("acme", "{}").await?;
    stream.find("the download", |event| event.event == "downloading").await?;
    drop(stream);
    let joined = daemon.install("acme", "{}");
    let installed = poll("the installation", async || {
        let acme = daemon.agent("acme").await?;
        Ok((acme["installed"] == json!(true)).then_some(acme))
    });
    let (joined, installed) = tokio::try_join!(joined, installed)?;
    assert_eq!(joined.expect_status(200)?.json()?["version"], installed["version"]);
    assert_eq!(scene.fetched("2.0.0"), 1, "who asked for the same joined it");
    Ok(())
}

#[tokio::test]
async fn requests_that_make_no_sense_are_refused() -> Result<()> {
    let scene = Scene::with_version("1.2.3").await?;
    let daemon = scene.daemon().start().await?;
    for body in [
        "[]",
        "{",
        r#"{"version":"1"}"#,
        r#"{"reinstall":"yes"}"#,
        r#"{"source":"elsewhere"}"#,
        r#"{"agentVersion":"../x"}"#,
    ] {
        daemon.install("acme", body).await?.expect_problem(400, "invalid_request")?;
    }
    let install = || daemon.http().post("/v1/agents/acme/install");
    install().body("{}").send().await?.expect_problem(415, "unsupported_media_type")?;
    install().header("accept", "text/html").send().await?.expect_problem(406, "not_acceptable")?;
    let problem = daemon.install("nobody", "").await?.expect_problem(404, "not_found")?;
    assert_eq!(problem.document["agent"], json!("nobody"));
    assert!(!Path::new(&scene.acme_dir()).exists(), "nothing was begun");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_is_built_in_is_installed_already() -> Result<()> {
    let daemon = Scene::new().await?.daemon().start().await?;
    for body in ["", r#"{"reinstall":true}"#, r#"{"agentVersion":"latest"}"#] {
        let demo = daemon.install("demo", body).await?.expect_status(200)?.json()?;
        let facts =
            ["alreadyInstalled", "already_installed", "builtIn", "current"].map(|key| demo[key].clone());
        assert_eq!(facts, [true, true, true, true].map(Value::from), "{body}: {demo}");
        assert_eq!((&demo["source"], &demo["artifacts"]), (&json!("builtin"), &json!([])));
    }
    let (names, end) = steps(daemon.install_events("demo", "{}").await?).await?;
    assert_eq!((names, &end["builtIn"]), (vec!["done".to_owned()], &json!(true)));
    daemon.install("demo", r#"{"agentVersion":"7"}"#).await?.expect_problem(404, "version_not_found")?;
    assert_eq!(daemon.agent("demo").await?["builtIn"], json!(true));
    assert_eq!(daemon.agent("acme").await?["builtIn"], json!(false));
    Ok(())
}

#[tokio::test]
async fn a_command_of_the_users_is_named_when_it_cannot_be_installed() -> Result<()> {
    let daemon = Scene::new().await?.daemon().agent("mine", "/opt/mine/agent --acp").start().await?;
    let problem = daemon.install("mine", "").await?.expect_problem(400, "invalid_request")?;
    let words = "agent 'mine' runs the command '/opt/mine/agent', which sandbox-agent does not install";
    assert!(problem.detail.starts_with(words), "{problem:?}");
    Ok(())
}
