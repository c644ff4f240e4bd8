//! One turn: the commands of a prompt, run in order.

use crate::Shared;
use crate::wire::{note_process, write};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Numbers requests and messages of this process.
static SERIAL: AtomicU64 = AtomicU64::new(1);

fn serial() -> u64 {
    SERIAL.fetch_add(1, Ordering::Relaxed)
}

/// How a wait ended.
#[derive(PartialEq, Eq)]
enum Wait {
    Over,
    Cancelled,
}

/// A prompt that is being worked on.
pub(crate) struct Turn {
    shared: Arc<Shared>,
    session: String,
    directory: PathBuf,
    prompt: Value,
    message: String,
    answers: usize,
}

impl Turn {
    pub(crate) fn new(shared: &Arc<Shared>, session: String, directory: PathBuf, prompt: Value) -> Self {
        let message = format!("rogue-{}-{}", std::process::id(), serial());
        Self { shared: Arc::clone(shared), session, directory, prompt, message, answers: 1 }
    }

    /// Runs all commands and answers the prompt.
    pub(crate) fn run(mut self) {
        let blocks = self.prompt["params"]["prompt"].as_array().cloned().unwrap_or_default();
        let text: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let text = text.join("\n");
        let reason = match text.lines().all(|line| self.command(line) == Wait::Over) {
            true => "end_turn",
            false => "cancelled",
        };
        for _ in 0..self.answers {
            let result = json!({ "stopReason": reason });
            write(&json!({ "jsonrpc": "2.0", "id": self.prompt["id"], "result": result }));
        }
        if text.contains("late-update") {
            self.say("said after the end");
        }
    }

    fn command(&mut self, line: &str) -> Wait {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let numbers: Vec<usize> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
        let number = |place: usize| numbers.get(place).copied().unwrap_or(1);
        match name {
            "stream" | "flood" => {
                let width = number(1);
                (1..=number(0)).for_each(|at| self.say(&format!("{:x<width$}", format!("{at} "))));
            }
            "sleep" | "silent" | "ignore-cancel" => {
                return self.sleep(Duration::from_millis(number(0) as u64));
            }
            "hang" => return self.sleep(Duration::from_secs(3600)),
            "crash" | "abort" => std::process::exit(9),
            "fork" => self.fork("sleep 600", number(0)),
            "fork-stubborn" => self.fork(
                "trap '' TERM; setsid sleep 600 & setsid sh -c \"trap '' TERM; sleep 600; sleep 600\"",
                number(0),
            ),
            "permission" | "edit" => return self.await_answer(&self.ask()),
            "ask-and-withdraw" => {
                let id = self.ask();
                write(
                    &json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": id } }),
                );
            }
            "ask-and-end" => drop(self.ask()),
            "answer-twice" => self.answers = 2,
            "foreign-session" => {
                let update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } });
                write(
                    &json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": "nobody", "update": update } }),
                );
            }
            "late-update" => {}
            _ => self.say(if name == "say" { rest } else { line }),
        }
        Wait::Over
    }

    fn say(&self, text: &str) {
        let content = json!({ "type": "text", "text": text });
        let update =
            json!({ "sessionUpdate": "agent_message_chunk", "messageId": self.message, "content": content });
        let params = json!({ "sessionId": self.session, "update": update });
        write(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }

    /// Asks for permission; returns the id of the request.
    fn ask(&self) -> String {
        let id = format!("ask-{}-{}", std::process::id(), serial());
        let call = json!({ "toolCallId": format!("call-{}", serial()), "title": "Write it", "kind": "edit", "rawInput": { "path": id } });
        let options = json!([
            { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
            { "optionId": "no", "name": "No", "kind": "reject_once" },
        ]);
        let params = json!({ "sessionId": self.session, "toolCall": call, "options": options });
        write(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params }),
        );
        id
    }

    fn await_answer(&self, id: &str) -> Wait {
        let mut state = self.shared.state();
        loop {
            if state.cancelled.contains(&self.session) {
                return Wait::Cancelled;
            }
            if state.answers.remove(id).is_some() {
                return Wait::Over;
            }
            state = self.shared.changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    fn sleep(&self, length: Duration) -> Wait {
        let end = Instant::now() + length;
        let mut state = self.shared.state();
        loop {
            if state.cancelled.contains(&self.session) {
                return Wait::Cancelled;
            }
            let Some(left) = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) else {
                return Wait::Over;
            };
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
    }

    /// Starts processes that outlive the turn.
    fn fork(&self, command: &str, count: usize) {
        for _ in 0..count.min(4) {
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if let Ok(child) = shell.spawn() {
                note_process(&self.directory, child.id());
            }
        }
    }
}
