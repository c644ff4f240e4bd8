//! The agent on a pair of streams, with real processes in place of the CLI and of its helper.

use sa_acp::testing::{PATH, Remote, program, said};
use sa_amp::{LIMITS, Limits, Options};
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

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

/// The helper, as the binary would be: it asks at the permission socket and exits with the verdict.
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

fn start(program: &Path, folder: &Path) -> Remote<ExitCode> {
    let helper = ["python3", "-c", HELPER].map(Into::into).to_vec();
    let mut options = Options::new(program, helper, folder);
    options.cli.inherited = vec![("PATH".into(), PATH.into())];
    options.cli.env = vec![("EXTRA".into(), "hello".into()), ("AMP_API_KEY".into(), "sgamp_fake".into())];
    options.has_key = true;
    options.limits = Limits { drain: Duration::from_millis(200), ..LIMITS };
    assert!(!format!("{options:?}").contains("sgamp_fake"));
    let program = options.into_program().unwrap();
    Remote::start(|input, output| program.run(input, output))
}

#[tokio::test]
async fn a_process_is_started_asks_crashes_and_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut remote = start(&program(&folder.path().join("amp"), FAKE), folder.path());
    let opened = remote.open(folder.path()).await;
    assert_eq!(opened["result"]["sessionId"], "T-1", "{opened}");
    assert_eq!(said(&remote.prompt("T-1", "hi").await), "hello 1");
    remote.option = "allow_once";
    assert_eq!(said(&remote.prompt("T-1", "touch-it").await), "helper said 0 ");
    remote.option = "reject_once";
    let refused = said(&remote.prompt("T-1", "touch-it").await);
    assert_eq!(refused, "helper said 2 The user rejected this use of Bash.");
    let messages = remote.prompt("T-1", "crash").await;
    assert_eq!(messages.last().unwrap()["error"]["message"], "Amp ended with exit code 7: it hurts");
    assert_eq!(said(&remote.prompt("T-1", "hi").await), "hello 1");
    assert_eq!(remote.end().await, ExitCode::SUCCESS);
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let opened = start(&folder.path().join("missing"), folder.path()).open(folder.path()).await;
    assert_eq!(opened["error"]["data"]["errorKind"], "spawn_failed");
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
    let script = REPLAY.replace("RECORDING", recording.to_str().unwrap());
    let mut remote = start(&program(&folder.path().join("amp"), &script), folder.path());
    let opened = remote.open(folder.path()).await;
    let session = opened["result"]["sessionId"].as_str().unwrap();
    let (mut texts, mut last) = (Vec::new(), Value::Null);
    for _ in 0..prompts {
        let messages = remote.prompt(session, "go on").await;
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
