//! The agent on a pair of streams, with real processes in place of the CLI.

use sa_claude::{Limits, Options, run};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

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

struct Remote {
    input: Option<WriteHalf<DuplexStream>>,
    output: BufReader<ReadHalf<DuplexStream>>,
    agent: JoinHandle<ExitCode>,
    last: u64,
}

impl Remote {
    fn start(program: &Path) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let mut options = Options::new(program, program.with_file_name("config"));
        options.inherited = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        options.env = vec![("EXTRA".into(), "hello from".into())];
        options.limits = Limits { farewell: Duration::from_millis(200), ..Limits::default() };
        let (input, output) = split(far);
        let agent = tokio::spawn(run(input, output, options));
        let (output, input) = split(near);
        Self { input: Some(input), output: BufReader::new(output), agent, last: 0 }
    }

    /// Sends a request and gives all that comes, the answer last.
    async fn call(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.last += 1;
        let message = json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params });
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).await.unwrap();
        let mut messages: Vec<Value> = Vec::new();
        while messages.last().is_none_or(|last| last["id"] != self.last) {
            let mut line = String::new();
            let read = timeout(Duration::from_secs(30), self.output.read_line(&mut line));
            assert_ne!(read.await.expect("an answer in time").unwrap(), 0, "it ended");
            messages.push(serde_json::from_str(&line).unwrap());
        }
        messages
    }

    async fn open(program: &Path, cwd: &Path) -> (Self, String) {
        let mut remote = Self::start(program);
        remote.call("initialize", json!({ "protocolVersion": 1 })).await;
        let opened = remote.call("session/new", json!({ "cwd": cwd, "mcpServers": [] })).await;
        let session =
            opened[0]["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened:?}")).to_owned();
        (remote, session)
    }

    async fn prompt(&mut self, session: &str, text: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": session, "prompt": prompt })).await
    }
}

fn fake(folder: &Path) -> std::path::PathBuf {
    let program = folder.join("claude");
    fs::write(&program, FAKE).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[tokio::test]
async fn a_process_is_started_in_its_place_asked_and_ended_with_the_connection() {
    let folder = tempfile::tempdir().unwrap();
    let cwd = fs::canonicalize(folder.path()).unwrap();
    let (mut remote, session) = Remote::open(&fake(folder.path()), &cwd).await;
    let messages = remote.prompt(&session, "hi").await;
    let said =
        messages.iter().find(|message| message["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    let text = said.unwrap()["params"]["update"]["content"]["text"].as_str().unwrap();
    assert_eq!(text, format!("hello from {}", cwd.display()));
    assert_eq!(messages.last().unwrap()["result"]["stopReason"], "end_turn");
    remote.input.take().unwrap().shutdown().await.unwrap();
    let ended = timeout(Duration::from_secs(10), remote.agent).await.expect("ended").unwrap();
    assert_eq!(ended, ExitCode::SUCCESS);
}

#[tokio::test]
async fn a_process_that_dies_is_told_with_its_last_words_and_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let (mut remote, session) = Remote::open(&fake(folder.path()), folder.path()).await;
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
    let mut remote = Remote::start(&folder.path().join("nothing"));
    remote.call("initialize", json!({ "protocolVersion": 1 })).await;
    let messages = remote.call("session/new", json!({ "cwd": folder.path(), "mcpServers": [] })).await;
    assert_eq!(messages[0]["error"]["data"]["errorKind"], "spawn_failed");
}
