//! A client at the other end of a pair of streams.

use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The search path of scripts.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The time that an answer may take.
const ANSWER: Duration = Duration::from_secs(60);

/// The time that an agent may take to end with its client.
const END: Duration = Duration::from_secs(10);

/// See the module's comment. `T` is what the agent returns.
#[derive(Debug)]
pub struct Remote<T> {
    /// The option that requests for permission are answered with.
    pub option: &'static str,
    input: WriteHalf<DuplexStream>,
    output: BufReader<ReadHalf<DuplexStream>>,
    agent: JoinHandle<T>,
    last: u64,
}

impl<T: Send + 'static> Remote<T> {
    /// Starts an agent on the other ends.
    pub fn start<F>(run: impl FnOnce(ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) -> F) -> Self
    where
        F: Future<Output = T> + Send + 'static,
    {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (input, output) = split(far);
        let agent = tokio::spawn(run(input, output));
        let (output, input) = split(near);
        Self { option: "", input, output: BufReader::new(output), agent, last: 0 }
    }

    pub async fn write(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    pub async fn read(&mut self) -> Value {
        let mut line = String::new();
        let read = timeout(ANSWER, self.output.read_line(&mut line));
        assert_ne!(read.await.expect("a line in time").unwrap(), 0, "it ended");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and gives all that comes, the answer last.
    pub async fn call(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.last += 1;
        let id = self.last;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        let mut messages: Vec<Value> = Vec::new();
        while messages.last().is_none_or(|last| last["id"] != id || last.get("method").is_some()) {
            let message = self.read().await;
            if message["method"] == "session/request_permission" {
                let outcome = json!({ "outcome": { "outcome": "selected", "optionId": self.option } });
                self.write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": outcome })).await;
            }
            messages.push(message);
        }
        messages
    }

    /// Says hello and opens a session; the answer.
    pub async fn open(&mut self, cwd: &Path) -> Value {
        self.call("initialize", json!({ "protocolVersion": 1 })).await;
        let mut messages = self.call("session/new", json!({ "cwd": cwd, "mcpServers": [] })).await;
        messages.retain(|message| message.get("method").is_none());
        messages.pop().unwrap()
    }

    /// Sends a prompt of one text and gives all that comes, the answer last.
    pub async fn prompt(&mut self, session: &str, text: &str) -> Vec<Value> {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.call("session/prompt", json!({ "sessionId": session, "prompt": prompt })).await
    }

    /// Says goodbye; what the agent returned.
    pub async fn end(mut self) -> T {
        self.input.shutdown().await.unwrap();
        timeout(END, self.agent).await.expect("it ends with its client").unwrap()
    }
}

/// A program that can be run.
pub fn program(path: &Path, script: &str) -> PathBuf {
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_owned()
}

/// All text that is said in these messages.
pub fn said(messages: &[Value]) -> String {
    let texts = messages.iter().filter_map(|message| message["params"]["update"]["content"]["text"].as_str());
    texts.collect()
}
