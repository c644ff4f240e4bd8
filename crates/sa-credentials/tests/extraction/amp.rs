//! Amp's variable and its file of secrets, which is kept by service.

use crate::home::Home;

const FILE: &str = ".local/share/amp/secrets.json";

#[test]
fn the_variable_comes_before_the_file() {
    let home = Home::new()
        .with(FILE, r#"{"apiKey@https://ampcode.com/":"sgamp_file"}"#)
        .variable("AMP_API_KEY", "sgamp_env");
    assert_eq!(
        home.summary("amp"),
        ["amp API key: sgamp_env as AMP_API_KEY", "amp API key: sgamp_file as AMP_API_KEY"]
    );
}

#[test]
fn keys_of_anthropic_are_not_amps() {
    let home = Home::new()
        .variable("ANTHROPIC_API_KEY", "key")
        .with(".claude/.credentials.json", r#"{"claudeAiOauth":{"accessToken":"oat"}}"#);
    assert_eq!(home.summary("amp"), [""; 0]);
}

#[test]
fn the_key_is_the_one_of_the_service_in_use() {
    let file = r#"{"apiKey@https://ampcode.com/":"public","apiKey@http://127.0.0.1:1":"own"}"#;
    let home = Home::new().with(FILE, file).variable("AMP_URL", "http://127.0.0.1:1");
    assert_eq!(home.summary("amp"), ["amp API key: own as AMP_API_KEY+AMP_URL"]);
    let elsewhere = Home::new().with(FILE, file).variable("AMP_URL", "http://user:pass@other.example");
    assert_eq!(
        elsewhere.complaints("amp"),
        [format!("{FILE} has keys, but none for the address in AMP_URL")]
    );
}

#[test]
fn a_key_that_is_no_string_is_a_problem() {
    let home = Home::new().with(FILE, r#"{"apiKey@https://ampcode.com/":7}"#);
    assert_eq!(home.complaints("amp"), [format!("{FILE} its key is a number, not a string")]);
}
