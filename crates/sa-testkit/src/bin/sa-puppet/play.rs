//! `--play FILE`: an ACP agent that follows a script.
//!
//! The file is an object of lists of steps. A key is a method, or `answer <id>` for an answer to a request of the puppet's.
//! The first message of a key takes the first step of its list, the second the second, and the last step stays. Without a list,
//! requests get a plain answer. Every message that arrives is appended to `FILE.log`, which also counts them: a process that is
//! started later continues where the one before stopped.

use crate::wire;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;

/// The reaction to a message.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Step {
    /// Written before the answer.
    first: Vec<Value>,
    result: Option<Value>,
    error: Option<Value>,
    /// The request is not answered here.
    hold: bool,
    /// Written after the answer.
    then: Vec<Value>,
    /// The process ends with this code.
    exit: Option<i32>,
}

/// A script, and where in it the agent is.
pub(crate) struct Play {
    steps: HashMap<String, Vec<Value>>,
    journal: PathBuf,
    /// The newest request of each method.
    requests: HashMap<String, Value>,
}

impl Play {
    pub(crate) fn read(path: &PathBuf) -> io::Result<Self> {
        let steps = serde_json::from_slice(&fs::read(path)?)?;
        let journal = path.with_extension("log");
        Ok(Self { steps, journal, requests: HashMap::new() })
    }

    pub(crate) fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let message: Value = serde_json::from_slice(line)?;
        let key = match message["method"].as_str() {
            Some(method) => method.to_owned(),
            None => format!("answer {}", message["id"].as_str().unwrap_or_default()),
        };
        let count = self.note(&key, &message)?;
        if !message["id"].is_null() {
            self.requests.insert(key.clone(), message["id"].clone());
        }
        let steps = self.steps.get(&key).map(Vec::as_slice).unwrap_or_default();
        let step = steps.get(count.min(steps.len().saturating_sub(1))).cloned();
        let step: Step = step.map_or_else(|| Ok(Step::default()), serde_json::from_value)?;
        self.perform(step, &key, count, &message);
        Ok(())
    }

    /// Appends a message to the journal; returns how many of its key came before.
    fn note(&self, key: &str, message: &Value) -> io::Result<usize> {
        let before = fs::read_to_string(&self.journal).unwrap_or_default();
        let entries = before.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let count = entries.filter(|entry| entry["key"] == key).count();
        let entry = json!({ "key": key, "pid": std::process::id(), "message": message });
        let mut journal = File::options().create(true).append(true).open(&self.journal)?;
        journal.write_all(format!("{entry}\n").as_bytes())?;
        Ok(count)
    }

    fn perform(&self, step: Step, key: &str, count: usize, message: &Value) {
        let asks = !message["method"].is_null() && !message["id"].is_null();
        self.write(&step.first, message);
        if asks && !step.hold {
            let mut answer = json!({ "jsonrpc": "2.0", "id": message["id"] });
            match step.error {
                Some(error) => answer["error"] = self.filled(&error, message),
                None => {
                    let result = step.result.unwrap_or_else(|| plain(key, count));
                    answer["result"] = self.filled(&result, message);
                }
            }
            wire::write(format!("{answer}\n").as_bytes());
        }
        self.write(&step.then, message);
        if let Some(code) = step.exit {
            std::process::exit(code);
        }
    }

    fn write(&self, messages: &[Value], cause: &Value) {
        for message in messages {
            let mut message = self.filled(message, cause);
            message["jsonrpc"] = json!("2.0");
            wire::write(format!("{message}\n").as_bytes());
        }
    }

    /// Puts in place of `$session` the session of the message that led here, and of `$id <method>` the id of the newest request.
    fn filled(&self, value: &Value, cause: &Value) -> Value {
        match value {
            Value::String(text) if text == "$session" => cause["params"]["sessionId"].clone(),
            Value::String(text) => match text.strip_prefix("$id ") {
                Some(method) => self.requests.get(method).cloned().unwrap_or_default(),
                None => value.clone(),
            },
            Value::Array(list) => list.iter().map(|item| self.filled(item, cause)).collect(),
            Value::Object(members) => {
                let filled = members.iter().map(|(name, member)| (name.clone(), self.filled(member, cause)));
                Value::Object(filled.collect::<Map<_, _>>())
            }
            other => other.clone(),
        }
    }
}

/// Returns the answer to a request that the script says nothing of.
fn plain(method: &str, count: usize) -> Value {
    match method {
        "initialize" => json!({
            "protocolVersion": 1,
            "agentCapabilities": { "sessionCapabilities": { "resume": {}, "close": {}, "delete": {} } },
        }),
        "session/new" => json!({ "sessionId": format!("native-{}", count + 1) }),
        "session/prompt" => json!({ "stopReason": "end_turn" }),
        _ => json!({}),
    }
}
