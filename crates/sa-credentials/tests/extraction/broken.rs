//! Files that cannot be used: each says why, and none hides what other places hold.

use crate::home::Home;
use std::os::unix::fs::symlink;

const FILE: &str = ".claude/.credentials.json";

/// Returns the one complaint about the file; the key in the environment is found all the same.
fn complaint(home: Home) -> String {
    let home = home.variable("ANTHROPIC_API_KEY", "key");
    assert_eq!(home.findings("claude").credentials.len(), 1);
    let said = home.complaints("claude");
    let [one] = &said[..] else { panic!("one complaint: {said:?}") };
    one.strip_prefix(&format!("{FILE} ")).expect("it names the file").to_owned()
}

#[test]
fn what_is_wrong_is_said_without_quoting_it() {
    let cases = [
        ("", "is not JSON: EOF while parsing a value at line 1 column 0"),
        (
            r#"{"claudeAiOauth":{"accessToken":"s3cret"#,
            "is not JSON: EOF while parsing a string at line 1 column 39",
        ),
        (r#"["s3cret"]"#, "is a list, not an object"),
        (r#""s3cret""#, "is a string, not an object"),
        (
            r#"{"claudeAiOauth":{"accessToken":{"s3cret":1}}}"#,
            "/claudeAiOauth/accessToken is an object, not a string",
        ),
    ];
    for (content, reason) in cases {
        assert_eq!(complaint(Home::new().with(FILE, content)), reason);
    }
    let nul = "{\"claudeAiOauth\":{\"accessToken\":\"s3\\u0000cret\"}}";
    assert_eq!(complaint(Home::new().with(FILE, nul)), "its secret holds a NUL character");
}

#[test]
fn a_time_that_makes_no_sense_leaves_the_token() {
    for (time, reason) in [
        ("\"soon\"", "is a string, not a number"),
        ("-1", "is no point in time"),
        ("1e99", "is no point in time"),
    ] {
        let content = format!(r#"{{"claudeAiOauth":{{"accessToken":"oat","expiresAt":{time}}}}}"#);
        let home = Home::new().with(FILE, content);
        assert_eq!(home.complaints("claude"), [format!("{FILE} /claudeAiOauth/expiresAt {reason}")]);
        assert_eq!(home.findings("claude").credentials.len(), 1);
    }
}

#[test]
fn files_that_are_none_are_not_read() {
    let home = Home::new();
    std::fs::create_dir_all(home.path(FILE)).unwrap();
    assert_eq!(complaint(home), "is not a file");

    let home = Home::new().with(".claude/x", "");
    let made = std::process::Command::new("mkfifo").arg(home.path(FILE)).status().unwrap();
    assert!(made.success());
    assert_eq!(complaint(home), "is not a file");

    // A file in a folder's place means that the agent was never here.
    let home = Home::new().with(".codex", "");
    assert_eq!(home.complaints("codex"), [""; 0]);
}

#[test]
fn links_are_followed_and_dangling_ones_named() {
    let home = Home::new()
        .with("dotfiles/c.json", r#"{"claudeAiOauth":{"accessToken":"oat"}}"#)
        .with(".claude/x", "");
    symlink(home.path("dotfiles/c.json"), home.path(FILE)).unwrap();
    assert_eq!(home.credentials("claude").len(), 1);

    let home = Home::new().with(".claude/x", "");
    symlink(home.path("gone"), home.path(FILE)).unwrap();
    assert_eq!(complaint(home), "is a link to nothing");

    let home = Home::new().with(".claude/x", "");
    symlink(home.path(FILE), home.path(FILE)).unwrap();
    assert!(complaint(home).starts_with("cannot be read: "));
}

#[test]
fn a_file_without_end_is_not_read_to_its_end() {
    let home = Home::new().with(FILE, "");
    let file = std::fs::OpenOptions::new().write(true).open(home.path(FILE)).unwrap();
    file.set_len(17 << 20).unwrap();
    assert_eq!(complaint(home), "is larger than 16 MiB");
}
