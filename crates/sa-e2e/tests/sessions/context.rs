//! The environment of an agent: MCP servers, skills, variables, credentials, a directory.

use crate::api::{Api, of_kind, said};
use crate::script::Script;
use anyhow::Result;
use sa_testkit::{Daemon, Sandbox};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

#[tokio::test]
async fn mcp_servers_of_the_directory_and_of_the_session_reach_the_agent() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let directory = daemon.sandbox().path("project");
    std::fs::create_dir_all(&directory)?;
    let cwd = directory.to_str().unwrap();
    let put = async |name: &str, body: serde_json::Value| {
        let path = format!("/v1/config/mcp?directory={cwd}&mcpName={name}");
        daemon.http().put(&path).json(body.to_string()).send().await?.expect_status(204)
    };
    put("kept", json!({"type": "local", "command": "kept-server", "args": ["--x"]})).await?;
    put("off", json!({"type": "local", "command": "off-server", "enabled": false})).await?;
    put("both", json!({"type": "local", "command": "of-the-directory"})).await?;
    let api = Api::of(&daemon);
    let mcp = json!({
        "own": {"type": "local", "command": "own-server"},
        "both": {"type": "local", "command": "of-the-session"},
    });
    api.create_with("s", json!({"cwd": cwd, "mcp": mcp})).await?;
    let text = said(&api.turn("s", "mcp\ncwd").await?);
    for name in ["kept-server", "own-server", "of-the-session", cwd] {
        assert!(text.contains(name), "{name} in {text}");
    }
    assert!(!text.contains("off-server") && !text.contains("of-the-directory"), "{text}");
    Ok(())
}

/// Returns the forms in which other programs write a server, each with what the agent gets.
fn foreign_servers() -> Vec<(Value, Value)> {
    let local = |args: Value, env: Value| json!({"name": "x", "command": "y", "args": args, "env": env});
    let remote = |kind: &str, headers: Value| json!({"type": kind, "name": "x", "url": "http://h/", "headers": headers});
    let variable = json!([{"name": "A", "value": "b"}]);
    let headers = json!([{"name": "Authorization", "value": "Bearer t0ken"}, {"name": "X", "value": "1"}]);
    vec![
        (json!({"command": "y"}), local(json!([]), json!([]))),
        (json!({"type": "local", "command": ["y", "z"]}), local(json!(["z"]), json!([]))),
        (json!({"type": "local", "command": "y", "environment": {"A": "b"}}), local(json!([]), variable)),
        (json!({"url": "http://h/"}), remote("http", json!([]))),
        (json!({"type": "sse", "url": "http://h/"}), remote("sse", json!([]))),
        (
            json!({"type": "http", "url": "http://h/", "http_headers": {"X": "1"}, "bearer_token_env_var": "TOKEN"}),
            remote("http", headers),
        ),
    ]
}

#[tokio::test]
async fn a_session_takes_servers_in_all_forms_that_a_directory_takes() -> Result<()> {
    let capabilities = json!({"mcpCapabilities": {"http": true, "sse": true}});
    let hello = json!({"result": {"protocolVersion": 1, "agentCapabilities": capabilities}});
    let script = Script::new(&json!({"initialize": [hello]}))?;
    let daemon = script.daemon("").start().await?;
    let api = Api::of(&daemon);
    let workspace = script.file("project");
    std::fs::create_dir_all(&workspace)?;
    let path = format!("/v1/config/mcp?directory={}&mcpName=x", workspace.display());
    for (number, (server, _)) in foreign_servers().into_iter().enumerate() {
        let body = json!({"agent": "scripted", "env": {"TOKEN": "t0ken"}, "cwd": workspace});
        let mut own = body.clone();
        own["mcp"] = json!({"x": server});
        let created = api.post(&format!("/own-{number}"), &own).await?.expect_status(201)?.json()?;
        assert_eq!(created["healthy"], true, "{server}: {created:#}");
        daemon.http().put(&path).json(server.to_string()).send().await?.expect_status(204)?;
        api.post(&format!("/kept-{number}"), &body).await?.expect_status(201)?;
        daemon.http().delete(&path).send().await?.expect_status(204)?;
    }
    let opened = script.heard("session/new");
    let expected = foreign_servers().into_iter().flat_map(|(_, expected)| [expected.clone(), expected]);
    let given: Vec<Value> = opened.iter().map(|message| message["params"]["mcpServers"][0].clone()).collect();
    assert_eq!(given, expected.collect::<Vec<_>>());
    Ok(())
}

