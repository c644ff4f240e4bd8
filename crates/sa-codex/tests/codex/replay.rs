//! Recorded conversations with the real app-server, played to the machine. Lines of the recording's program become
//! requests of a client; lines of the app-server go in as they are. The output, to both sides, is in the
//! snapshots.

use crate::client::{Client, host, models};
use sa_acp::testing::{Log, describe, recordings, shorten};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs;

struct Replay {
    client: Client,
    /// The ids of this run's requests to the app-server, by those of the recording.
    requests: HashMap<u64, Value>,
    /// Requests to the client, by the id of the app-server's question that they stand for.
    open: BTreeMap<u64, Value>,
    /// The question of the app-server that is being read.
    asked: Option<u64>,
    log: Log,
}

/// Answers that every version gives: the recording's program did not ask, or not at that time.
fn by_itself(method: &str) -> Option<Value> {
    Some(match method {
        "skills/list" => json!({ "data": [] }),
        "thread/unsubscribe" => json!({ "status": "notLoaded" }),
        "thread/backgroundTerminals/clean" | "turn/interrupt" => json!({}),
        _ => return None,
    })
}

impl Replay {
    fn new() -> Self {
        let client = Client::greeted(host(), json!({ "elicitation": { "form": {} } }));
        let (requests, open) = (HashMap::new(), BTreeMap::new());
        Self { client, requests, open, asked: None, log: Log::default() }
    }

