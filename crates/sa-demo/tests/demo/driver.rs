//! The agent on a pair of streams. Time stands still in these tests and jumps ahead when nobody has anything to do.

use crate::client::{said, stop_reason};
use sa_acp::MAX_LINE;
use sa_demo::{Exit, Options, run};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
    split,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// A client at the other end of the streams.
struct Remote {
    input: Option<WriteHalf<DuplexStream>>,
    output: BufReader<ReadHalf<DuplexStream>>,
    agent: JoinHandle<Exit>,
}

impl Remote {
    /// Starts an agent behind a pipe of that capacity and opens a session; its id.
    async fn open(options: Options, capacity: usize) -> (Self, String) {
        let mut remote = Self::start(options, capacity);
        remote.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } })).await;
        let params = json!({ "cwd": "/project", "mcpServers": [] });
        remote.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "session/new", "params": params })).await;
        let session =
            remote.until_answer(1).await.pop().unwrap()["result"]["sessionId"].as_str().unwrap().to_owned();
        remote.line().await.expect("the available commands");
        (remote, session)
    }

    fn start(options: Options, capacity: usize) -> Self {
        let (near, far) = tokio::io::duplex(capacity);
        let (output, input) = split(near);
        let (far_input, far_output) = split(far);
        let agent = tokio::spawn(run(far_input, far_output, options));
        Self { input: Some(input), output: BufReader::new(output), agent }
    }

    async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    async fn send_prompt(&mut self, id: i64, session: &str, text: &str) {
        let params = json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params })).await;
    }

    async fn line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).await.unwrap();
        Some(line).filter(|line| !line.is_empty())
    }

    /// All messages up to the answer to `id`; what is no message is left out.
    async fn until_answer(&mut self, id: i64) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            let line = self.line().await.expect("an answer");
            let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
            messages.push(message);
            if messages.last().is_some_and(|last| last["id"] == id && last["method"].is_null()) {
                return messages;
            }
        }
    }

    /// Says nothing more; how the agent ends and what it still said.
    async fn hang_up(mut self) -> (Exit, Vec<u8>) {
        self.input.as_mut().unwrap().shutdown().await.unwrap();
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).await.unwrap();
        (self.agent.await.unwrap(), rest)
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_input_is_the_end() {
    for script in
        ["hang", "sleep 1000000", "ignore-cancel 1000000", "silent 1000000", "permission X", "say done"]
    {
        let (mut remote, session) = Remote::open(Options::default(), 1 << 16).await;
        remote.send_prompt(2, &session, script).await;
        let started = tokio::time::Instant::now();
        assert_eq!(remote.hang_up().await.0, Exit::Code(0), "{script}");
        assert_eq!(started.elapsed(), Duration::ZERO, "{script} delays the end");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_asked_before_the_end_is_answered() {
    let (mut remote, session) = Remote::open(Options::default(), 1 << 16).await;
    remote.send_prompt(2, &session, "say one\nstream 100\nsay two").await;
    // Without an end of line, too.
    remote.send_bytes(br#"{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}"#).await;
    let (exit, rest) = remote.hang_up().await;
    assert_eq!(exit, Exit::Code(0));
    let lines = String::from_utf8(rest).unwrap();
    let messages: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(messages.iter().any(|message| message["id"] == 3));
    assert!(
        messages.iter().any(|message| message["id"] == 2 && message["result"]["stopReason"] == "end_turn")
    );
    assert_eq!(said(&messages).len(), 102);
}

#[tokio::test(start_paused = true)]
async fn nobody_has_to_read_for_it_to_end() {
    let (mut remote, session) = Remote::open(Options::default(), 1024).await;
    remote.send_prompt(2, &session, "flood 1000000000").await;
    remote.input.as_mut().unwrap().shutdown().await.unwrap();
    let agent = remote.agent;
    assert_eq!(timeout(Duration::from_secs(5), agent).await.unwrap().unwrap(), Exit::Code(0));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_goes_away_ends_it() {
    let (mut remote, session) = Remote::open(Options::default(), 1024).await;
    remote.send_prompt(2, &session, "flood 1000000000").await;
    let Remote { input, output, agent } = remote;
    drop((input, output));
    assert_eq!(agent.await.unwrap(), Exit::Code(0));
}

#[tokio::test(start_paused = true)]
async fn a_flood_nobody_reads_is_cancelled_and_was_not_gathered() {
    let (mut remote, session) = Remote::open(Options::default(), 4096).await;
    remote.send_prompt(2, &session, "flood 1000000000 100").await;
    // Lets the agent run into the full pipe.
    tokio::time::sleep(Duration::from_millis(10)).await;
    remote.send(&json!({ "jsonrpc": "2.0", "id": 3, "method": "session/list", "params": {} })).await;
    remote
        .send(&json!({ "jsonrpc": "2.0", "method": "session/cancel", "params": { "sessionId": session } }))
        .await;
    // Only now is read, so the cancellation was taken while nothing could be written.
    tokio::time::sleep(Duration::from_millis(10)).await;
    let messages = remote.until_answer(2).await;
    assert_eq!(stop_reason(&messages), "cancelled");
    let numbers: Vec<u64> =
        said(&messages).iter().map(|text| text.split(' ').next().unwrap().parse().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>(), "none lost, none twice");
    assert!(numbers.len() < 1000, "{} chunks were made ahead", numbers.len());
    assert_eq!(remote.hang_up().await.0, Exit::Code(0));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_only_asks_is_held_back() {
    let (mut remote, _) = Remote::open(Options::default(), 4096).await;
    let request = format!("{}\n", json!({ "jsonrpc": "2.0", "id": 2, "method": "_unknown", "params": {} }));
    let asking = async {
        for _ in 0..100_000 {
            remote.input.as_mut().unwrap().write_all(request.as_bytes()).await.unwrap();
        }
    };
    assert!(timeout(Duration::from_secs(60), asking).await.is_err(), "it reads on though nobody reads it");
    assert!(remote.line().await.is_some(), "and served on when it reads");
}

#[tokio::test(start_paused = true)]
async fn garbage_in_does_not_end_it() {
    let (mut remote, session) = Remote::open(Options::default(), 1 << 16).await;
    remote.send_bytes(b"\n\r\nno json\n\xff\xfe\n[]\n{}\n\0\n").await;
    remote.send_prompt(2, &session, "garbage utf8\nsay still here\ngarbage").await;
    let messages = remote.until_answer(2).await;
    let codes: Vec<_> = messages.iter().filter_map(|message| message["error"]["code"].as_i64()).collect();
    assert_eq!(codes, [-32700, -32700, -32600, -32600, -32700]);
    assert_eq!(said(&messages), ["still here"]);
    assert_eq!(remote.hang_up().await.0, Exit::Code(0));
}

#[tokio::test(start_paused = true)]
async fn the_longest_line_is_taken_and_a_longer_one_refused() {
    let (mut remote, session) = Remote::open(Options::default(), 1 << 20).await;
    let prompt = |data: &str| {
        let text = r#"{"type":"text","text":"image"}"#;
        let image = format!(r#"{{"type":"image","mimeType":"image/png","data":"{data}"}}"#);
        let params = format!(r#"{{"sessionId":"{session}","prompt":[{text},{image}]}}"#);
        format!(r#"{{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{params}}}"#) + "\n"
    };
    let room = MAX_LINE + 1 - prompt("").len();
    remote.send_bytes(prompt(&"A".repeat(room)).as_bytes()).await;
    let messages = remote.until_answer(2).await;
    assert!(said(&messages).concat().contains(&format!("image/png, {} bytes", room * 3 / 4)));

    remote.send_bytes(prompt(&"A".repeat(room + 1)).as_bytes()).await;
    let refused: Value = serde_json::from_slice(&remote.line().await.unwrap()).unwrap();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&Value::Null, &json!(-32600)));
    remote.send_prompt(3, &session, "say fine").await;
    assert_eq!(said(&remote.until_answer(3).await), ["fine"]);
}

#[tokio::test(start_paused = true)]
async fn a_line_of_64_mib_is_written_whole() {
    let (mut remote, session) = Remote::open(Options::default(), 1 << 20).await;
    remote.send_prompt(2, &session, &format!("big {MAX_LINE}")).await;
    let line = remote.line().await.unwrap();
    assert_eq!(line.len(), MAX_LINE + 1);
    assert_eq!(stop_reason(&remote.until_answer(2).await), "end_turn");
}

#[tokio::test(start_paused = true)]
async fn it_ends_as_it_is_told_after_what_it_said() {
    for (script, exit) in
        [("crash 42", Exit::Code(42)), ("abort", Exit::Abort), ("garbage nolf", Exit::Code(0))]
    {
        let (mut remote, session) = Remote::open(Options::default(), 1 << 16).await;
        remote.send_prompt(2, &session, &format!("say last words\n{script}")).await;
        let mut rest = String::new();
        remote.output.read_to_string(&mut rest).await.unwrap();
        assert!(rest.contains("last words"), "{script}: {rest}");
        assert_eq!(rest.ends_with('\n'), script != "garbage nolf");
        assert_eq!(remote.agent.await.unwrap(), exit);
    }
}

#[tokio::test(start_paused = true)]
async fn closing_the_output_is_not_the_end() {
    let (mut remote, session) = Remote::open(Options::default(), 1 << 16).await;
    remote.send_prompt(2, &session, "say bye\nclose-stdout\nsay into the void").await;
    let mut rest = String::new();
    remote.output.read_to_string(&mut rest).await.unwrap();
    assert!(rest.contains("bye") && !rest.contains("void"), "{rest}");
    assert!(timeout(Duration::from_secs(60), &mut remote.agent).await.is_err(), "it lives");
    assert_eq!(remote.hang_up().await.0, Exit::Code(0));
}

#[tokio::test(start_paused = true)]
async fn the_deaf_do_not_notice_the_end() {
    let (mut remote, session) = Remote::open(Options::default(), 1 << 16).await;
    remote.send_prompt(2, &session, "deaf").await;
    assert_eq!(stop_reason(&remote.until_answer(2).await), "end_turn");
    remote.input = None;
    assert!(timeout(Duration::from_secs(60), &mut remote.agent).await.is_err(), "it lives");
    remote.agent.abort();
}

#[tokio::test(start_paused = true)]
async fn time_passes() {
    let (mut remote, session) = Remote::open(Options::default(), 1 << 16).await;
    let started = tokio::time::Instant::now();
    remote.send_prompt(2, &session, "sleep 90000\nstream 3 every 1000").await;
    assert_eq!(said(&remote.until_answer(2).await).len(), 4);
    assert!((90..=93).contains(&started.elapsed().as_secs()));
}

fn in_directory(directory: &Path) -> Options {
    Options { state_dir: Some(directory.to_owned()), ..Options::default() }
}

#[tokio::test(start_paused = true)]
async fn sessions_outlive_the_process() {
    let directory = tempfile::tempdir().unwrap();
    let state = directory.path().join("made/when/needed");
    let (mut remote, session) = Remote::open(in_directory(&state), 1 << 16).await;
    remote.send_prompt(2, &session, "say remember me").await;
    remote.until_answer(2).await;
    remote.send_prompt(3, &session, "crash").await;
    assert_eq!(remote.agent.await.unwrap(), Exit::Code(1));

    std::fs::write(state.join("notes.txt"), "not a session").unwrap();
    std::fs::write(state.join("broken.jsonl"), "{").unwrap();
    let (mut remote, other) = Remote::open(in_directory(&state), 1 << 16).await;
    assert_ne!(session, other);
    let params = json!({ "sessionId": session, "cwd": "/project", "mcpServers": [] });
    remote.send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "session/load", "params": params })).await;
    assert_eq!(said(&remote.until_answer(2).await), ["remember me"]);
    let params = json!({ "sessionId": session });
    remote.send(&json!({ "jsonrpc": "2.0", "id": 3, "method": "session/delete", "params": params })).await;
    remote.until_answer(3).await;
    for elsewhere in ["../notes", "notes.txt", ""] {
        let params = json!({ "sessionId": elsewhere });
        remote
            .send(&json!({ "jsonrpc": "2.0", "id": 4, "method": "session/delete", "params": params }))
            .await;
        remote.until_answer(4).await;
    }
    remote.send(&json!({ "jsonrpc": "2.0", "id": 5, "method": "session/list", "params": {} })).await;
    let list = remote.until_answer(5).await;
    assert_eq!(list[0]["result"]["sessions"].as_array().unwrap().len(), 1);
    assert!(!state.join(format!("{session}.jsonl")).exists());
    assert!(state.join(format!("{other}.jsonl")).exists());
    assert!(state.join("notes.txt").exists() && state.join("broken.jsonl").exists());
}

#[tokio::test]
async fn a_state_directory_that_cannot_be_is_an_error() {
    let remote = Remote::start(in_directory(Path::new("/dev/null/nowhere")), 1024);
    assert_eq!(remote.agent.await.unwrap(), Exit::Code(1));
}

/// Counts how often it is written to.
struct Counting(Arc<AtomicUsize>);

impl AsyncWrite for Counting {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_ready_together_is_written_together() {
    let writes = Arc::new(AtomicUsize::new(0));
    let hello =
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": 1 } });
    let input = format!("{hello}\n{hello}\n{}", format!("{hello}\n").repeat(50));
    assert_eq!(run(input.as_bytes(), Counting(Arc::clone(&writes)), Options::default()).await, Exit::Code(0));
    assert_eq!(writes.load(Ordering::Relaxed), 1, "52 answers, one write");
}
