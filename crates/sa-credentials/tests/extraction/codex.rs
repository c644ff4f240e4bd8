//! Codex's variables and both forms of its `auth.json`.

use crate::home::{HOUR, Home, NOW};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

fn token(claims: &str) -> String {
    let part = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
    format!("{}.{}.c2ln", part(r#"{"alg":"none"}"#), part(claims))
}

fn chatgpt(mode: &str, key: &str) -> String {
    let access = token(&format!(r#"{{"exp":{}}}"#, (NOW + HOUR) / 1000));
    let identity = token(r#"{"email":"a@b.c","https://api.openai.com/auth":{"chatgpt_plan_type":"pro"}}"#);
    format!(
        r#"{{{mode}"OPENAI_API_KEY":{key},"tokens":{{"id_token":"{identity}","access_token":"{access}",
            "refresh_token":"r","account_id":"acct"}},"last_refresh":"2027-01-01T00:00:00Z"}}"#
    )
}

#[test]
fn the_order_is_that_of_the_cli_and_the_providers_variable_comes_last() {
    let home = Home::new()
        .with(".codex/auth.json", r#"{"auth_mode":"apikey","OPENAI_API_KEY":"file"}"#)
        .variable("OPENAI_API_KEY", "openai")
        .variable("CODEX_ACCESS_TOKEN", "access")
        .variable("CODEX_API_KEY", "codex");
    assert_eq!(
        home.summary("codex"),
        [
            "openai API key: codex as CODEX_API_KEY",
            "openai token: access as CODEX_ACCESS_TOKEN",
            "openai API key: file as CODEX_API_KEY",
            "openai API key: openai as OPENAI_API_KEY",
        ]
    );
}

#[test]
fn a_login_tells_its_account_and_its_end() {
    let home = Home::new().with(".codex/auth.json", chatgpt(r#""auth_mode":"chatgpt","#, "null"));
    let [login] = &home.credentials("codex")[..] else { panic!("one credential") };
    assert_eq!(login.account.as_deref(), Some("a@b.c"));
    assert_eq!(login.subscription.as_deref(), Some("pro"));
    assert_eq!(login.expires_at_ms, Some(NOW + HOUR));
    assert!(login.renewable);
    assert!(login.variables.is_empty(), "no variable of the CLI takes it");
}

#[test]
fn the_mode_decides_between_key_and_login() {
    let kinds = |mode: &str| {
        let home = Home::new().with(".codex/auth.json", chatgpt(mode, r#""key""#));
        home.credentials("codex").iter().map(|it| it.kind.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(""), ["API key", "OAuth"]);
    assert_eq!(kinds(r#""auth_mode":"apikey","#), ["API key", "OAuth"]);
    assert_eq!(kinds(r#""auth_mode":"chatgpt","#), ["OAuth", "API key"]);
}

#[test]
fn another_folder_is_looked_into_instead() {
    let home = Home::new()
        .with(".codex/auth.json", r#"{"OPENAI_API_KEY":"not this"}"#)
        .with("elsewhere/auth.json", r#"{"OPENAI_API_KEY":"this"}"#);
    let folder = home.path("elsewhere");
    assert_eq!(
        home.variable("CODEX_HOME", folder).summary("codex"),
        ["openai API key: this as CODEX_API_KEY"]
    );
}

#[test]
fn a_token_that_is_no_web_token_is_taken_as_it_is() {
    let home = Home::new().with(".codex/auth.json", r#"{"tokens":{"access_token":"opaque"}}"#);
    let [login] = &home.credentials("codex")[..] else { panic!("one credential") };
    assert_eq!((login.expires_at_ms, login.renewable), (None, false));
}

#[test]
fn a_file_without_either_is_a_problem() {
    let home = Home::new().with(".codex/auth.json", r#"{"OPENAI_API_KEY":null,"tokens":null}"#);
    assert_eq!(home.complaints("codex"), [".codex/auth.json holds neither an API key nor a login"]);
}