    fn play(mut self, recording: &str) -> String {
        for line in recording.lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            match entry["dir"].as_str().unwrap() {
                "->" => self.wrote(&entry["msg"]),
                "<-" => self.read(&entry["msg"]),
                _ => {}
            }
        }
        if !self.client.starts.is_empty() {
            let messages = self.client.exit(Some(1), None, "");
            self.tell("the process ends", &messages);
        }
        self.log.0
    }

    /// The recording's program wrote this.
    fn wrote(&mut self, line: &Value) {
        let params = &line["params"];
        let place = json!({ "cwd": "/project", "mcpServers": [] });
        let known = || json!({ "sessionId": params["threadId"], "cwd": "/project", "mcpServers": [] });
        let (method, call) = match line["method"].as_str() {
            Some("thread/start") => ("session/new", place),
            Some("thread/resume") => ("session/load", known()),
            Some("thread/fork") => ("session/fork", known()),
            Some("thread/list") => ("session/list", json!({})),
            Some("thread/delete") => ("session/delete", json!({ "sessionId": params["threadId"] })),
            Some("turn/start") => ("session/prompt", prompt(params)),
            Some("thread/compact/start") => {
                let params = json!({ "threadId": params["threadId"], "input": [{ "type": "text", "text": "/compact" }] });
                ("session/prompt", prompt(&params))
            }
            Some("turn/interrupt") => {
                let messages =
                    self.client.notify("session/cancel", json!({ "sessionId": params["threadId"] }));
                return self.tell("session/cancel", &messages);
            }
            None if line.get("id").is_some() => return self.decided(line),
            _ => return,
        };
        let messages = self.client.call(method, call);
        self.tell(method, &messages);
        if self.client.awaits("initialize") {
            let messages = self.client.shake_hands();
            self.tell("", &messages);
        }
        let native = line["method"].as_str().unwrap();
        let request = self.client.peer.open.iter().rev().find(|request| request["method"] == native);
        if let (Some(request), Some(theirs)) = (request, line["id"].as_u64()) {
            self.requests.insert(theirs, request["id"].clone());
        }
    }

    /// The recording's program answered a question: the client answers what it was asked.
    fn decided(&mut self, line: &Value) {
        let Some(request) = line["id"].as_u64().and_then(|id| self.open.remove(&id)) else { return };
        let result = &line["result"];
        let messages = if request["method"] == "elicitation/create" {
            let given = match (&result["answers"], &result["content"]) {
                (Value::Object(answers), _) if answers.is_empty() => json!({ "action": "decline" }),
                (Value::Object(answers), _) => {
                    let content: Value = answers
                        .values()
                        .enumerate()
                        .map(|(index, words)| {
                            (format!("question_{}_custom", index + 1), words["answers"][0].clone())
                        })
                        .collect();
                    json!({ "action": "accept", "content": content })
                }
                (_, content) => json!({ "action": result["action"], "content": content }),
            };
            self.client.answer(&request, given)
        } else {
            let option =
                match (result["decision"].as_str(), result["action"].as_str(), result.get("permissions")) {
                    (Some("accept"), ..) | (_, Some("accept"), _) => Some("allow_once"),
                    (Some("acceptForSession"), ..) => Some("allow_always"),
                    (Some("cancel"), ..) | (_, Some("cancel"), _) => None,
                    (_, _, Some(_)) => Some("allow_once"),
                    _ => Some("reject_once"),
                };
            match option {
                Some(option) => self.client.choose(&request, option),
                None => self.client.answer(&request, json!({ "outcome": { "outcome": "cancelled" } })),
            }
        };
        self.tell("the client answers", &messages);
    }

    /// The app-server wrote this.
    fn read(&mut self, line: &Value) {
        if self.client.starts.is_empty() {
            return;
        }
        let mut line = line.clone();
        self.asked = None;
        if line["method"].is_null() {
            let Some(ours) = line["id"].as_u64().and_then(|id| self.requests.remove(&id)) else { return };
            self.client.peer.open.retain(|request| request["id"] != ours);
            line["id"] = ours;
        } else {
            self.asked = line.get("id").and_then(Value::as_u64);
        }
        let is_held = line["error"]["message"].as_str().is_some_and(|words| words.contains("active writer"));
        let mut messages = self.client.native(&line);
        self.tell("", &messages);
        self.asked = None;
        while is_held && messages.is_empty() {
            // The thread stays where it is, whenever it is asked for.
            self.client.wait(100);
            messages = self.client.refuse("thread/resume", line["error"]["message"].as_str().unwrap());
            self.client.written();
            self.tell("", &messages);
        }
    }

    /// Answers requests that the recording does not have, as that version would.
    fn answer_own(&mut self) {
        while let Some(request) = self
            .client
            .peer
            .open
            .iter()
            .find(|request| by_itself(request["method"].as_str().unwrap()).is_some())
        {
            let method = request["method"].as_str().unwrap().to_owned();
            let messages = self.client.respond(&method, by_itself(&method).unwrap());
            self.note(&messages);
        }
    }

    fn tell(&mut self, title: &str, messages: &[Value]) {
        self.log.title(title);
        self.note(messages);
        self.answer_own();
    }

    fn note(&mut self, messages: &[Value]) {
        for message in messages {
            if message["method"].is_string() && message.get("id").is_some() {
                let theirs = self.asked.unwrap_or(u64::MAX);
                self.open.insert(theirs, message.clone());
            }
            self.log.said(&describe(message));
        }
        let usual =
            ["initialize", "initialized", "account/login/start", "model/list", "command/exec", "skills/list"];
        for line in self.client.written() {
            let what = match line["method"].as_str() {
                Some(method) if usual.contains(&method) => continue,
                Some(method) => format!("{method} {}", shorten(&line["params"].to_string())),
                None => format!("answer {line}"),
            };
            self.log.wrote(&what);
        }
    }
}

fn prompt(params: &Value) -> Value {
    let block = |part: &Value| match part["type"].as_str() {
        Some("text") => Some(json!({ "type": "text", "text": part["text"] })),
        Some("image") => {
            let (kind, data) = part["url"].as_str()?.strip_prefix("data:")?.split_once(";base64,")?;
            Some(json!({ "type": "image", "mimeType": kind, "data": data }))
        }
        _ => Some(json!({ "type": "text", "text": part.to_string() })),
    };
    let input = params["input"].as_array().map(Vec::as_slice).unwrap_or_default();
    let blocks: Vec<_> = input.iter().filter_map(block).collect();
    json!({ "sessionId": params["threadId"], "prompt": blocks })
}

#[test]
fn recordings_become_acp() {
    assert!(models()["data"].is_array());
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("snapshots/replay");
    settings.bind(|| {
        for file in recordings(env!("CARGO_MANIFEST_DIR"), "captures") {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let log = Replay::new().play(&fs::read_to_string(&file).unwrap());
            insta::assert_snapshot!(name, log);
        }
    });
}
