//! Recorded conversations with the real CLI, played to the machine. Lines of the recording's program become requests of a
//! client; lines of the CLI go in as they are. The output, to both sides, is in the snapshots.

use crate::client::{Client, SESSION};
use sa_acp::testing::{Log, describe, recordings, shorten};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;

struct Replay {
    client: Client,
    /// The ids of the recording's orders, by what they are in this run.
    orders: HashMap<String, String>,
    /// The ids of the recording's prompts, by what they are in this run.
    prompts: HashMap<String, String>,
    /// Requests that the client has not answered, by the id of the CLI's question.
    open: BTreeMap<u64, Value>,
    log: Log,
}

/// Requests of the recording's program that no client sends.
const SKIPPED: [&str; 12] = [
    "background_tasks",
    "end_session",
    "file_suggestions",
    "generate_session_title",
    "get_session_cost",
    "get_usage",
    "mcp_call",
    "mcp_set_servers",
    "nonsense",
    "read_file",
    "reload_skills",
    "rename_session",
];

impl Replay {
    fn new() -> Self {
        let client = Client::greeted(json!({ "elicitation": { "form": {} } }));
        let (orders, prompts) = (HashMap::new(), HashMap::new());
        Self { client, orders, prompts, open: BTreeMap::new(), log: Log::default() }
    }

