//! OpenCode's entries, the variable that replaces them, and the providers' variables.

use crate::home::{HOUR, Home, NOW};
use sa_credentials::Kind;

const FILE: &str = ".local/share/opencode/auth.json";

fn entries() -> String {
    format!(
        r#"{{"anthropic":{{"type":"api","key":"stored"}},
            "openai":{{"type":"oauth","refresh":"r","access":"login","expires":{},"accountId":"acct"}},
            "cloudflare":{{"type":"api","key":"cf","metadata":{{"account":"1"}}}},
            "https://corp.example":{{"type":"wellknown","key":"LD_PRELOAD","token":"corp"}}}}"#,
        NOW + HOUR
    )
}

#[test]
fn a_stored_entry_comes_before_a_variable() {
    let home = Home::new()
        .with(FILE, r#"{"anthropic":{"type":"api","key":"stored"}}"#)
        .variable("ANTHROPIC_API_KEY", "env")
        .variable("GEMINI_API_KEY", "gemini")
        .variable("GITHUB_TOKEN", "for other things");
    assert_eq!(
        home.summary("opencode"),
        [
            "anthropic API key: stored as ANTHROPIC_API_KEY",
            "anthropic API key: env as ANTHROPIC_API_KEY",
            "google API key: gemini as GEMINI_API_KEY",
        ]
    );
}

#[test]
fn every_type_of_entry_is_understood_and_handed_on_whole_where_a_key_says_too_little() {
    let home = Home::new().with(FILE, entries());
    assert_eq!(
        home.summary("opencode"),
        [
            "anthropic API key: stored as ANTHROPIC_API_KEY",
            "cloudflare API key: cf as OPENCODE_AUTH_CONTENT",
            "https://corp.example token: corp as OPENCODE_AUTH_CONTENT",
            "openai OAuth: login as OPENCODE_AUTH_CONTENT",
        ]
    );
    let login = home.credentials("opencode").pop().unwrap();
    assert_eq!(login.kind, Kind::OAuth);
    assert_eq!(login.expires_at_ms, Some(NOW + HOUR));
    assert_eq!(login.account.as_deref(), Some("acct"));
    assert!(login.renewable);
}

#[test]
fn the_variable_replaces_the_file_unless_it_is_no_json() {
    let file = || Home::new().with(FILE, r#"{"openai":{"type":"api","key":"file"}}"#);
    let content = r#"{"openai":{"type":"api","key":"content"}}"#;
    let replaced = file().variable("OPENCODE_AUTH_CONTENT", content);
    assert_eq!(replaced.summary("opencode"), ["openai API key: content as OPENAI_API_KEY"]);
    assert_eq!(file().variable("OPENCODE_AUTH_CONTENT", "{}").summary("opencode"), [""; 0]);
    let broken = file().variable("OPENCODE_AUTH_CONTENT", "{oops");
    assert_eq!(broken.findings("opencode").credentials.len(), 1);
    let said = broken.complaints("opencode");
    assert!(matches!(&said[..], [one] if one.starts_with("$OPENCODE_AUTH_CONTENT is not JSON")), "{said:?}");
}

#[test]
fn the_data_folder_can_be_elsewhere() {
    let home = Home::new().with("xdg/opencode/auth.json", r#"{"xai":{"type":"api","key":"k"}}"#);
    let folder = home.path("xdg");
    assert_eq!(home.variable("XDG_DATA_HOME", folder).summary("opencode"), ["xai API key: k as XAI_API_KEY"]);
}

#[test]
fn a_login_that_never_expires_says_nought() {
    let entry = r#"{"github-copilot":{"type":"oauth","refresh":"gho","access":"gho","expires":0}}"#;
    let home = Home::new().with(FILE, entry);
    assert_eq!(home.credentials("opencode")[0].expires_at_ms, None);
}

#[test]
fn a_bad_entry_hides_no_other() {
    let home =
        Home::new().with(FILE, r#"{"a":{"type":"magic"},"b":{"type":"api"},"xai":{"type":"api","key":"k"}}"#);
    assert_eq!(home.findings("opencode").credentials.len(), 1);
    assert_eq!(
        home.complaints("opencode"),
        [
            format!("{FILE} the entry of 'a' is of no known type"),
            format!("{FILE} the entry of 'b' has no key"),
        ]
    );
}
