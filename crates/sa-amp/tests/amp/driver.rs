//! The agent on a pair of streams, with real processes in place of the CLI and of its helper.

use sa_amp::{Limits, Options, run};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A program that makes a thread, and says one line to each prompt, or does what the prompt names. Before it uses a tool, it
/// has the program ask that its settings name.
const FAKE: &str = r#"#!/bin/sh
say() {
  printf '{"type":"assistant","message":{"role":"assistant","content":[%s],"stop_reason":"%s"},"session_id":"T-1"}\n' "$1" "$2"
}
case "$1 $2" in
  "threads new") echo T-1; exit ;;
  "--help "*) echo "Set the agent mode (rush, smart) - x"; exit ;;
esac
settings=$(printf '%s\n' "$@" | sed -n '/--settings-file/{n;p}')
helper=$(sed 's/.*"to":"\([^"]*\)".*/\1/' "$settings")
while IFS= read -r line; do
  case "$line" in
    *crash*) echo "it hurts" >&2; exit 7 ;;
    *touch-it*)
      say '{"type":"tool_use","id":"c1","name":"Bash","input":{"cmd":"touch x"}}' tool_use
      reason=$(echo '{"cmd":"touch x"}' | AGENT_TOOL_NAME=Bash AGENT_TOOL_USE_ID=c1 AMP_THREAD_ID=T-1 "$helper" 2>&1)
      say "{\"type\":\"text\",\"text\":\"helper said $? $reason\"}" end_turn ;;
    *) say "{\"type\":\"text\",\"text\":\"$EXTRA $AMP_SKIP_UPDATE_CHECK\"}" end_turn ;;
  esac
done
"#;

/// The helper, as the binary would be: it asks at the door and tells by its exit code what it was told.
const HELPER: &str = r#"
import json, os, socket, sys
asked = {"tool": os.environ["AGENT_TOOL_NAME"], "call": os.environ["AGENT_TOOL_USE_ID"],
         "thread": os.environ["AMP_THREAD_ID"], "input": json.load(sys.stdin)}
door = socket.socket(socket.AF_UNIX)
door.connect(os.environ["SANDBOX_AGENT_AMP_SOCKET"])
door.sendall((json.dumps(asked) + "\n").encode())
told = json.loads(door.makefile().readline())
print(told.get("reason", ""), file=sys.stderr)
sys.exit(0 if told["allow"] else 2)
"#;

struct Remote {
    input: Option<WriteHalf<DuplexStream>>,
    output: BufReader<ReadHalf<DuplexStream>>,
    agent: JoinHandle<std::io::Result<ExitCode>>,
    last: u64,
}

impl Remote {
    fn start(program: &Path, folder: &Path) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let helper = ["python3", "-c", HELPER].map(Into::into).to_vec();
        let mut options = Options::new(program, helper, folder);
        options.inherited = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        options.env = vec![("EXTRA".into(), "hello".into()), ("AMP_API_KEY".into(), "sgamp_fake".into())];
        options.has_key = true;
        options.limits = Limits { farewell: Duration::from_millis(200), ..Limits::default() };
        assert!(!format!("{options:?}").contains("sgamp_fake"));
        let (input, output) = split(far);
        let agent = tokio::spawn(run(input, output, options));
        let (output, input) = split(near);
        Self { input: Some(input), output: BufReader::new(output), agent, last: 0 }
    }

    async fn write(&mut self, message: Value) {
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let mut line = String::new();
        let read = timeout(Duration::from_secs(30), self.output.read_line(&mut line));
        assert_ne!(read.await.expect("a line in time").unwrap(), 0, "it ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and gives all that comes, the answer last. Permission is answered with that option.
    async fn call(&mut self, method: &str, params: Value, option: &str) -> Vec<Value> {
        self.last += 1;
        self.write(json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params })).await;
        let mut messages: Vec<Value> = Vec::new();
        while messages.last().is_none_or(|last| last["id"] != self.last || last.get("method").is_some()) {
            let message = self.read().await;
            if message["method"] == "session/request_permission" {
                let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
                self.write(json!({ "jsonrpc": "2.0", "id": message["id"], "result": outcome })).await;
            }
            messages.push(message);
        }
        messages
    }

    async fn prompt(&mut self, text: &str, option: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": "T-1", "prompt": prompt }), option).await
    }
}

