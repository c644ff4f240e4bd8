//! Credentials as an environment.

use crate::home::{HOUR, Home, NOW};
use sa_credentials::environment;
use serde_json::{Value, json};

fn handed(home: &Home, agent: &str) -> Vec<String> {
    let variables = environment(&home.findings(agent).credentials, NOW);
    variables.iter().map(|variable| format!("{}={}", variable.name, variable.value.expose())).collect()
}

#[test]
fn one_credential_of_each_provider_is_handed_on() {
    let login = format!(r#"{{"claudeAiOauth":{{"accessToken":"oat","expiresAt":{}}}}}"#, NOW + HOUR);
    // Handed on together the key would win, though here the login does.
    let home = Home::new()
        .with(".claude/.credentials.json", login)
        .with(".claude.json", r#"{"primaryApiKey":"managed"}"#);
    assert_eq!(handed(&home, "claude"), ["CLAUDE_CODE_OAUTH_TOKEN=oat"]);
}

#[test]
fn what_has_expired_stays_behind() {
    let login =
        format!(r#"{{"claudeAiOauth":{{"accessToken":"oat","refreshToken":"r","expiresAt":{}}}}}"#, NOW - 1);
    let home = Home::new().with(".claude/.credentials.json", login);
    assert_eq!(handed(&home, "claude"), [""; 0]);
    let home = home.with(".claude.json", r#"{"primaryApiKey":"managed"}"#);
    assert_eq!(handed(&home, "claude"), ["ANTHROPIC_API_KEY=managed"]);
}

#[test]
fn entries_of_several_providers_become_one_value() {
    let file = r#"{"anthropic":{"type":"api","key":"sk"},"openai":{"type":"oauth","access":"a","refresh":"r","expires":0},
        "custom":{"type":"api","key":"c"}}"#;
    let home =
        Home::new().with(".local/share/opencode/auth.json", file).variable("OPENAI_API_KEY", "shadowed");
    let variables = environment(&home.credentials("opencode"), NOW);
    let names: Vec<_> = variables.iter().map(|variable| variable.name).collect();
    assert_eq!(names, ["ANTHROPIC_API_KEY", "OPENCODE_AUTH_CONTENT"]);
    let content: Value = serde_json::from_str(variables[1].value.expose()).unwrap();
    let expected = json!({
        "custom": {"type": "api", "key": "c"},
        "openai": {"type": "oauth", "access": "a", "refresh": "r", "expires": 0},
    });
    assert_eq!(content, expected);
}
