//! `--validate`: what providers say, and what becomes of it.

use crate::person::Person;
use crate::provider::Provider;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::time::Duration;

const KEY: &str = "sk-ant-api03-0123456789abcdef";

/// Returns the verdict of `--validate` on a key of Anthropic's at this address, and the exit code.
async fn validity(url: &str) -> Result<(Value, Option<i32>)> {
    let person = Person::new()?.variable("ANTHROPIC_API_KEY", KEY).variable("ANTHROPIC_BASE_URL", url);
    let ended = person.run(&["extract", "--agent", "claude", "--validate", "--json"]).await?;
    assert!(!ended.stdout.contains(KEY) && !ended.stderr.contains(KEY), "{ended}");
    let list: Value = serde_json::from_str(&ended.stdout).with_context(|| ended.to_string())?;
    Ok((list["credentials"][0]["validity"].clone(), ended.status.code()))
}

async fn validity_with(status: &'static str, body: &str) -> Result<(Value, Option<i32>)> {
    validity(&Provider::answering(Some((status, body.to_owned()))).await?.url).await
}

#[tokio::test]
async fn answers_are_distinguished() -> Result<()> {
    assert_eq!(validity_with("200 OK", r#"{"data":[]}"#).await?, (json!({"state": "valid"}), Some(0)));
    let refusal = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    let refused =
        json!({"state": "invalid", "status": 401, "reason": "HTTP 401 Unauthorized: authentication_error"});
    assert_eq!(validity_with("401 Unauthorized", refusal).await?, (refused, Some(1)));
    let unknown = |reason: &str| (json!({"state": "unknown", "reason": reason}), Some(0));
    let trouble = validity_with("500 Internal Server Error", "oops").await?;
    assert_eq!(trouble, unknown("HTTP 500 Internal Server Error"));
    let limited = r#"{"error":{"type":"rate_limit_error"}}"#;
    let limited = validity_with("429 Too Many Requests", limited).await?;
    assert_eq!(limited, unknown("HTTP 429 Too Many Requests: rate_limit_error"));
    let quoting = format!(r#"{{"error":{{"type":"{KEY}"}}}}"#);
    assert_eq!(validity_with("403 Forbidden", &quoting).await?, unknown("HTTP 403 Forbidden"));
    assert_eq!(validity("ftp://elsewhere").await?, unknown("the base URL is not an HTTP address"));
    Ok(())
}

#[tokio::test]
async fn a_redirect_is_not_followed() -> Result<()> {
    let target = Provider::answering(Some(("200 OK", "{}".to_owned()))).await?;
    let head: &'static str = format!("307 Temporary Redirect\r\nlocation: {}/v1/models", target.url).leak();
    let (said, code) = validity_with(head, "").await?;
    let reason = "HTTP 307 Temporary Redirect, which is not followed";
    assert_eq!((said, code), (json!({"state": "unknown", "reason": reason}), Some(0)));
    assert_eq!(target.requests(), [""; 0], "the key went nowhere else");
    Ok(())
}

#[tokio::test]
async fn silence_ends() -> Result<()> {
    let silent = Provider::answering(None).await?;
    let person =
        Person::new()?.variable("ANTHROPIC_API_KEY", KEY).variable("ANTHROPIC_BASE_URL", &silent.url);
    let ended = person.run(&["extract", "--validate"]).await?;
    assert!(ended.status.success() && ended.stdout.contains("unknown (no answer within 10 s)"), "{ended}");
    assert!(ended.elapsed < Duration::from_secs(20), "{:?}", ended.elapsed);
    assert_eq!(silent.requests().len(), 1, "however many agents would use it");
    Ok(())
}

#[tokio::test]
async fn an_absent_provider_is_named() -> Result<()> {
    let free = std::net::TcpListener::bind("127.0.0.1:0")?;
    let address = free.local_addr()?.to_string();
    drop(free);
    let (said, _) = validity(&format!("http://user:S3CR3T@{address}")).await?;
    let reason = said["reason"].as_str().unwrap();
    assert!(
        reason.starts_with(&format!("no answer from {address}: ")) && !reason.contains("S3CR3T"),
        "{said}"
    );
    Ok(())
}

#[tokio::test]
async fn each_provider_is_asked_in_its_own_way() -> Result<()> {
    let cases = [
        ("claude", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "GET /v1/models?limit=1 ", "x-api-key: k"),
        (
            "claude",
            "ANTHROPIC_AUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "GET /v1/models?limit=1 ",
            "authorization: Bearer k",
        ),
        (
            "claude",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "ANTHROPIC_BASE_URL",
            "GET /v1/models?limit=1 ",
            "anthropic-beta: oauth-2025-04-20",
        ),
        ("codex", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GET /models ", "authorization: Bearer k"),
        (
            "gemini",
            "GEMINI_API_KEY",
            "GOOGLE_GEMINI_BASE_URL",
            "GET /v1beta/models?pageSize=1 ",
            "x-goog-api-key: k",
        ),
        ("amp", "AMP_API_KEY", "AMP_URL", "POST /api/internal?getUserInfo ", "authorization: Bearer k"),
        ("copilot", "GH_TOKEN", "GITHUB_API_URL", "GET /rate_limit ", "authorization: Bearer k"),
    ];
    for (agent, variable, base, line, header) in cases {
        let provider = Provider::answering(Some(("200 OK", r#"{"ok":true}"#.to_owned()))).await?;
        let person = Person::new()?.variable(variable, "k").variable(base, &provider.url);
        let ended = person.run(&["extract", "--agent", agent, "--validate"]).await?;
        assert!(ended.status.success() && ended.stdout.contains("  valid"), "{variable}: {ended}");
        let requests = provider.requests();
        let [request] = &requests[..] else { panic!("{variable}: one request, not {requests:?}") };
        assert!(request.starts_with(line) && request.contains(header), "{variable}: {request}");
    }
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_asked_is_unknown() -> Result<()> {
    let person = Person::new()?
        .file(".claude/settings.json", r#"{"apiKeyHelper":"false"}"#)?
        .file(".codex/auth.json", r#"{"tokens":{"access_token":"t"}}"#)?
        .variable("CURSOR_API_KEY", "k");
    let ended = person.run(&["extract", "--validate"]).await?;
    assert!(ended.status.success(), "{ended}");
    for reason in [
        "unknown (there is no secret to ask with)",
        "unknown (there is no call to ask openai with for this kind)",
        "unknown (there is no call to ask cursor with)",
    ] {
        assert!(ended.stdout.contains(reason), "{reason}: {ended}");
    }
    Ok(())
}

#[tokio::test]
async fn amp_can_refuse_in_a_success() -> Result<()> {
    let body = r#"{"ok":false,"error":{"code":"auth-required"}}"#;
    let provider = Provider::answering(Some(("200 OK", body.to_owned()))).await?;
    let person = Person::new()?.variable("AMP_API_KEY", "k").variable("AMP_URL", &provider.url);
    let ended = person.run(&["extract", "--agent", "amp", "--validate"]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert!(ended.stdout.contains("invalid (HTTP 200 OK: auth-required)"), "{ended}");
    Ok(())
}
