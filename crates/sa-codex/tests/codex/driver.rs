//! The agent on a pair of streams, with a real process in place of the app-server.

use sa_codex::{Limits, Options, run};
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

struct Remote {
    input: Option<WriteHalf<DuplexStream>>,
    output: BufReader<ReadHalf<DuplexStream>>,
    agent: JoinHandle<ExitCode>,
    last: u64,
}

impl Remote {
    fn start(program: &Path) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let mut options = Options::new(program, program.with_file_name("codex-home"));
        options.inherited = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        options.env = vec![("EXTRA".into(), "hello from".into())];
        options.api_key = Some("sk-fake".to_owned());
        options.limits = Limits { farewell: Duration::from_millis(200), ..Limits::default() };
        assert!(!format!("{options:?}").contains("sk-fake"));
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

    async fn prompt(&mut self, text: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": "thread", "prompt": prompt })).await
    }
}

fn program(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("codex");
    fs::write(&path, FAKE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn a_process_is_started_answers_crashes_and_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut remote = Remote::start(&program(folder.path()));
    remote.call("initialize", json!({ "protocolVersion": 1 })).await;
    let opened = remote.call("session/new", json!({ "cwd": folder.path(), "mcpServers": [] })).await;
    assert_eq!(opened.last().unwrap()["result"]["sessionId"], "thread", "{opened:?}");
    let messages = remote.prompt("hi").await;
    let said = messages.iter().find_map(|message| message["params"]["update"]["content"]["text"].as_str());
    let home = folder.path().join("codex-home");
    assert_eq!(said, Some(format!("hello from {} app-server", home.display()).as_str()));
    assert!(home.is_dir(), "the CLI would not start without it");
    let messages = remote.prompt("a long line").await;
    let said = messages.iter().find_map(|message| message["params"]["update"]["content"]["text"].as_str());
    assert_eq!(said.map(str::len), Some(3_000_000), "a line may have megabytes");
    let messages = remote.prompt("crash").await;
    assert_eq!(messages.last().unwrap()["error"]["message"], "Codex ended with exit code 7: it hurts");
    let messages = remote.prompt("hi").await;
    assert_eq!(messages.last().unwrap()["result"]["stopReason"], "end_turn");
    remote.input.take().unwrap().shutdown().await.unwrap();
    let code =
        timeout(Duration::from_secs(10), remote.agent).await.expect("it ends with its client").unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut remote = Remote::start(&folder.path().join("missing"));
    remote.call("initialize", json!({ "protocolVersion": 1 })).await;
    let opened = remote.call("session/new", json!({ "cwd": folder.path(), "mcpServers": [] })).await;
    assert_eq!(opened.last().unwrap()["error"]["data"]["errorKind"], "spawn_failed");
}
