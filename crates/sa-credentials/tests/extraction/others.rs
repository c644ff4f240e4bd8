//! The agents of the table, and the ones that are not in it.

use crate::home::{HOUR, Home, NOW};
use sa_credentials::{Platform, agents, availability, extract};

#[test]
fn variables_are_found_in_the_agents_order() {
    let home = Home::new()
        .variable("GITHUB_TOKEN", "3")
        .variable("GH_TOKEN", "2")
        .variable("COPILOT_GITHUB_TOKEN", "1")
        .variable("CURSOR_API_KEY", "c")
        .variable("FACTORY_API_KEY", "f");
    assert_eq!(
        home.summary("copilot"),
        [
            "github token: 1 as COPILOT_GITHUB_TOKEN",
            "github token: 2 as GH_TOKEN",
            "github token: 3 as GITHUB_TOKEN"
        ]
    );
    assert_eq!(home.summary("cursor"), ["cursor API key: c as CURSOR_API_KEY"]);
    assert_eq!(home.summary("droid"), ["factory API key: f as FACTORY_API_KEY"]);
}

#[test]
fn logins_in_files_are_found() {
    let google = format!(r#"{{"access_token":"ya29","refresh_token":"r","expiry_date":{}}}"#, NOW - HOUR);
    let kimi = format!(r#"{{"access_token":"k","expires_at":{}.5}}"#, (NOW + HOUR) / 1000);
    let home = Home::new()
        .with(".gemini/oauth_creds.json", google)
        .with(".kimi-code/credentials/kimi-code.json", kimi)
        .with(".augment/session.json", r#"{"accessToken":"a","tenantURL":"https://t.example"}"#)
        .with(".config/cursor/auth.json", r#"{"accessToken":"c","refreshToken":"r"}"#);
    assert_eq!(home.summary("gemini"), ["google OAuth: ya29 as "]);
    assert!(home.credentials("gemini")[0].is_usable(NOW), "it can be renewed");
    assert_eq!(home.credentials("kimi")[0].expires_at_ms, Some(NOW + HOUR + 500));
    assert_eq!(home.summary("cursor"), ["cursor OAuth: c as CURSOR_AUTH_TOKEN"]);
    let session = &home.credentials("auggie")[0].variables[0];
    assert_eq!(session.name, "AUGMENT_SESSION_AUTH");
    assert!(session.value.expose().contains("https://t.example"), "the address belongs to it");
    assert_eq!(home.on(Platform::MacOs).summary("cursor"), [""; 0]);
}

#[test]
fn pi_takes_keys_logins_and_commands() {
    let file = r#"{"anthropic":{"type":"oauth","access":"oat","refresh":"r","expires":1},
        "openai":{"type":"api_key","key":"sk"},"xai":{"type":"api_key","key":"!pass show xai"}}"#;
    let home = Home::new().with(".pi/agent/auth.json", file).variable("OPENAI_API_KEY", "env");
    assert_eq!(
        home.summary("pi"),
        [
            "anthropic OAuth: oat as ",
            "openai API key: sk as OPENAI_API_KEY",
            "xai helper: - as ",
            "openai API key: env as OPENAI_API_KEY",
        ]
    );
}

#[test]
fn availability_shows_no_secret() {
    let home = Home::new().variable("ANTHROPIC_API_KEY", "sk-ant-0123456789abcdef").with(
        ".claude/.credentials.json",
        r#"{"claudeAiOauth":{"accessToken":"sk-ant-oat-0123456789","expiresAt":1}}"#,
    );
    let found = availability("claude", &home.host()).unwrap();
    assert!(found.available);
    assert_eq!(found.sources.iter().map(|source| source.usable).collect::<Vec<_>>(), [true, false]);
    let shown = format!("{found:?}{}", serde_json::to_string(&found).unwrap());
    assert!(!shown.contains("sk-ant") && !shown.contains("cdef"), "{shown}");
    assert!(shown.contains(r#""origin":{"variable":"ANTHROPIC_API_KEY"}"#), "{shown}");
}

#[test]
fn without_a_usable_credential_nothing_is_available() {
    let expired = r#"{"claudeAiOauth":{"accessToken":"oat","expiresAt":1}}"#;
    let home = Home::new().with(".claude/.credentials.json", expired);
    let found = availability("claude", &home.host()).unwrap();
    assert!(!found.available && found.problems.len() == 1, "{found:?}");
    assert!(availability("demo", &home.host()).unwrap().available, "it needs none");
    assert_eq!(availability("somebody's own", &home.host()), None);
    assert_eq!(extract("", &home.host()), None);
}

#[test]
fn every_agent_can_be_searched_in_an_empty_home() {
    let ids: Vec<_> = agents().collect();
    assert!(["claude", "codex", "opencode", "amp", "gemini"].iter().all(|id| ids.contains(id)), "{ids:?}");
    for id in ids {
        assert_eq!(Home::new().summary(id), [""; 0], "{id}");
    }
}
