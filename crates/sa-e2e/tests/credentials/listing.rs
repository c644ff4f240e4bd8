//! The form of the list, and the exit code of the command.

use crate::person::Person;
use anyhow::Result;
use serde_json::json;

#[tokio::test]
async fn an_empty_home_has_none() -> Result<()> {
    let person = Person::new()?;
    for arguments in [&["extract"][..], &["extract-env", "--reveal"], &["extract", "--agent", "claude"]] {
        let ended = person.run(arguments).await?;
        assert_eq!(ended.status.code(), Some(1), "{ended}");
        assert!(
            ended.stdout.is_empty() && ended.stderr.starts_with("error: no credentials found"),
            "{ended}"
        );
    }
    let (list, code) = person.json(&["extract", "--json"]).await?;
    assert_eq!((list, code), (json!({"credentials": [], "problems": []}), Some(1)));
    Ok(())
}

#[tokio::test]
async fn bad_usage_exits_with_64() -> Result<()> {
    let person = Person::new()?;
    for arguments in
        [&["extract", "--agent", "nobody"][..], &["extract", "--home", "/nonexistent"], &["steal"], &[]]
    {
        let ended = person.run(arguments).await?;
        assert_eq!(ended.status.code(), Some(64), "{arguments:?}: {ended}");
    }
    Ok(())
}

#[tokio::test]
async fn a_table_names_agent_provider_kind_origin_and_expiry() -> Result<()> {
    let login =
        r#"{"claudeAiOauth":{"accessToken":"sk-ant-oat01-abcdefgh","refreshToken":"r","expiresAt":1000}}"#;
    let person = Person::new()?
        .file(".claude/.credentials.json", login)?
        .variable("ANTHROPIC_API_KEY", "sk-ant-api03-12345678");
    let ended = person.run(&["extract", "--agent", "claude", "--agent", "claude"]).await?;
    assert!(ended.status.success() && ended.stderr.is_empty(), "{ended}");
    let rows: Vec<Vec<&str>> = ended
        .stdout
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(rows[0], ["AGENT", "PROVIDER", "KIND", "ORIGIN", "EXPIRES", "SECRET"]);
    assert_eq!(rows[1], ["claude", "anthropic", "API key", "$ANTHROPIC_API_KEY", "-", "…5678"]);
    let file = format!("{}/.claude/.credentials.json", person.home());
    assert_eq!(rows[2][..4], ["claude", "anthropic", "OAuth", &file]);
    assert!(rows[2][4].ends_with("ago, renews itself") && rows[2][5] == "…efgh", "{ended}");
    assert_eq!(rows.len(), 3);
    Ok(())
}

#[tokio::test]
async fn json_holds_all_that_is_known() -> Result<()> {
    let login = r#"{"claudeAiOauth":{"accessToken":"sk-ant-oat01-abcdefgh","expiresAt":1000,"subscriptionType":"pro"}}"#;
    let person = Person::new()?.file(".claude/.credentials.json", login)?;
    let (list, code) = person.json(&["extract", "--json", "--reveal", "--agent", "claude"]).await?;
    let file = format!("{}/.claude/.credentials.json", person.home());
    let expected = json!({
        "credentials": [{
            "agent": "claude", "provider": "anthropic", "kind": "oauth", "origin": {"file": file},
            "secret": "sk-ant-oat01-abcdefgh", "variables": ["CLAUDE_CODE_OAUTH_TOKEN"],
            "expiresAtMs": 1000, "expired": true, "renewable": false, "account": null, "subscription": "pro",
        }],
        "problems": [{"agent": "claude", "origin": {"file": file}, "reason": "its token has expired; sign in again"}],
    });
    assert_eq!((list, code), (expected, Some(0)));
    Ok(())
}

#[tokio::test]
async fn providers_and_homes_can_be_chosen() -> Result<()> {
    let other = Person::new()?.file(".codex/auth.json", r#"{"OPENAI_API_KEY":"sk-of-somebody-else"}"#)?;
    let person = Person::new()?.variable("ANTHROPIC_API_KEY", "sk-1").variable("OPENAI_API_KEY", "sk-2");
    let origins = async |arguments: &[&str]| -> Result<Vec<String>> {
        let (list, _) = person.json(&[&["extract", "--json"], arguments].concat()).await?;
        let all = list["credentials"].as_array().unwrap().iter();
        Ok(all.map(|it| format!("{} {}", it["agent"].as_str().unwrap(), it["origin"])).collect())
    };
    let opencode = origins(&["--agent", "opencode", "--provider", "openai"]).await?;
    assert_eq!(opencode, [r#"opencode {"variable":"OPENAI_API_KEY"}"#]);
    let file = format!(r#"codex {{"file":"{}/.codex/auth.json"}}"#, other.home());
    assert_eq!(origins(&["--home", other.home()]).await?, [file], "the environment is not that home's");
    Ok(())
}

#[tokio::test]
async fn broken_files_are_warned_of_and_hide_nothing() -> Result<()> {
    let person = Person::new()?
        .file(".claude/.credentials.json", "{\"claudeAiOauth\":{\"accessToken\":\"S3CR3T")?
        .variable("CODEX_API_KEY", "sk-codex");
    let ended = person.run(&["extract"]).await?;
    assert!(ended.status.success() && ended.stdout.contains("$CODEX_API_KEY"), "{ended}");
    assert!(ended.stderr.contains(".credentials.json is not JSON: EOF"), "{ended}");
    assert!(!ended.stderr.contains("S3CR3T"), "{ended}");
    Ok(())
}
