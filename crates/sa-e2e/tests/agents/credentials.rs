//! Agents' credentials are reported without ever showing one.

use crate::scene::Asking;
use anyhow::{Context, Result};
use sa_testkit::{Daemon, Sandbox};
use serde_json::json;
use std::fs;
use std::sync::Arc;

const SECRETS: [&str; 5] = [
    "sk-ant-oat01-SECRET-of-claude",
    "sk-ant-ort01-SECRET-refresh",
    "sk-SECRET-of-codex",
    "sk-SECRET-of-opencode",
    "sgamp_user_SECRET_of_amp",
];

fn home_with_logins() -> Result<Sandbox> {
    let sandbox = Sandbox::new()?;
    let [claude, refresh, codex, opencode, _] = SECRETS;
    let files = [
        (
            ".claude/.credentials.json",
            json!({"claudeAiOauth": {"accessToken": claude, "refreshToken": refresh, "expiresAt": 4_000_000_000_000_u64}}),
        ),
        (".codex/auth.json", json!({"OPENAI_API_KEY": codex})),
        ("data/opencode/auth.json", json!({"anthropic": {"type": "api", "key": opencode}})),
    ];
    for (name, content) in files {
        let path = sandbox.home().join(name);
        fs::create_dir_all(path.parent().context("a folder")?)?;
        fs::write(path, content.to_string())?;
    }
    Ok(sandbox)
}

#[tokio::test]
async fn an_empty_home_has_none() -> Result<()> {
    let daemon = Daemon::builder().agent("mine", "sh").start().await?;
    for agent in ["claude", "codex", "opencode", "amp"] {
        let info = daemon.agent(agent).await?;
        assert_eq!(
            (&info["credentialStatus"], &info["credentialsAvailable"], &info["credentials"]),
            (&json!("missing"), &json!(false), &json!([])),
            "{info}"
        );
    }
    for (agent, status) in [("demo", "notNeeded"), ("mine", "unknown"), ("agoragentic", "unknown")] {
        let info = daemon.agent(agent).await?;
        assert_eq!(info["credentialStatus"], json!(status), "{agent}");
        assert_eq!(info["credentialsAvailable"], json!(true), "it needs none, or nobody knows: {info}");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_found_is_reported_but_never_shown() -> Result<()> {
    let sandbox = Arc::new(home_with_logins()?);
    let daemon =
        Daemon::builder().sandbox(Arc::clone(&sandbox)).env("AMP_API_KEY", SECRETS[4]).start().await?;
    let found = [
        ("claude", "anthropic", "oauth", ".claude/.credentials.json"),
        ("codex", "openai", "apiKey", ".codex/auth.json"),
        ("opencode", "anthropic", "apiKey", "opencode/auth.json"),
        ("amp", "amp", "apiKey", "$AMP_API_KEY"),
    ];
    for (agent, provider, kind, origin) in found {
        let info = daemon.agent(agent).await?;
        assert_eq!(info["credentialStatus"], json!("available"), "{info}");
        let credential = &info["credentials"][0];
        assert_eq!(
            (&credential["provider"], &credential["kind"]),
            (&json!(provider), &json!(kind)),
            "{info}"
        );
        assert!(credential["origin"].as_str().unwrap().ends_with(origin), "{info}");
    }
    let claude = daemon.agent("claude").await?;
    assert_eq!(claude["credentials"][0]["expiresAt"], json!("2096-10-02T07:06:40.000Z"));

    let mut said = String::new();
    for path in ["/v1/agents", "/v1/agents?config=true", "/v1/agents/claude", "/metrics", "/"] {
        said += &daemon.http().get(path).send().await?.text();
    }
    let doctor = sandbox.run(["doctor", "claude", "codex", "opencode", "amp", "--offline"]).await?;
    said += &format!("{doctor}{}{}", daemon.stdout(), daemon.stderr());
    for secret in SECRETS {
        assert!(!said.contains(secret), "{secret} is in what was said");
    }
    Ok(())
}

#[tokio::test]
async fn a_login_that_came_or_went_is_noticed() -> Result<()> {
    let sandbox = Arc::new(home_with_logins()?);
    let daemon = Daemon::builder().sandbox(Arc::clone(&sandbox)).start().await?;
    assert_eq!(daemon.agent("claude").await?["credentialsAvailable"], json!(true));
    let file = sandbox.home().join(".claude/.credentials.json");
    let expired = json!({"claudeAiOauth": {"accessToken": SECRETS[0], "expiresAt": 1000}});
    fs::write(&file, expired.to_string())?;
    let claude = daemon.agent("claude").await?;
    assert_eq!(claude["credentialStatus"], json!("missing"), "expired, and it cannot be renewed: {claude}");
    fs::remove_file(&file)?;
    assert_eq!(daemon.agent("claude").await?["credentials"], json!([]));
    Ok(())
}
