//! The form and the origin of the description of agents.

use crate::scene::{Asking, Scene};
use anyhow::Result;
use sa_testkit::{Daemon, Sandbox, puppet_path};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The facts of the wire-compatible shape.
const CAPABILITIES: [&str; 18] = [
    "commandExecution",
    "errorEvents",
    "fileAttachments",
    "fileChanges",
    "images",
    "itemStarted",
    "mcpTools",
    "permissions",
    "planMode",
    "questions",
    "reasoning",
    "sessionLifecycle",
    "sharedProcess",
    "status",
    "streamingDeltas",
    "textMessages",
    "toolCalls",
    "toolResults",
];

async fn listed(daemon: &Daemon) -> Result<Vec<Value>> {
    let list = daemon.http().get("/v1/agents").send().await?.expect_status(200)?.json()?;
    Ok(list["agents"].as_array().unwrap().clone())
}

#[tokio::test]
async fn every_agent_is_described_in_one_shape() -> Result<()> {
    let scene = Scene::new().await?;
    let daemon = scene.daemon().puppet(&[]).start().await?;
    let agents = listed(&daemon).await?;
    let ids: Vec<&str> = agents.iter().map(|agent| agent["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted(), "{ids:?}");
    for id in ["acme", "amp", "claude", "codex", "demo", "gemini", "goose", "opencode", "puppet"] {
        assert!(ids.contains(&id), "{id} is not in {ids:?}");
    }
    for agent in &agents {
        let facts: Vec<&str> =
            agent["capabilities"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(BTreeSet::from_iter(facts), BTreeSet::from(CAPABILITIES), "{agent}");
        assert!(agent["capabilities"].as_object().unwrap().values().all(Value::is_boolean), "{agent}");
        for flag in ["installed", "installable", "builtIn", "credentialsAvailable"] {
            assert!(agent[flag].is_boolean(), "{flag} of {agent}");
        }
        assert!(agent["versions"].is_array() && agent["credentials"].is_array(), "{agent}");
        assert!(agent["running"].is_u64() && agent["name"].is_string(), "{agent}");
        let kind = agent["launch"]["kind"].as_str().unwrap();
        assert!(["builtin", "command", "installOnly"].contains(&kind), "{agent}");
        assert!(agent.get("configOptions").is_none() && agent.get("configError").is_none(), "not unasked");
        assert_eq!(daemon.agent(agent["id"].as_str().unwrap()).await?, *agent);
    }
    Ok(())
}

#[tokio::test]
async fn an_agent_that_is_built_in_needs_nothing() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let version = daemon.http().get("/").send().await?.json()?["version"].clone();
    let mut demo = daemon.agent("demo").await?;
    demo.as_object_mut().unwrap().remove("capabilities");
    let expected = json!({
        "id": "demo", "name": "Demo agent", "description": "Plays what the prompt tells it to; needs no model and no key",
        "launch": {"kind": "builtin"}, "installed": true, "installable": false, "builtIn": true, "version": version, "source": "builtin",
        "versions": [], "credentialStatus": "notNeeded", "credentialsAvailable": true, "credentials": [], "running": 0,
    });
    assert_eq!(demo, expected);
    Ok(())
}

#[tokio::test]
async fn what_is_published_but_not_here_is_installable() -> Result<()> {
    let scene = Scene::with_version("1.0.0").await?;
    let daemon = scene.daemon().start().await?;
    let acme = daemon.agent("acme").await?;
    assert_eq!(acme["launch"], json!({"kind": "command", "program": "acme", "args": []}));
    assert_eq!((&acme["installed"], &acme["installable"]), (&json!(false), &json!(true)));
    for absent in ["version", "path", "source", "serverStatus"] {
        assert_eq!(acme.get(absent), None, "{acme}");
    }
    assert_eq!(daemon.agent("lumber").await?["launch"], json!({"kind": "installOnly", "program": "lumber"}));
    assert!(scene.mirror.requests().is_empty(), "a list asks nobody");
    Ok(())
}

#[tokio::test]
async fn a_running_agent_says_for_how_long() -> Result<()> {
    let daemon = Daemon::start().await?;
    daemon.acp("one").start("puppet").await?;
    let puppet = daemon.agent("puppet").await?;
    assert_eq!((&puppet["running"], &puppet["serverStatus"]["status"]), (&json!(1), &json!("running")));
    assert!(puppet["serverStatus"]["uptimeMs"].is_u64(), "{puppet}");
    Ok(())
}

#[tokio::test]
async fn a_program_of_the_users_is_here_only_if_it_is() -> Result<()> {
    let puppet = puppet_path()?;
    let daemon = Daemon::builder()
        .agent("here", puppet.to_str().unwrap())
        .agent("shell", "sh -c true")
        .agent("gone", "/nonexistent/agent --acp")
        .agent("unknown", "no-such-program-anywhere")
        .start()
        .await?;
    let here = daemon.agent("here").await?;
    assert_eq!((&here["installed"], &here["source"]), (&json!(true), &json!("path")));
    assert_eq!(here["path"], json!(puppet));
    let shell = daemon.agent("shell").await?;
    assert_eq!(shell["installed"], json!(true));
    assert!(shell["path"].as_str().unwrap().ends_with("/sh"), "{shell}");
    for id in ["gone", "unknown"] {
        let agent = daemon.agent(id).await?;
        assert_eq!((&agent["installed"], &agent["installable"]), (&json!(false), &json!(false)), "{agent}");
        assert_eq!(agent.get("path"), None);
    }
    Ok(())
}

#[tokio::test]
async fn agents_of_the_users_come_from_three_places() -> Result<()> {
    let puppet = puppet_path()?;
    let puppet = puppet.to_str().unwrap();
    let sandbox = Arc::new(Sandbox::new()?);
    let data = sandbox.data_home().join("sandbox-agent");
    std::fs::create_dir_all(&data)?;
    let table = |id: &str, name: &str| format!("[{id}]\nname = \"{name}\"\ncommand = '{puppet}'\n");
    std::fs::write(data.join("agents.toml"), ["filed", "both", "all"].map(|id| table(id, "file")).concat())?;
    let daemon = Daemon::builder()
        .sandbox(sandbox)
        .config(&["agents.configured", "agents.both", "agents.all"].map(|id| table(id, "config")).concat())
        .agent("all", puppet)
        .agent("flagged", puppet)
        .start()
        .await?;
    let expected = [
        ("filed", "file"),
        ("configured", "config"),
        ("both", "config"),
        ("all", "all"),
        ("flagged", "flagged"),
    ];
    for (id, name) in expected {
        assert_eq!(daemon.agent(id).await?["name"], json!(name), "{id}: the flag wins over both files");
        daemon.acp(id).start(id).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_file_of_agents_that_makes_no_sense_is_refused_at_the_start() -> Result<()> {
    let sandbox = Arc::new(Sandbox::new()?);
    let data = sandbox.data_home().join("sandbox-agent");
    std::fs::create_dir_all(&data)?;
    for (text, complaint) in [
        ("[x]\ncommand = 3", "agents.toml"),
        ("[x]\nname = \"X\"", "agent 'x' has neither `command` nor `builtin`"),
        ("[x]\ncommand = \"x\"\nsurprise = 1", "surprise"),
    ] {
        std::fs::write(data.join("agents.toml"), text)?;
        let ended = Daemon::builder().sandbox(Arc::clone(&sandbox)).run_to_end().await?;
        assert_eq!(ended.status.code(), Some(64), "{ended}");
        assert!(ended.stderr.contains(complaint), "{ended}");
    }
    Ok(())
}

#[tokio::test]
async fn bad_questions_are_problems() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    for path in ["/v1/agents/nobody", "/v1/agents/nobody?config=true"] {
        let problem = daemon.http().get(path).send().await?.expect_problem(404, "not_found")?;
        assert_eq!(problem.document["agent"], json!("nobody"));
    }
    for path in [
        "/v1/agents?config=perhaps",
        "/v1/agents/demo?no_cache=2",
        "/v1/agents/demo?noCache=2",
        "/v1/agents/%ff",
    ] {
        daemon.http().get(path).send().await?.expect_problem(400, "invalid_request")?;
    }
    Ok(())
}
