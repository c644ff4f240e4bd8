//! Nothing prints a secret without `--reveal`.

use crate::person::Person;
use crate::provider::Provider;
use anyhow::Result;

/// A part of every secret of these tests, away from its last four characters.
const MARK: &str = "S3CR3T";

fn secret(name: &str) -> String {
    format!("{name}-{MARK}-{name}-1234")
}

/// Somebody who has everything: each agent's files and variables, some of them broken.
fn hoarder() -> Result<Person> {
    let quoted = |name: &str| format!("\"{}\"", secret(name));
    let claude = format!(
        r#"{{"claudeAiOauth":{{"accessToken":{},"refreshToken":{},"expiresAt":1}}}}"#,
        quoted("oat"),
        quoted("ort")
    );
    let settings = format!(
        r#"{{"apiKeyHelper":"echo {}","env":{{"ANTHROPIC_AUTH_TOKEN":{}}}}}"#,
        secret("helper"),
        quoted("auth")
    );
    let codex = format!(
        r#"{{"auth_mode":"chatgpt","OPENAI_API_KEY":{},"tokens":{{"access_token":{},"refresh_token":{}}}}}"#,
        quoted("file"),
        quoted("access"),
        quoted("refresh")
    );
    let opencode = format!(
        r#"{{"openai":{{"type":"oauth","access":{},"refresh":{},"expires":"{MARK}"}},"x":{{"type":"{MARK}"}},
            "y":{{"type":"wellknown","key":"K","token":{}}}}}"#,
        quoted("oc"),
        quoted("ocr"),
        quoted("wk")
    );
    let mut person = Person::new()?
        .file(".claude/.credentials.json", &claude)?
        .file(".claude/settings.json", &settings)?
        .file(".claude.json", &format!(r#"{{"primaryApiKey":{{"{MARK}":1}}}}"#))?
        .file(".codex/auth.json", &codex)?
        .file("data/opencode/auth.json", &opencode)?
        .file(
            ".local/share/amp/secrets.json",
            &format!(r#"{{"apiKey@https://ampcode.com/":{}}}"#, quoted("amp")),
        )?
        .file(".gemini/oauth_creds.json", &format!(r#"{{"access_token":{}, oops"#, quoted("ya29")))?
        .file(".augment/session.json", &format!(r#"{{"accessToken":{}}}"#, quoted("aug")))?;
    for name in [
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CODEX_API_KEY",
        "CODEX_ACCESS_TOKEN",
        "OPENAI_API_KEY",
        "AMP_API_KEY",
        "GEMINI_API_KEY",
        "GH_TOKEN",
        "CURSOR_API_KEY",
    ] {
        person = person.variable(name, &secret(name));
    }
    Ok(person)
}

#[tokio::test]
async fn no_command_prints_a_secret_unasked() -> Result<()> {
    // A server may quote the request.
    let body = format!(r#"{{"error":{{"code":"{MARK}","message":"no such key: {}"}}}}"#, secret("GH_TOKEN"));
    let provider = Provider::answering(Some(("401 Unauthorized", body))).await?;
    let mut person = hoarder()?;
    for name in
        ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "AMP_URL", "GOOGLE_GEMINI_BASE_URL", "GITHUB_API_URL"]
    {
        person = person.variable(name, &provider.url);
    }
    let commands: [&[&str]; 8] = [
        &["extract"],
        &["extract", "--json"],
        &["extract", "--agent", "claude", "--provider", "anthropic"],
        &["extract", "--validate", "--provider", "anthropic"],
        &["extract", "--validate", "--json", "--provider", "openai"],
        &["extract-env"],
        &["extract-env", "--export", "--agent", "opencode"],
        &["extract", "--home", person.home()],
    ];
    for arguments in commands {
        let ended = person.run(arguments).await?;
        assert!(!ended.stdout.is_empty(), "{arguments:?}: {ended}");
        assert!(!ended.stdout.contains(MARK) && !ended.stderr.contains(MARK), "{arguments:?}: {ended}");
    }
    assert!(!provider.requests().is_empty(), "the provider was asked");
    let revealed = person.run(&["extract", "--reveal"]).await?;
    assert!(revealed.stdout.matches(MARK).count() > 10, "there was something to hide: {revealed}");
    assert!(!revealed.stdout.contains("echo"), "a helper is a command and stays unsaid: {revealed}");
    Ok(())
}

#[tokio::test]
async fn without_a_word_a_shell_gets_nothing() -> Result<()> {
    let person = Person::new()?.variable("AMP_API_KEY", &secret("amp"));
    let ended = person.run(&["extract-env", "--export"]).await?;
    assert_eq!(ended.status.code(), Some(1), "{ended}");
    assert_eq!(ended.stdout, "# export AMP_API_KEY=…1234\n");
    assert_eq!(ended.stderr, "error: secrets are printed only with --reveal\n");
    Ok(())
}
