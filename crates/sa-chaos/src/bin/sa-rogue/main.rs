//! `sa-rogue`: an ACP agent that breaks rules on request, for sessions under test.
//!
//! A prompt is a script, one command in each line. Processes that it starts, and it itself, are written to the file `pids` of the
//! session's directory, so that a test can see what outlives a session.

mod script;
mod wire;

use script::Turn;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// State that turns share with the reader of the input.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Sessions whose turn is to end.
    cancelled: BTreeSet<String>,
    /// Answers to requests of this agent that were not taken yet.
    answers: HashMap<String, Value>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state());
        self.changed.notify_all();
    }
}

fn main() {
    let shared = Arc::new(Shared::default());
    let mut directories: HashMap<String, PathBuf> = HashMap::new();
    let mut sessions = 0;
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        let params = &message["params"];
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some("session/prompt") => {
                shared.change(|state| state.cancelled.retain(|one| *one != session));
                let directory = directories.get(&session).cloned().unwrap_or_default();
                let turn = Turn::new(&shared, session, directory, message.clone());
                std::thread::spawn(move || turn.run());
            }
            Some("session/cancel") => shared.change(|state| state.cancelled.extend([session])),
            Some(method) => {
                let cwd = || PathBuf::from(params["cwd"].as_str().unwrap_or_default());
                let result = match method {
                    "initialize" => json!({
                        "protocolVersion": 1,
                        "agentCapabilities": { "sessionCapabilities": { "resume": {}, "close": {} } },
                    }),
                    "session/new" => {
                        sessions += 1;
                        let id = format!("rogue-{}-{sessions}", std::process::id());
                        wire::note_process(&cwd(), std::process::id());
                        directories.insert(id.clone(), cwd());
                        json!({ "sessionId": id })
                    }
                    "session/resume" => {
                        wire::note_process(&cwd(), std::process::id());
                        directories.insert(session, cwd());
                        json!({})
                    }
                    _ => json!({}),
                };
                if !message["id"].is_null() {
                    wire::write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
                }
            }
            None => {
                let id = message["id"].as_str().unwrap_or_default().to_owned();
                shared.change(|state| state.answers.extend([(id, message.clone())]));
            }
        }
    }
}