fn program(folder: &Path) -> PathBuf {
    let path = folder.join("amp");
    fs::write(&path, FAKE).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn said(messages: &[Value]) -> String {
    let said = messages.iter().filter_map(|message| message["params"]["update"]["content"]["text"].as_str());
    said.collect()
}

#[tokio::test]
async fn a_process_is_started_asks_crashes_and_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut remote = Remote::start(&program(folder.path()), folder.path());
    remote.call("initialize", json!({ "protocolVersion": 1 }), "").await;
    let opened = remote.call("session/new", json!({ "cwd": folder.path(), "mcpServers": [] }), "").await;
    assert_eq!(opened.last().unwrap()["result"]["sessionId"], "T-1", "{opened:?}");
    assert_eq!(said(&remote.prompt("hi", "").await), "hello 1");
    assert_eq!(said(&remote.prompt("touch-it", "allow_once").await), "helper said 0 ");
    let refused = said(&remote.prompt("touch-it", "reject_once").await);
    assert_eq!(refused, "helper said 2 The user rejected this use of Bash.");
    let messages = remote.prompt("crash", "").await;
    assert_eq!(messages.last().unwrap()["error"]["message"], "Amp ended with exit code 7: it hurts");
    assert_eq!(said(&remote.prompt("hi", "").await), "hello 1");
    remote.input.take().unwrap().shutdown().await.unwrap();
    let code =
        timeout(Duration::from_secs(10), remote.agent).await.expect("it ends with its client").unwrap();
    assert_eq!(code.unwrap(), ExitCode::SUCCESS);
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut remote = Remote::start(&folder.path().join("missing"), folder.path());
    remote.call("initialize", json!({ "protocolVersion": 1 }), "").await;
    let opened = remote.call("session/new", json!({ "cwd": folder.path(), "mcpServers": [] }), "").await;
    assert_eq!(opened.last().unwrap()["error"]["data"]["errorKind"], "spawn_failed");
}

/// A program that plays a recording of the real CLI: to each prompt it says what was said then, up to the end of that turn.
const REPLAY: &str = r#"#!/usr/bin/env python3
import json, sys
rows = [json.loads(line) for line in open("RECORDING")]
lines = [row["raw"] for row in rows if row["dir"] == "<-"]
if sys.argv[1:3] == ["threads", "new"]:
    print(lines[0]["session_id"])
elif sys.argv[1] == "--help":
    print("Set the agent mode (rush, smart) - x")
else:
    for prompt in sys.stdin:
        while lines:
            line = lines.pop(0)
            print(json.dumps(line), flush=True)
            if line["type"] == "result":
                sys.exit(0)
            if line.get("message", {}).get("stop_reason") == "end_turn":
                break
"#;

/// The texts of all chunks, and the answer, to as many prompts as the recording has.
async fn replayed(name: &str, prompts: usize) -> (Vec<String>, Value) {
    let folder = tempfile::tempdir().unwrap();
    let recording = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/captures").join(name);
    let path = folder.path().join("amp");
    fs::write(&path, REPLAY.replace("RECORDING", recording.to_str().unwrap())).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let mut remote = Remote::start(&path, folder.path());
    remote.call("initialize", json!({ "protocolVersion": 1 }), "").await;
    let opened = remote.call("session/new", json!({ "cwd": folder.path(), "mcpServers": [] }), "").await;
    let session = opened.last().unwrap()["result"]["sessionId"].clone();
    let (mut texts, mut last) = (Vec::new(), Value::Null);
    for _ in 0..prompts {
        let prompt = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": "go on" }] });
        let messages = remote.call("session/prompt", prompt, "").await;
        texts.push(said(&messages));
        last = messages.last().unwrap().clone();
    }
    (texts, last)
}

#[tokio::test]
async fn recordings_of_the_real_cli_are_played_by_a_real_process() {
    let (texts, last) = replayed("2026-04-27_20_multiturn.jsonl", 2).await;
    assert_eq!(texts.first().unwrap(), "Hello from the scripted model.");
    assert!(texts.last().unwrap().starts_with("Running it."), "{texts:?}");
    assert_eq!(last["result"]["stopReason"], "end_turn");
    let (_, last) = replayed("2026-04-27_34_500.jsonl", 1).await;
    assert_eq!(last["error"]["data"]["errorKind"], "server_error");
    let (_, last) = replayed("2026-04-27_35_401.jsonl", 1).await;
    assert_eq!(last["error"]["code"], -32000);
}
