//! The agent on a pair of streams, with a real process in place of the app-server.

use sa_acp::testing::{PATH, Remote, program, said};
use sa_codex::{Limits, Options};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A program that answers what it is asked at its start, says one line to each prompt, and does what the prompt names.
const FAKE: &str = r#"#!/bin/sh
id() { printf '%s' "$1" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
ok() { printf '{"id":%s,"result":%s}\n' "$(id "$1")" "$2"; }
say() { printf '{"method":"%s","params":{"threadId":"thread",%s}}\n' "$1" "$2"; }
thread='{"thread":{"id":"thread","turns":[]},"model":"m"}'
while IFS= read -r line; do
  case "$line" in
    *'"method":"initialize"'*) ok "$line" '{"userAgent":"x/0.166.0 (y)"}' ;;
    *'"method":"command/exec"'*) ok "$line" '{"exitCode":0}' ;;
    *'"method":"thread/start"'*|*'"method":"thread/resume"'*) ok "$line" "$thread" ;;
    *long*)
      ok "$line" '{"turn":{"id":"turn"}}'
      printf '{"method":"item/completed","params":{"threadId":"thread","turnId":"turn","item":{"type":"agentMessage","id":"m","text":"'
      head -c 3000000 /dev/zero | tr '\0' x
      printf '"}}}\n'
      say turn/completed '"turn":{"id":"turn","status":"completed"}' ;;
    *crash*) echo "it hurts" >&2; exit 7 ;;
    *'"method":"turn/start"'*)
      ok "$line" '{"turn":{"id":"turn"}}'
      say item/agentMessage/delta "\"itemId\":\"m\",\"delta\":\"$EXTRA $CODEX_HOME $1\""
      say turn/completed '"turn":{"id":"turn","status":"completed"}' ;;
    *'"id":'*) ok "$line" '{}' ;;
  esac
done
"#;

fn start(program: &Path) -> Remote<ExitCode> {
    let mut options = Options::new(program, program.with_file_name("codex-home"));
    options.cli.inherited = vec![("PATH".into(), PATH.into())];
    options.cli.env = vec![("EXTRA".into(), "hello from".into())];
    options.api_key = Some("sk-fake".to_owned().into());
    options.limits = Limits { drain: Duration::from_millis(200), ..Limits::USUAL };
    assert!(!format!("{options:?}").contains("sk-fake"));
    Remote::start(|input, output| options.into_program().run(input, output))
}

#[tokio::test]
async fn a_process_is_started_answers_crashes_and_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut remote = start(&program(&folder.path().join("codex"), FAKE));
    let opened = remote.open(folder.path()).await;
    assert_eq!(opened["result"]["sessionId"], "thread", "{opened}");
    let messages = remote.prompt("thread", "hi").await;
    let home = folder.path().join("codex-home");
    assert_eq!(said(&messages), format!("hello from {} app-server", home.display()));
    assert!(home.is_dir(), "the CLI would not start without it");
    let messages = remote.prompt("thread", "a long line").await;
    assert_eq!(said(&messages).len(), 3_000_000, "a line may have megabytes");
    let messages = remote.prompt("thread", "crash").await;
    assert_eq!(messages.last().unwrap()["error"]["message"], "Codex ended with exit code 7: it hurts");
    let messages = remote.prompt("thread", "hi").await;
    assert_eq!(messages.last().unwrap()["result"]["stopReason"], "end_turn");
    assert_eq!(remote.end().await, ExitCode::SUCCESS);
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let opened = start(&folder.path().join("missing")).open(folder.path()).await;
    assert_eq!(opened["error"]["data"]["errorKind"], "spawn_failed");
}
