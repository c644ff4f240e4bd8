//! Several versions of one agent.

use crate::scene::{Asking, STORE, Scene};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

/// Returns the installed versions, and which of them is current.
async fn versions(daemon: &Daemon) -> Result<Vec<(String, bool)>> {
    let acme = daemon.agent("acme").await?;
    let of = |version: &Value| {
        (version["version"].as_str().unwrap().to_owned(), version["current"] == json!(true))
    };
    Ok(acme["versions"].as_array().unwrap().iter().map(of).collect())
}

fn pairs(expected: &[(&str, bool)]) -> Vec<(String, bool)> {
    expected.iter().map(|(version, current)| ((*version).to_owned(), *current)).collect()
}

async fn three_versions() -> Result<(Scene, Daemon)> {
    let scene = Scene::new().await?;
    for version in ["1.9.0", "1.10.0", "2.0.0"] {
        scene.publish(version)?;
    }
    let daemon = scene.daemon().start().await?;
    Ok((scene, daemon))
}

#[tokio::test]
async fn versions_live_side_by_side_and_the_newest_is_current_unless_another_is_chosen() -> Result<()> {
    let (scene, daemon) = three_versions().await?;
    for version in ["1.9.0", "1.10.0"] {
        let answer = daemon.install("acme", &format!(r#"{{"agentVersion":"{version}"}}"#)).await?;
        assert_eq!(answer.expect_status(200)?.json()?["version"], json!(version));
    }
    assert_eq!(versions(&daemon).await?, pairs(&[("1.10.0", true), ("1.9.0", false)]), "the newest first");
    assert_eq!(std::fs::read_link(scene.acme_dir().join("current"))?.to_str(), Some("1.10.0"));
    // Installing an older one changes nothing for others, unless that is asked for.
    for (body, current) in [
        (r#"{"agentVersion":"1.9.0"}"#, false),
        (r#"{"agentVersion":"1.9.0","reinstall":true}"#, false),
        (r#"{"agentVersion":"1.9.0","makeCurrent":true}"#, true),
        (r#"{"agentVersion":"1.10.0","makeCurrent":false}"#, false),
    ] {
        let answer = daemon.install("acme", body).await?.expect_status(200)?.json()?;
        assert_eq!(answer["current"], json!(current), "{body}");
    }
    assert_eq!(versions(&daemon).await?, pairs(&[("1.10.0", false), ("1.9.0", true)]));
    assert_eq!(daemon.agent("acme").await?["version"], json!("1.9.0"));
    daemon.acp("one").start("acme").await?;
    assert_eq!(scene.started(), ["1.9.0"]);
    daemon.install("acme", r#"{"agentVersion":"latest"}"#).await?.expect_status(200)?;
    assert_eq!(versions(&daemon).await?, pairs(&[("2.0.0", true), ("1.10.0", false), ("1.9.0", false)]));
    Ok(())
}

#[tokio::test]
async fn the_current_version_is_chosen_among_those_that_are_installed() -> Result<()> {
    let (scene, daemon) = three_versions().await?;
    for version in ["1.9.0", "1.10.0"] {
        daemon.install("acme", &format!(r#"{{"agentVersion":"{version}"}}"#)).await?.expect_status(200)?;
    }
    let choose = async |agent: &str, body: &str| {
        daemon.http().patch(&format!("/v1/agents/{agent}")).json(body.to_owned()).send().await
    };
    let acme = choose("acme", r#"{"currentVersion":"1.9.0"}"#).await?.expect_status(200)?.json()?;
    assert_eq!(acme, daemon.agent("acme").await?);
    assert_eq!(acme["version"], json!("1.9.0"));
    daemon.acp("one").start("acme").await?;
    assert_eq!(scene.started(), ["1.9.0"]);
    for version in ["2.0.0", "../1.9.0", "current", ""] {
        let body = json!({ "currentVersion": version }).to_string();
        let problem = choose("acme", &body).await?.expect_problem(422, "unsupported")?;
        assert!(problem.detail.ends_with("installed are: 1.10.0, 1.9.0"), "{problem:?}");
    }
    choose("demo", r#"{"currentVersion":"1"}"#).await?.expect_problem(422, "unsupported")?;
    choose("nobody", r#"{"currentVersion":"1"}"#).await?.expect_problem(404, "not_found")?;
    for body in ["{}", "[]", r#"{"version":"1.9.0"}"#] {
        choose("acme", body).await?.expect_problem(400, "invalid_request")?;
    }
    assert_eq!(versions(&daemon).await?, pairs(&[("1.10.0", false), ("1.9.0", true)]));
    Ok(())
}

#[tokio::test]
async fn a_publishers_word_stands_for_a_version() -> Result<()> {
    let (scene, daemon) = three_versions().await?;
    scene.mirror.put(&format!("{STORE}/stable"), "1.10.0\n");
    let answer = daemon.install("acme", r#"{"agentVersion":"stable"}"#).await?.expect_status(200)?.json()?;
    assert_eq!(answer["version"], json!("1.10.0"));
    Ok(())
}

/// A parameter that is not understood must not turn "this version" into "all of them".
#[tokio::test]
async fn a_misspelt_version_removes_nothing() -> Result<()> {
    let (_scene, daemon) = three_versions().await?;
    for version in ["1.9.0", "1.10.0"] {
        daemon.install("acme", &format!(r#"{{"agentVersion":"{version}"}}"#)).await?.expect_status(200)?;
    }
    for query in ["agentversion=1.9.0", "agent_version=1.9.0", "v=1.9.0", "agentVersion=1.9.0&all=true"] {
        let answer = daemon.http().delete(&format!("/v1/agents/acme?{query}")).send().await?;
        answer.expect_problem(400, "invalid_request")?;
    }
    assert_eq!(versions(&daemon).await?.len(), 2);
    daemon.http().delete("/v1/agents/acme?agentVersion=1.9.0").send().await?.expect_status(200)?;
    assert_eq!(versions(&daemon).await?, pairs(&[("1.10.0", true)]));
    daemon.http().delete("/v1/agents/acme?version=1.10.0").send().await?.expect_status(200)?;
    assert!(versions(&daemon).await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn one_version_is_removed_or_all_are() -> Result<()> {
    let (scene, daemon) = three_versions().await?;
    for version in ["1.9.0", "1.10.0", "2.0.0"] {
        daemon.install("acme", &format!(r#"{{"agentVersion":"{version}"}}"#)).await?.expect_status(200)?;
    }
    let remove = async |query: &str| daemon.http().delete(&format!("/v1/agents/acme{query}")).send().await;
    let gone = remove("?version=2.0.0").await?.expect_status(200)?.json()?;
    assert_eq!(gone, json!({"agent": "acme", "removed": ["2.0.0"]}));
    assert_eq!(versions(&daemon).await?, pairs(&[("1.10.0", true), ("1.9.0", false)]));
    for query in ["?version=2.0.0", "?version=7"] {
        let gone = remove(query).await?.expect_status(200)?.json()?;
        assert_eq!(gone, json!({"agent": "acme", "removed": []}));
    }
    let gone = remove("").await?.expect_status(200)?.json()?;
    assert_eq!(gone["removed"], json!(["1.10.0", "1.9.0"]));
    assert_eq!(daemon.agent("acme").await?["installed"], json!(false));
    assert!(scene.has_no_version(), "{:?}", scene.on_disk());
    assert_eq!(remove("").await?.expect_status(200)?.json()?["removed"], json!([]));
    daemon.http().delete("/v1/agents/nobody").send().await?.expect_problem(404, "not_found")?;
    let demo = daemon.http().delete("/v1/agents/demo").send().await?.expect_status(200)?.json()?;
    assert_eq!(demo, json!({"agent": "demo", "removed": []}));
    Ok(())
}

#[tokio::test]
async fn what_runs_outlives_the_removal_of_its_version() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    let acp = daemon.acp("one");
    let pid = acp.start("acme").await?;
    daemon.http().delete("/v1/agents/acme").send().await?.expect_status(200)?;
    assert_eq!(acp.call("pid", "{}").await?, json!(pid));
    Ok(())
}

#[tokio::test]
async fn the_newest_version_is_reported() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    let latest =
        async || daemon.http().get("/v1/agents/acme/latest").send().await?.expect_status(200)?.json();
    assert_eq!(latest().await?, json!({"agent": "acme", "latest": "1.0.0"}));
    daemon.install("acme", "").await?.expect_status(200)?;
    let current = json!({"agent": "acme", "installed": "1.0.0", "latest": "1.0.0", "outdated": false});
    assert_eq!(latest().await?, current);
    scene.publish("1.1.0")?;
    let outdated = json!({"agent": "acme", "installed": "1.0.0", "latest": "1.1.0", "outdated": true});
    assert_eq!(latest().await?, outdated);
    let get = async |agent: &str| daemon.http().get(&format!("/v1/agents/{agent}/latest")).send().await;
    get("nobody").await?.expect_problem(404, "not_found")?;
    get("demo").await?.expect_problem(400, "invalid_request")?;
    scene.mirror.remove("/*");
    let problem = get("acme").await?.expect_problem(502, "install_failed")?;
    assert_eq!(problem.document["details"]["attempts"][0]["source"], json!("vendor"), "{problem:?}");
    Ok(())
}
