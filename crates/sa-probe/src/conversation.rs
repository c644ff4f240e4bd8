//! A client's side of an ACP connection that asks two things and goes.

use crate::ProbeError;
use sa_jsonrpc::{ErrorObject, Line, LineBuffer, codes, write_call};
use sa_supervisor::{Process, Spawned};
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;

/// The longest answer that is read.
const MAX_ANSWER: usize = 16 << 20;

/// Time for an agent that has closed its output to exit.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(crate) struct Conversation {
    process: Process,
    input: pipe::Sender,
    output: pipe::Receiver,
    lines: LineBuffer,
    asked: i64,
}

impl Conversation {
    pub(crate) fn new(spawned: Spawned) -> Self {
        let Spawned { process, stdin: input, stdout: output } = spawned;
        Self { process, input, output, lines: LineBuffer::new(MAX_ANSWER), asked: 0 }
    }

    pub(crate) fn process(&self) -> &Process {
        &self.process
    }

    /// Sends a request and waits for its answer. Whatever the agent asks meanwhile is refused.
    pub(crate) async fn ask(&mut self, method: &'static str, params: Value) -> Result<Value, ProbeError> {
        self.asked += 1;
        let id = self.asked;
        self.write(write_call(Some(id), method, Some(params))).await?;
        loop {
            let message = self.read().await?;
            let is_answer =
                message.get("id").and_then(Value::as_i64) == Some(id) && message.get("method").is_none();
            if is_answer {
                return match message.get("error") {
                    Some(error)
                        if error.get("code").and_then(Value::as_i64)
                            == Some(i64::from(codes::AUTH_REQUIRED)) =>
                    {
                        Err(ProbeError::NotLoggedIn(words(error)))
                    }
                    Some(error) => Err(ProbeError::Refused { method, message: words(error) }),
                    None => Ok(message.get("result").cloned().unwrap_or_default()),
                };
            }
            if let (Some(asked), Some(_)) = (message.get("id"), message.get("method")) {
                let message = "not now".to_owned();
                let refusal = ErrorObject { code: codes::METHOD_NOT_FOUND, message, data: None };
                self.write(refusal.response(&asked.to_string())).await?;
            }
        }
    }

    async fn write(&mut self, mut line: Vec<u8>) -> Result<(), ProbeError> {
        line.push(b'\n');
        match self.input.write_all(&line).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.ended().await),
        }
    }

    /// Reads the next message. Skips lines that are none.
    async fn read(&mut self) -> Result<Value, ProbeError> {
        loop {
            while let Some(line) = self.lines.take() {
                if let Line::Whole(line) = line
                    && let Ok(message) = serde_json::from_slice(line)
                {
                    return Ok(message);
                }
            }
            if self.output.read_buf(self.lines.spare()).await.unwrap_or(0) == 0 {
                return Err(self.ended().await);
            }
        }
    }

    /// Returns the error for an agent that ended. Its last words are complete only then, which may be a moment after
    /// it closed its output.
    async fn ended(&self) -> ProbeError {
        let _ = tokio::time::timeout(LAST_WORDS, self.process.wait()).await;
        let tail = self.process.stderr_tail();
        let last = tail.trim().lines().last().unwrap_or_default();
        ProbeError::Ended(if last.is_empty() { String::new() } else { format!(": {last}") })
    }
}

fn words(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
    match error.pointer("/data/details").or_else(|| error.pointer("/data/message")).and_then(Value::as_str) {
        Some(details) => format!("{message}: {details}"),
        None => message.to_owned(),
    }
}
