//! What an agent finds around it: MCP servers, variables, a directory.

use crate::api::{Api, of_kind, said};
use anyhow::Result;
use sa_testkit::Daemon;
use serde_json::json;

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
