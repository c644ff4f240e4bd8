//! The offer of an installed agent: asked from itself, and remembered for its version.

use crate::scene::{Asking, Scene};
use anyhow::Result;
use sa_testkit::{Daemon, Sandbox};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    assert_eq!(
        (ids(&modes["modes"]), &modes["current"]),
        (vec!["build", "plan", "ask", "bypass"], &json!("build"))
    );
    assert_eq!(ids(&modes["permissionModes"]), ["default", "plan", "bypass"]);
    assert_eq!((&modes["source"], &modes["complete"]), (&json!("agent"), &json!(true)));
    assert_eq!(modes.get("reason"), None);
    assert_eq!(modes["combinations"].as_array().unwrap().len(), 12, "each with each");
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
    daemon.install("acme", r#"{"agentVersion":"1.0.0","makeCurrent":true}"#).await?.expect_status(200)?;
    get(&daemon, "/v1/agents/acme/models").await?;
    assert_eq!(scene.started().len(), 2, "the answer of the old one is still known");
    get(&daemon, "/v1/agents/acme/modes?no_cache=true").await?;
    assert_eq!(scene.started(), ["1.0.0", "1.1.0", "1.0.0"], "the older spelling counts");
    get(&daemon, "/v1/agents/acme/modes?noCache=true").await?;
    assert_eq!(scene.started().len(), 4);
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
        let known = ask("acme").await?.expect_status(200)?.json()?;
        let facts = (&known["source"], &known["complete"], &known["reason"]);
        assert_eq!(facts, (&json!("catalog"), &json!(false), &json!("'acme' is not installed")));
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
    let problem = reply.expect_problem(502, "agent_refused")?;
    assert!(problem.detail.contains("session/new") && problem.detail.contains("no method"), "{problem:?}");
    Ok(())
}

/// The catalog answers while nobody can ask the agent.
#[tokio::test]
async fn an_agent_that_is_not_installed_has_the_modes_of_the_catalog() -> Result<()> {
    let daemon = Daemon::builder().env("PATH", "/usr/bin:/bin").start().await?;
    for (agent, bypass) in [("claude", "bypassPermissions"), ("codex", "bypass"), ("opencode", "bypass")] {
        let modes = get(&daemon, &format!("/v1/agents/{agent}/modes")).await?;
        assert_eq!((&modes["source"], &modes["complete"]), (&json!("catalog"), &json!(false)));
        assert_eq!(modes["reason"], format!("'{agent}' is not installed"));
        let all = modes["combinations"].as_array().unwrap();
        let of = |permission: &str| {
            all.iter().find(|one| one["agentMode"] == "build" && one["permissionMode"] == permission).unwrap()
        };
        assert_eq!(
            (&of("bypass")["nativeMode"], &of("bypass")["effect"]),
            (&json!(bypass), &json!("neverAsks"))
        );
        assert_eq!((&of("plan")["nativeMode"], &of("plan")["effect"]), (&json!("plan"), &json!("readOnly")));
    }
    // Nothing is known of its modes, so nothing is called impossible.
    let gemini = get(&daemon, "/v1/agents/gemini/modes").await?;
    assert_eq!(ids(&gemini["modes"]), ["build"]);
    let supported = |one: &Value| one["supported"] == json!(true);
    assert!(gemini["combinations"].as_array().unwrap().iter().all(supported), "{gemini}");
    Ok(())
}

/// The vendor's program is here and would hang; there is no credential for it.
#[tokio::test]
async fn an_agent_without_credentials_is_not_waited_for() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let folder = sandbox.path("bin");
    fs::create_dir_all(&folder)?;
    let starts = sandbox.path("starts");
    let program = folder.join("claude");
    fs::write(&program, format!("#!/bin/sh\necho x >> '{}'\nexec sleep 600\n", starts.display()))?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let daemon = Daemon::builder().sandbox(Arc::clone(&sandbox)).env("PATH", &path).start().await?;
    assert_eq!(daemon.agent("claude").await?["installed"], json!(true));
    let reason = "'claude' is not logged in: no credential was found for it";
    let modes = get(&daemon, "/v1/agents/claude/modes").await?;
    assert_eq!((&modes["source"], &modes["reason"]), (&json!("catalog"), &json!(reason)));
    assert!(!starts.exists(), "the catalog is enough");
    let asked = Instant::now();
    let models = get(&daemon, "/v1/agents/claude/models").await?;
    assert!(asked.elapsed() < Duration::from_secs(8), "{:?}", asked.elapsed());
    assert_eq!(
        (&models["source"], &models["complete"], &models["models"]),
        (&json!("catalog"), &json!(false), &json!([]))
    );
    assert!(models["reason"].as_str().unwrap().starts_with(reason), "{models}");
    Ok(())
}

#[tokio::test]
async fn an_agent_that_wants_a_login_says_so() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let script = sandbox.path("locked.sh");
    let text = r#"while read -r line; do
case "$line" in
*'"initialize"'*) echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}';;
*) echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}';;
esac
done
"#;
    fs::write(&script, text)?;
    let command = format!("sh {}", script.display());
    let daemon = Daemon::builder().sandbox(sandbox).agent("locked", &command).start().await?;
    for what in ["modes", "models"] {
        let known = get(&daemon, &format!("/v1/agents/locked/{what}")).await?;
        assert_eq!(known["reason"], "'locked': it is not logged in: Authentication required", "{known}");
        assert_eq!(known["complete"], json!(false));
    }
    Ok(())
}
