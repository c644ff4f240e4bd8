//! The output of `extract-env`, evaluated by a real shell.

use crate::person::Person;
use anyhow::Result;
use sa_testkit::{Finished, daemon_path};
use serde_json::Value;

/// Returns a variable after a shell evaluated the output, as a child of that shell sees it if `child`.
async fn evaluated(person: &Person, flags: &str, name: &str, child: bool) -> Result<String> {
    let program = daemon_path()?;
    let print = if child { format!("printenv {name}") } else { format!("printf '%s\\n' \"${name}\"") };
    let script = format!(
        "settings=$(\"{}\" credentials extract-env --reveal {flags}) || exit 9\nunset {name}\neval \"$settings\"\n{print}",
        program.display()
    );
    let mut command = person.command("sh");
    command.args(["-eu", "-c", &script]);
    let ended = Finished::wait(command).await?;
    assert!(ended.status.success(), "{ended}");
    Ok(ended.stdout.strip_suffix('\n').unwrap_or(&ended.stdout).to_owned())
}

#[tokio::test]
async fn any_secret_survives_the_shell() -> Result<()> {
    for secret in [
        "plain",
        "it's",
        "''",
        "$HOME `id` $(id) \\ \" ! * ~",
        "two\nlines\n\nand 'more'",
        "-n",
        "ünïcödé \t tab",
        "'; touch pwned; '",
    ] {
        let person = Person::new()?.variable("AMP_API_KEY", secret);
        assert_eq!(evaluated(&person, "--agent amp", "AMP_API_KEY", false).await?, secret);
        assert_eq!(evaluated(&person, "--agent amp --export", "AMP_API_KEY", true).await?, secret);
        assert!(!std::path::Path::new(person.home()).join("pwned").exists());
    }
    Ok(())
}

#[tokio::test]
async fn a_login_is_never_handed_on_as_a_key() -> Result<()> {
    let login = r#"{"claudeAiOauth":{"accessToken":"sk-ant-oat01-login","refreshToken":"r","expiresAt":99999999999999}}"#;
    let person = Person::new()?.file(".claude/.credentials.json", login)?;
    let ended = person.run(&["extract-env", "--reveal"]).await?;
    assert_eq!(ended.stdout, "CLAUDE_CODE_OAUTH_TOKEN='sk-ant-oat01-login'\n", "{ended}");
    Ok(())
}

#[tokio::test]
async fn entries_of_opencode_arrive_whole() -> Result<()> {
    let entries = r#"{"openai":{"type":"oauth","access":"it's","refresh":"r","expires":0},"custom":{"type":"api","key":"k"}}"#;
    let person = Person::new()?.file("data/opencode/auth.json", entries)?;
    let content = evaluated(&person, "--agent opencode", "OPENCODE_AUTH_CONTENT", false).await?;
    assert_eq!(serde_json::from_str::<Value>(&content)?, serde_json::from_str::<Value>(entries)?);
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_handed_on_is_said() -> Result<()> {
    let person = Person::new()?.file(".codex/auth.json", r#"{"tokens":{"access_token":"login"}}"#)?;
    let ended = person.run(&["extract-env", "--reveal"]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert!(
        ended.stdout.is_empty() && ended.stderr.contains("auth.json cannot be handed on by variables"),
        "{ended}"
    );
    Ok(())
}

#[tokio::test]
async fn agents_that_disagree_are_distinguished() -> Result<()> {
    let entries = r#"{"openai":{"type":"api","key":"stored"}}"#;
    let person = Person::new()?.file("data/opencode/auth.json", entries)?.variable("OPENAI_API_KEY", "env");
    let ended = person.run(&["extract-env", "--reveal", "--agent", "codex", "--agent", "opencode"]).await?;
    assert_eq!(ended.stdout, "OPENAI_API_KEY='env'\n", "{ended}");
    assert!(ended.stderr.contains("opencode: another agent has OPENAI_API_KEY for another value"), "{ended}");
    let alone = person.run(&["extract-env", "--reveal", "--agent", "opencode"]).await?;
    assert_eq!(alone.stdout, "OPENAI_API_KEY='stored'\n", "{alone}");
    Ok(())
}