fn write_skill(library: &Path, name: &str) -> Result<Value> {
    let folder = library.join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("SKILL.md"), format!("---\nname: {name}\ndescription: Knows\n---\nDo it.\n"))?;
    Ok(json!({"sources": [{"type": "local", "source": folder}]}))
}

/// Returns the names of the skills that stand where the agent looks.
fn placed(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory.join(".agents/skills")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn skills_of_the_directory_and_of_the_session_are_placed() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (directory, library) = (daemon.sandbox().path("project"), daemon.sandbox().path("library"));
    std::fs::create_dir_all(&directory)?;
    for (set, skill) in [("kept", "of-the-directory"), ("both", "replaced")] {
        let path = format!("/v1/config/skills?directory={}&skillName={set}", directory.display());
        let entry = write_skill(&library, skill)?.to_string();
        daemon.http().put(&path).json(entry).send().await?.expect_status(204)?;
    }
    let api = Api::of(&daemon);
    let own = json!({"both": write_skill(&library, "of-the-session")?});
    api.create_with("s", json!({"cwd": directory, "skills": own})).await?;
    assert_eq!(placed(&directory), ["of-the-directory", "of-the-session"]);
    Ok(())
}

#[tokio::test]
async fn a_source_of_skills_that_is_missing_is_named_and_may_come_later() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let (directory, library) = (daemon.sandbox().path("project"), daemon.sandbox().path("library"));
    std::fs::create_dir_all(&directory)?;
    let later = json!({"sources": [{"type": "local", "source": library.join("later")}]});
    let api = Api::of(&daemon);
    let body = json!({"agent": "demo", "cwd": directory, "skills": {"mine": later}});
    let created = api.post("/s", &body).await?.expect_status(201)?.json()?;
    assert_eq!(created["healthy"], false, "{created:#}");
    assert!(created["error"].to_string().contains("library/later"), "{created:#}");
    write_skill(&library, "later")?;
    assert!(said(&api.turn("s", "say better late").await?).contains("better late"));
    assert_eq!(placed(&directory), ["later"]);
    Ok(())
}

#[tokio::test]
async fn variables_reach_the_agent_and_are_not_kept() -> Result<()> {
    let mut daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"env": {"MY_VARIABLE": "a-secret-value"}})).await?;
    let text = said(&api.turn("s", "env MY_VARIABLE\nenv SANDBOX_AGENT_TOKEN").await?);
    assert!(text.contains("MY_VARIABLE is set") && text.contains("SANDBOX_AGENT_TOKEN is not set"), "{text}");
    assert!(!api.session("s").await?.to_string().contains("a-secret-value"));
    let sandbox = daemon.sandbox();
    daemon.stop().await?;
    for name in ["sessions.db", "sessions.db-wal"] {
        let path = sandbox.data_home().join("sandbox-agent").join(name);
        let bytes = std::fs::read(&path).unwrap_or_default();
        assert!(!bytes.windows(14).any(|bytes| bytes == b"a-secret-value"), "{}", path.display());
    }
    Ok(())
}

#[tokio::test]
async fn a_token_for_an_agent_that_takes_none_is_refused() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    let refused = api.post("/s", &json!({"agent": "demo", "token": "sk-x"})).await?;
    let problem = refused.expect_problem(422, "unsupported")?;
    assert!(!problem.document.to_string().contains("sk-x"), "{problem:?}");
    api.get("/s").await?.expect_problem(404, "not_found")?;
    Ok(())
}

/// Returns a machine on which the demo agent is also known as some that take a credential.
fn with_keyed_agents() -> Result<Arc<Sandbox>> {
    let sandbox = Sandbox::new()?;
    let directory = sandbox.data_home().join("sandbox-agent");
    std::fs::create_dir_all(&directory)?;
    let agents = r#"
        [keyed]
        builtin = "demo"
        token = { variable = "DEMO_KEY", provider = "anthropic", over = ["DEMO_LOGIN", "DEMO_OTHER"] }
        [many]
        builtin = "demo"
        token = { variable = "DEMO_KEYS", provider = "one", provider-of-model = true, json = '{"{provider}":"{token}"}' }
        [unheard]
        builtin = "demo"
        token = { variable = "DEMO_KEY" }
    "#;
    std::fs::write(directory.join("agents.toml"), agents)?;
    Ok(Arc::new(sandbox))
}