    fn play(mut self, recording: &str) -> String {
        if !recording.contains(r#""subtype":"initialize""#) {
            self.client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
            self.client.shake_hands();
        }
        for line in recording.lines() {
            let entry: Value = serde_json::from_str(line).unwrap();
            match entry["dir"].as_str().unwrap() {
                "in" => self.wrote(&entry["line"]),
                "out" => self.read(&entry["line"]),
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
        match line["type"].as_str() {
            Some("control_request") => self.ordered(line),
            Some("user") => self.prompted(line),
            Some("control_response") => self.decided(&line["response"]),
            _ => {}
        }
    }

    fn ordered(&mut self, line: &Value) {
        let request = &line["request"];
        let subtype = request["subtype"].as_str().unwrap();
        let (title, messages) = match subtype {
            "initialize" if self.client.starts.is_empty() => {
                let messages =
                    self.client.call("session/new", json!({ "cwd": "/project", "mcpServers": [] }));
                ("session/new".to_owned(), messages)
            }
            "interrupt" => ("session/cancel".to_owned(), self.client.cancel()),
            "set_permission_mode" => {
                let params = json!({ "sessionId": SESSION, "modeId": request["mode"] });
                (
                    format!("session/set_mode {}", request["mode"]),
                    self.client.call("session/set_mode", params),
                )
            }
            "set_model" if request["model"].is_string() => {
                let params = json!({ "sessionId": SESSION, "modelId": request["model"] });
                (
                    format!("session/set_model {}", request["model"]),
                    self.client.call("session/set_model", params),
                )
            }
            _ => return,
        };
        self.tell(&title, &messages);
        if let Some((id, _)) =
            self.client.peer.orders.iter().rev().find(|(_, order)| order["subtype"] == subtype)
        {
            self.orders.insert(line["request_id"].as_str().unwrap().to_owned(), id.clone());
        }
    }

    fn prompted(&mut self, line: &Value) {
        let block = |block: &Value| match block["type"].as_str() {
            Some("image") => {
                let source = &block["source"];
                json!({ "type": "image", "mimeType": source["media_type"], "data": source["data"] })
            }
            _ => json!({ "type": "text", "text": block["text"] }),
        };
        let prompt = match &line["message"]["content"] {
            Value::String(text) => json!([{ "type": "text", "text": text }]),
            Value::Array(blocks) => blocks.iter().map(block).collect(),
            _ => return,
        };
        let messages = self.client.call("session/prompt", json!({ "sessionId": SESSION, "prompt": prompt }));
        let written = self.client.written();
        let uuid =
            written.iter().find(|line| line["type"] == "user").map(|line| line["uuid"].as_str().unwrap());
        if let (Some(theirs), Some(ours)) = (line["uuid"].as_str(), uuid) {
            self.prompts.insert(theirs.to_owned(), ours.to_owned());
        }
        self.tell("session/prompt", &messages);
        self.tell_written(&written);
    }

    /// The recording's program answered a question: the client answers the oldest that it was asked.
    fn decided(&mut self, response: &Value) {
        let Some((_, request)) = self.open.pop_first() else { return };
        let answer = &response["response"];
        let messages = if request["method"] == "elicitation/create" {
            let result = match answer["behavior"].as_str() {
                Some("allow") => {
                    let answers = answer["updatedInput"]["answers"].as_object().cloned().unwrap_or_default();
                    let content: Value = answers
                        .values()
                        .enumerate()
                        .map(|(index, value)| (format!("question_{}_custom", index + 1), value.clone()))
                        .collect();
                    json!({ "action": "accept", "content": content })
                }
                _ => json!({ "action": "decline" }),
            };
            self.client.answer(&request, result)
        } else {
            let mode = answer["updatedPermissions"][0]["mode"].as_str();
            let option = match (answer["behavior"].as_str(), answer["interrupt"].as_bool()) {
                (_, Some(true)) | (None, _) => None,
                (Some("allow"), _) if request["params"]["toolCall"]["name"] == "ExitPlanMode" => {
                    Some(mode.unwrap_or("default"))
                }
                (Some("allow"), _) if !answer["updatedPermissions"].is_null() => Some("allow_always"),
                (Some("allow"), _) => Some("allow_once"),
                _ if request["params"]["toolCall"]["name"] == "ExitPlanMode" => Some("plan"),
                _ => Some("reject_once"),
            };
            match option {
                Some(option) => self.client.choose(&request, option),
                None => self.client.answer(&request, json!({ "outcome": { "outcome": "cancelled" } })),
            }
        };
        self.tell("the client answers", &messages);
    }

    /// The CLI wrote this.
    fn read(&mut self, line: &Value) {
        let mut text = line.to_string();
        if line["type"] == "control_response" {
            let theirs = line["response"]["request_id"].as_str().unwrap_or_default();
            let Some(ours) = self.orders.remove(theirs) else { return };
            text = text.replace(theirs, &ours);
            self.client.peer.orders.retain(|(id, _)| *id != ours);
        }
        for (theirs, ours) in &self.prompts {
            text = text.replace(theirs, ours);
        }
        let messages = self.client.native_text(&text);
        self.tell("", &messages);
        self.answer_orders();
    }

    /// Answers requests that the recording does not have, as that version would.
    fn answer_orders(&mut self) {
        let known: Vec<_> = self.orders.values().cloned().collect();
        let open: Vec<_> =
            self.client.peer.orders.iter().filter(|(id, _)| !known.contains(id)).cloned().collect();
        for (_, order) in open {
            let subtype = order["subtype"].as_str().unwrap().to_owned();
            let response = match subtype.as_str() {
                "get_binary_version" => json!({ "version": "2.1.197" }),
                "get_context_usage" => json!({ "maxTokens": 200_000 }),
                _ => Value::Null,
            };
            let messages = self.client.respond(&subtype, response);
            self.tell("", &messages);
        }
    }

    fn tell(&mut self, title: &str, messages: &[Value]) {
        self.log.title(title);
        for message in messages {
            if message["method"].is_string() && message.get("id").is_some() {
                self.open.insert(message["id"].as_u64().unwrap(), message.clone());
            }
            let mut line = describe(message);
            if let Some(commands) = message["params"]["update"]["availableCommands"].as_array() {
                write!(line, " {} commands", commands.len()).unwrap();
            }
            self.log.said(&line);
        }
        let written = self.client.written();
        self.tell_written(&written);
    }

    fn tell_written(&mut self, lines: &[Value]) {
        for line in lines {
            let what = match line["type"].as_str().unwrap() {
                "control_request" => {
                    let subtype = line["request"]["subtype"].as_str().unwrap();
                    assert!(!SKIPPED.contains(&subtype), "{line}");
                    subtype.to_owned()
                }
                "control_response" => format!("answer {}", line["response"]),
                other => format!("{other} {}", shorten(&line["message"]["content"].to_string())),
            };
            self.log.wrote(&what);
        }
    }
}

#[test]
fn recordings_become_acp() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    for (folder, snapshots) in [("captures", "replay"), ("captures-2.1.325", "replay-2.1.325")] {
        settings.set_snapshot_path(format!("snapshots/{snapshots}"));
        settings.bind(|| {
            for file in recordings(env!("CARGO_MANIFEST_DIR"), folder) {
                let name = file.file_stem().unwrap().to_str().unwrap();
                let log = Replay::new().play(&fs::read_to_string(&file).unwrap());
                insta::assert_snapshot!(name, log);
            }
        });
    }
}
