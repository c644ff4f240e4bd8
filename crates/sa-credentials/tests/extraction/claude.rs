//! Claude Code's variables, settings, login and managed key.

use crate::home::{HOUR, Home, NOW};
use sa_credentials::{Kind, Origin, Platform};

fn login(expires: u64) -> String {
    format!(
        r#"{{"claudeAiOauth":{{"accessToken":"oat","refreshToken":"ort","expiresAt":{expires},
            "scopes":["user:inference"],"subscriptionType":"max"}},"mcpOAuth":{{}}}}"#
    )
}

#[test]
fn nothing_is_found_in_an_empty_home() {
    assert_eq!(Home::new().summary("claude"), [""; 0]);
}

#[test]
fn the_order_is_that_of_the_cli() {
    let home = Home::new()
        .with(".claude/.credentials.json", login(NOW + HOUR))
        .with(".claude.json", r#"{"primaryApiKey":"managed","numStartups":3}"#)
        .with(".claude/settings.json", r#"{"apiKeyHelper":"vault read key","model":"opus"}"#)
        .variable("CLAUDE_CODE_OAUTH_TOKEN", "oat-env")
        .variable("ANTHROPIC_API_KEY", "key")
        .variable("ANTHROPIC_AUTH_TOKEN", "bearer");
    assert_eq!(
        home.summary("claude"),
        [
            "anthropic token: bearer as ANTHROPIC_AUTH_TOKEN",
            "anthropic API key: key as ANTHROPIC_API_KEY",
            "anthropic helper: - as ",
            "anthropic OAuth: oat-env as CLAUDE_CODE_OAUTH_TOKEN",
            "anthropic OAuth: oat as CLAUDE_CODE_OAUTH_TOKEN",
            "anthropic API key: managed as ANTHROPIC_API_KEY",
        ]
    );
}

#[test]
fn a_login_says_until_when_and_by_which_plan() {
    let home = Home::new().with(".claude/.credentials.json", login(NOW + HOUR));
    let [login] = &home.credentials("claude")[..] else { panic!("one credential") };
    assert_eq!(login.kind, Kind::OAuth);
    assert_eq!(login.origin, Origin::File(home.path(".claude/.credentials.json")));
    assert_eq!(login.expires_at_ms, Some(NOW + HOUR));
    assert_eq!(login.subscription.as_deref(), Some("max"));
    assert!(login.renewable && !login.is_expired(NOW));
}

#[test]
fn an_expired_login_is_a_problem_only_when_it_cannot_be_renewed() {
    let home = Home::new().with(".claude/.credentials.json", login(NOW - HOUR));
    let [renewable] = &home.credentials("claude")[..] else { panic!("one credential") };
    assert!(renewable.is_expired(NOW) && renewable.is_usable(NOW));
    let final_login = login(NOW - HOUR).replace("\"ort\"", "null");
    let home = Home::new().with(".claude/.credentials.json", final_login);
    assert_eq!(home.complaints("claude"), [".claude/.credentials.json its token has expired; sign in again"]);
    assert!(!home.findings("claude").credentials[0].is_usable(NOW));
}

#[test]
fn settings_stand_above_the_environment() {
    let settings =
        r#"{"env":{"ANTHROPIC_API_KEY":"settings","CLAUDE_CODE_USE_BEDROCK":1,"AWS_REGION":"eu-west-1"}}"#;
    let home = Home::new()
        .with(".claude/settings.json", settings)
        .variable("ANTHROPIC_API_KEY", "environment")
        .variable("AWS_BEARER_TOKEN_BEDROCK", "aws");
    assert_eq!(
        home.summary("claude"),
        [
            "amazon-bedrock cloud: aws as CLAUDE_CODE_USE_BEDROCK+AWS_BEARER_TOKEN_BEDROCK+AWS_REGION",
            "anthropic API key: settings as ANTHROPIC_API_KEY",
        ]
    );
    let origin = &home.credentials("claude")[1].origin;
    assert_eq!(*origin, Origin::File(home.path(".claude/settings.json")));
    let off = Home::new().variable("CLAUDE_CODE_USE_VERTEX", "0");
    assert_eq!(off.summary("claude"), [""; 0]);
}

#[test]
fn a_gateways_address_goes_with_its_token() {
    let settings = r#"{"env":{"ANTHROPIC_AUTH_TOKEN":"gw","ANTHROPIC_BASE_URL":"https://gw.example"}}"#;
    let home = Home::new().with(".claude/settings.json", settings);
    let [token] = &home.credentials("claude")[..] else { panic!("one credential") };
    assert_eq!(token.base_url.as_deref(), Some("https://gw.example"));
    assert_eq!(home.summary("claude"), ["anthropic token: gw as ANTHROPIC_AUTH_TOKEN+ANTHROPIC_BASE_URL"]);
}

#[test]
fn another_folder_holds_everything() {
    let home = Home::new()
        .with(".claude/.credentials.json", login(NOW + HOUR))
        .with(".claude.json", r#"{"primaryApiKey":"not this"}"#)
        .with("tenant/.claude.json", r#"{"primaryApiKey":"this","oauthAccount":{"emailAddress":"a@b.c"}}"#);
    let folder = home.path("tenant");
    let home = home.variable("CLAUDE_CONFIG_DIR", folder);
    assert_eq!(home.summary("claude"), ["anthropic API key: this as ANTHROPIC_API_KEY"]);
    assert_eq!(home.credentials("claude")[0].account.as_deref(), Some("a@b.c"));
}

#[test]
fn on_macos_a_login_may_be_in_the_keychain() {
    let home = Home::new().on(Platform::MacOs);
    let said = home.complaints("claude");
    assert!(
        matches!(&said[..], [one] if one.starts_with("keychain entry 'Claude Code-credentials'")),
        "{said:?}"
    );
    let home = home.with(".claude/.credentials.json", login(NOW + HOUR));
    assert_eq!(home.credentials("claude").len(), 1);
}

#[test]
fn blank_variables_are_none() {
    let home = Home::new().variable("ANTHROPIC_API_KEY", " ").variable("CLAUDE_CODE_OAUTH_TOKEN", "");
    assert_eq!(home.summary("claude"), [""; 0]);
}