#[tokio::test]
async fn a_token_stands_above_what_the_daemon_has() -> Result<()> {
    let builder = Daemon::builder().sandbox(with_keyed_agents()?);
    let daemon = builder.env("DEMO_KEY", "daemons").env("DEMO_LOGIN", "login").start().await?;
    let api = Api::of(&daemon);
    let body = json!({"agent": "keyed", "token": "sk-its-own", "env": {"DEMO_OTHER": "wanted"}});
    api.post("/s", &body).await?.expect_status(201)?;
    let text =
        said(&api.turn("s", "env DEMO_KEY sk-its-own\nenv DEMO_LOGIN login\nenv DEMO_OTHER wanted").await?);
    for told in ["DEMO_KEY is set to that", "DEMO_LOGIN is set to another", "DEMO_OTHER is set to that"] {
        assert!(text.contains(told), "{told} in {text}");
    }
    api.post("/t", &json!({"agent": "many", "token": "a\"b"})).await?.expect_status(201)?;
    let text = said(&api.turn("t", r#"env DEMO_KEYS {"one":"a\"b"}"#).await?);
    assert!(text.contains("DEMO_KEYS is set to that value"), "{text}");
    Ok(())
}

#[tokio::test]
async fn a_token_that_nobody_vouches_for_makes_no_session() -> Result<()> {
    let builder = Daemon::builder().sandbox(with_keyed_agents()?);
    // Nobody listens there.
    let daemon = builder.env("ANTHROPIC_BASE_URL", "http://127.0.0.1:1").start().await?;
    let api = Api::of(&daemon);
    for (agent, status, code) in [("keyed", 502, "provider_unreachable"), ("unheard", 422, "unsupported")] {
        let body = json!({"agent": agent, "token": "sk-its-own", "validateToken": true});
        let problem = api.post("/s", &body).await?.expect_problem(status, code)?;
        assert!(!problem.document.to_string().contains("sk-its-own"), "{problem:?}");
    }
    let tokenless = api.post("/s", &json!({"agent": "keyed", "validateToken": true})).await?;
    tokenless.expect_problem(422, "invalid_value")?;
    api.get("/s").await?.expect_problem(404, "not_found")?;
    Ok(())
}

#[tokio::test]
async fn sessions_of_one_agent_do_not_get_in_each_others_way() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let api = Api::of(&daemon);
    for id in ["a", "b", "c"] {
        api.create(id).await?;
    }
    let hanging = api.send("a", "hang").await?;
    let events = api.turn("b", "say free").await?;
    assert!(said(&events).contains("free"));
    let asking = api.send("c", "permission Mine").await?;
    let asked = api.asked("c", "permissions").await?;
    let path = format!("/b/permissions/{}/reply", asked["id"].as_str().unwrap());
    let wrong = api.post(&path, &json!({"reply": "once"})).await?;
    wrong.expect_problem(404, "not_found")?;
    api.decide("c", json!({"reply": "once"})).await?;
    api.turn_of("c", &asking).await?;
    api.act("/a/cancel").await?.expect_status(200)?;
    let events = api.turn_of("a", &hanging).await?;
    assert_eq!(of_kind(&events, "permissionAsked").len(), 0);
    Ok(())
}

#[tokio::test]
async fn a_directory_that_is_gone_is_named() -> Result<()> {
    let daemon = Daemon::builder().start().await?;
    let directory = daemon.sandbox().path("project");
    std::fs::create_dir_all(&directory)?;
    let api = Api::of(&daemon);
    api.create_with("s", json!({"cwd": directory})).await?;
    std::fs::remove_dir(&directory)?;
    // The agent is started again for it.
    api.patch("s", json!({"env": {"A": "b"}})).await?;
    let events = api.turn("s", "say hello").await?;
    let errors = of_kind(&events, "error");
    let [error] = &errors[..] else { panic!("{events:#?}") };
    assert_eq!(error["kind"], "spawnFailed", "{error:#}");
    let gone = format!("the session's directory {} does not exist", directory.display());
    assert!(error.to_string().contains(&gone), "{error:#}");
    Ok(())
}
