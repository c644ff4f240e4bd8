//! The agent on a pair of streams, with real processes in place of the CLI.

use sa_acp::testing::{PATH, Remote, program, said};
use sa_claude::{Limits, Options};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A program that answers what it is asked at its start, says one line to each prompt, and does what the prompt names.
const FAKE: &str = r#"#!/bin/sh
id() { printf '%s' "$1" | sed 's/.*"request_id":"\([^"]*\)".*/\1/'; }
ok() { printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":%s}}\n' "$(id "$1")" "$2"; }
while IFS= read -r line; do
  case "$line" in
    *'"subtype":"initialize"'*) ok "$line" '{"claude_code_version":"2.1.325","account":{"apiKeySource":"x"}}' ;;
    *'"type":"control_request"'*) ok "$line" '{}' ;;
    *crash*) echo "it hurts" >&2; exit 7 ;;
    *'"type":"user"'*)
      printf '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"%s %s"}]}}\n' "$EXTRA" "$(pwd)"
      printf '{"type":"result","subtype":"success","result":"ok","stop_reason":"end_turn"}\n'
      printf '{"type":"system","subtype":"session_state_changed","state":"idle"}\n' ;;
  esac
done
"#;

fn start(program: &Path) -> Remote<ExitCode> {
    let mut options = Options::new(program, program.with_file_name("config"));
    options.cli.inherited = vec![("PATH".into(), PATH.into())];
    options.cli.env = vec![("EXTRA".into(), "hello from".into())];
    options.limits = Limits { drain: Duration::from_millis(200), ..Limits::USUAL };
    Remote::start(|input, output| options.into_program().run(input, output))
}

async fn open(folder: &Path, cwd: &Path) -> (Remote<ExitCode>, String) {
    let mut remote = start(&program(&folder.join("claude"), FAKE));
    let opened = remote.open(cwd).await;
    let session = opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned();
    (remote, session)
}

#[tokio::test]
async fn a_process_is_started_in_its_place_asked_and_ended_with_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = fs::canonicalize(folder.path()).unwrap();
    let (mut remote, session) = open(folder.path(), &cwd).await;
    let messages = remote.prompt(&session, "hi").await;
    assert_eq!(said(&messages), format!("hello from {}", cwd.display()));
    assert_eq!(messages.last().unwrap()["result"]["stopReason"], "end_turn");
    assert_eq!(remote.end().await, ExitCode::SUCCESS);
}

#[tokio::test]
async fn a_process_that_dies_is_told_with_its_last_words_and_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut remote, session) = open(folder.path(), folder.path()).await;
    let messages = remote.prompt(&session, "crash").await;
    let error = &messages.last().unwrap()["error"];
    assert_eq!(error["data"]["exitCode"], 7);
    assert_eq!(error["data"]["stderrTail"], "it hurts\n");
    let messages = remote.prompt(&session, "hi").await;
    assert_eq!(messages.last().unwrap()["result"]["stopReason"], "end_turn");
    let messages = remote.call("session/close", json!({ "sessionId": session })).await;
    assert_eq!(messages.last().unwrap()["result"], json!({}));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let opened = start(&folder.path().join("nothing")).open(folder.path()).await;
    assert_eq!(opened["error"]["data"]["errorKind"], "spawn_failed");
}
