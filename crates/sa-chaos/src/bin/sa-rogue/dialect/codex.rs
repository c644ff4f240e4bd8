//! The lines of `codex app-server`.

use super::{Dialect, Ending, Incoming, Prompt, Voice, text_of};
use crate::wire::{note_process, serial, write};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;

/// The command that is asked about.
const COMMAND: &str = "touch notes.txt";

#[derive(Default)]
pub(super) struct Codex {
    directories: HashMap<String, PathBuf>,
}

impl Dialect for Codex {
    fn read(&mut self, message: &Value) -> Incoming {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str() else { return Incoming::Answer(id.to_string()) };
        let thread = params["threadId"].as_str().unwrap_or_default().to_owned();
        let reply = |result: Value| {
            if !id.is_null() {
                write(&json!({ "id": id, "result": result }));
            }
        };
        match method {
            "initialize" => reply(json!({ "userAgent": "rogue/0.166.0 (rogue)" })),
            "command/exec" => reply(json!({ "exitCode": 0 })),
            "model/list" | "skills/list" | "thread/list" => reply(json!({ "data": [] })),
            "thread/start" | "thread/fork" => {
                let thread = format!("thread-{}-{}", std::process::id(), serial());
                reply(self.enter(thread, params));
            }
            "thread/resume" => reply(self.enter(thread, params)),
            "turn/start" => {
                let turn = format!("turn-{}-{}", std::process::id(), serial());
                reply(json!({ "turn": { "id": turn, "items": [], "status": "inProgress" } }));
                let directory = self.directories.get(&thread).cloned().unwrap_or_default();
                let voice = CodexTurn { thread: thread.clone(), turn, open: None, call: None };
                let (text, voice) = (text_of(&params["input"]), Box::new(voice));
                return Incoming::Prompt(Prompt { session: thread, directory, text, voice });
            }
            "turn/interrupt" => {
                reply(json!({}));
                return Incoming::Cancel(thread);
            }
            _ => reply(json!({})),
        }
        Incoming::Handled
    }
}

impl Codex {
    fn enter(&mut self, thread: String, params: &Value) -> Value {
        let directory = PathBuf::from(params["cwd"].as_str().unwrap_or_default());
        note_process(&directory, std::process::id());
        let result = json!({ "thread": { "id": thread, "cwd": directory, "turns": [] }, "model": "rogue" });
        self.directories.insert(thread, directory);
        result
    }
}

struct CodexTurn {
    thread: String,
    turn: String,
    /// The message that is being streamed, and its text so far.
    open: Option<(String, String)>,
    /// The command that asks.
    call: Option<String>,
}

impl CodexTurn {
    fn notify(&self, method: &str, mut params: Value) {
        params["threadId"] = json!(self.thread);
        params["turnId"] = json!(self.turn);
        write(&json!({ "method": method, "params": params }));
    }

    fn turn(&self, status: &str) -> Value {
        json!({ "turn": { "id": self.turn, "items": [], "status": status, "error": null } })
    }

    fn command(id: &str, status: &str) -> Value {
        json!({ "item": { "type": "commandExecution", "id": id, "command": COMMAND, "status": status } })
    }

    /// Sends the whole of a message that was streamed.
    fn complete_text(&mut self) {
        if let Some((id, text)) = self.open.take() {
            let item = json!({ "type": "agentMessage", "id": id, "text": text });
            self.notify("item/completed", json!({ "item": item }));
        }
    }
}

impl Voice for CodexTurn {
    fn begin(&mut self) {
        self.notify("turn/started", self.turn("inProgress"));
    }

    fn say(&mut self, text: &str) {
        let fresh = || (format!("msg-{}-{}", std::process::id(), serial()), String::new());
        let (id, said) = self.open.get_or_insert_with(fresh);
        said.push_str(text);
        let params = json!({ "itemId": id, "delta": text });
        self.notify("item/agentMessage/delta", params);
    }

    fn ask(&mut self) -> String {
        self.complete_text();
        let (id, call) = (serial(), format!("call-{}-{}", std::process::id(), serial()));
        self.notify("item/started", Self::command(&call, "inProgress"));
        let params = json!({
            "threadId": self.thread, "turnId": self.turn, "itemId": call, "command": COMMAND,
            "commandActions": [{ "type": "unknown", "command": COMMAND }],
        });
        write(&json!({ "id": id, "method": "item/commandExecution/requestApproval", "params": params }));
        self.call = Some(call);
        id.to_string()
    }

    fn ran(&mut self) {
        if let Some(call) = self.call.take() {
            self.notify("item/completed", Self::command(&call, "completed"));
        }
    }

    fn withdraw(&mut self, id: &str) {
        let id: u64 = id.parse().unwrap_or_default();
        self.notify("serverRequest/resolved", json!({ "requestId": id }));
        self.ran();
    }

    fn speak_of_nobody(&mut self) {
        let params = json!({ "threadId": "nobody", "turnId": "nobody", "itemId": "x", "delta": "x" });
        write(&json!({ "method": "item/agentMessage/delta", "params": params }));
    }

    fn end(&mut self, ending: Ending) {
        self.complete_text();
        let status = match ending {
            Ending::Completed => "completed",
            Ending::Cancelled => "interrupted",
        };
        self.notify("turn/completed", self.turn(status));
        self.notify("thread/status/changed", json!({ "status": { "type": "idle" } }));
    }
}
