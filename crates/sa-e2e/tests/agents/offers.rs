//! What an installed agent offers: asked from itself, and remembered for its version.

use crate::scene::{Asking, Scene};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::{Value, json};

async fn get(daemon: &Daemon, path: &str) -> Result<Value> {
    daemon.http().get(path).send().await?.expect_status(200)?.json()
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|choice| choice["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn modes_are_what_the_agent_says() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let modes = get(&daemon, "/v1/agents/demo/modes").await?;
    assert_eq!((ids(&modes["modes"]), &modes["current"]), (vec!["build", "plan", "ask"], &json!("build")));
    assert!(modes["modes"].as_array().unwrap().iter().all(|mode| mode["name"].is_string()), "{modes}");
    Ok(())
}

#[tokio::test]
async fn models_come_with_how_hard_they_think() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let models = get(&daemon, "/v1/agents/demo/models").await?;
    assert_eq!(ids(&models["models"]), ["demo-small", "demo-medium", "demo-large"]);
    assert_eq!(ids(&models["variants"]), ["low", "medium", "high"]);
    let current = (&models["current"], &models["currentVariant"]);
    assert_eq!(current, (&json!("demo-medium"), &json!("medium")));
    Ok(())
}

#[tokio::test]
async fn config_options_come_with_the_description_when_asked_for() -> Result<()> {
    let daemon = Daemon::builder().agent("gone", "/nonexistent/agent").agent("mute", "false").start().await?;
    let demo = get(&daemon, "/v1/agents/demo?config=true").await?;
    assert_eq!(ids(&demo["configOptions"]), ["mode", "model", "effort"], "{demo}");
    let option = &demo["configOptions"][1];
    assert_eq!((&option["type"], &option["currentValue"]), (&json!("select"), &json!("demo-medium")));
    assert_eq!(demo.get("configError"), None);

    let list = get(&daemon, "/v1/agents?config=true").await?;
    let find = |id: &str| list["agents"].as_array().unwrap().iter().find(|agent| agent["id"] == id).unwrap();
    assert_eq!(find("demo")["configOptions"], demo["configOptions"]);
    let mute = find("mute");
    assert_eq!(mute["configError"], json!("it ended before it answered"), "{mute}");
    assert_eq!(mute.get("configOptions"), None);
    for absent in ["configOptions", "configError"] {
        assert_eq!(find("gone").get(absent), None, "what is not here is not asked");
    }
    Ok(())
}

#[tokio::test]
async fn an_agent_is_asked_once_for_each_version() -> Result<()> {
    let scene = Scene::new().await?;
    scene.publish_demo("1.0.0")?;
    let daemon = scene.daemon().start().await?;
    daemon.install("acme", "").await?.expect_status(200)?;
    assert_eq!(daemon.agent("acme").await?["capabilities"]["images"], json!(false), "nobody has asked yet");
    let (models, modes) =
        tokio::try_join!(get(&daemon, "/v1/agents/acme/models"), get(&daemon, "/v1/agents/acme/modes"),)?;
    assert!(!ids(&models["models"]).is_empty() && !ids(&modes["modes"]).is_empty());
    get(&daemon, "/v1/agents/acme?config=true").await?;
    get(&daemon, "/v1/agents?config=true").await?;
    assert_eq!(scene.started(), ["1.0.0"], "one start for all questions");
    assert_eq!(daemon.agent("acme").await?["capabilities"]["images"], json!(true), "now it is known");

    scene.publish_demo("1.1.0")?;
    daemon.install("acme", "").await?.expect_status(200)?;
    get(&daemon, "/v1/agents/acme/models").await?;
    assert_eq!(scene.started(), ["1.0.0", "1.1.0"], "another version is asked anew");
    daemon.install("acme", r#"{"agentVersion":"1.0.0"}"#).await?.expect_status(200)?;
    get(&daemon, "/v1/agents/acme/models").await?;
    assert_eq!(scene.started().len(), 2, "the answer of the old one is still known");
    get(&daemon, "/v1/agents/acme/modes?no_cache=true").await?;
    assert_eq!(scene.started(), ["1.0.0", "1.1.0", "1.0.0"]);
    let shells = daemon.children().into_iter().filter(|child| child.name != "exe").count();
    assert_eq!(shells, 0, "nothing of it runs on beside the guardian");
    Ok(())
}

#[tokio::test]
async fn a_question_installs_nothing() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    for what in ["modes", "models"] {
        let ask = async |agent: &str| daemon.http().get(&format!("/v1/agents/{agent}/{what}")).send().await;
        let problem = ask("acme").await?.expect_problem(404, "agent_not_installed")?;
        assert_eq!(problem.document["agent"], json!("acme"));
        ask("lumber").await?.expect_problem(422, "agent_not_startable")?;
    }
    assert!(scene.mirror.requests().is_empty());
    Ok(())
}

#[tokio::test]
async fn an_agent_that_does_not_answer_is_quoted_and_asked_again() -> Result<()> {
    let scene = Scene::new().await?;
    scene.publish_program("1.0.0", "echo 'no key for acme' >&2; exit 3");
    let daemon = scene.daemon().start().await?;
    daemon.install("acme", "").await?.expect_status(200)?;
    for times in 1..=2 {
        let reply = daemon.http().get("/v1/agents/acme/models").send().await?;
        let problem = reply.expect_problem(502, "inquiry_failed")?;
        assert!(problem.detail.contains("no key for acme"), "{problem:?}");
        assert_eq!(scene.started().len(), times, "a failure is not kept");
    }
    Ok(())
}

#[tokio::test]
async fn an_agent_that_refuses_is_quoted() -> Result<()> {
    // The puppet greets, but knows no sessions.
    let daemon = Daemon::start().await?;
    let reply = daemon.http().get("/v1/agents/puppet/models").send().await?;
    let problem = reply.expect_problem(502, "inquiry_failed")?;
    assert!(problem.detail.contains("session/new") && problem.detail.contains("no method"), "{problem:?}");
    Ok(())
}
