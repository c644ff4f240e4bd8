//! The Agent Client Protocol.

use super::{Dialect, Ending, Incoming, Prompt, Voice, text_of};
use crate::wire::{note_process, serial, write};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;

#[derive(Default)]
pub(super) struct Acp {
    directories: HashMap<String, PathBuf>,
    sessions: usize,
}

impl Dialect for Acp {
    fn read(&mut self, message: &Value) -> Incoming {
        let params = &message["params"];
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let Some(method) = message["method"].as_str() else {
            return Incoming::Answer(message["id"].as_str().unwrap_or_default().to_owned());
        };
        let result = match method {
            "session/prompt" => {
                let directory = self.directories.get(&session).cloned().unwrap_or_default();
                let said = format!("rogue-{}-{}", std::process::id(), serial());
                let voice =
                    AcpTurn { session: session.clone(), prompt: message["id"].clone(), message: said };
                let (text, voice) = (text_of(&params["prompt"]), Box::new(voice));
                return Incoming::Prompt(Prompt { session, directory, text, voice });
            }
            "session/cancel" => return Incoming::Cancel(session),
            "initialize" => json!({
                "protocolVersion": 1,
                "agentCapabilities": { "sessionCapabilities": { "resume": {}, "close": {} } },
            }),
            "session/new" => {
                self.sessions += 1;
                let id = format!("rogue-{}-{}", std::process::id(), self.sessions);
                self.enter(id.clone(), params);
                json!({ "sessionId": id })
            }
            "session/resume" => {
                self.enter(session, params);
                json!({})
            }
            _ => json!({}),
        };
        if !message["id"].is_null() {
            write(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }));
        }
        Incoming::Handled
    }
}

impl Acp {
    fn enter(&mut self, session: String, params: &Value) {
        let directory = PathBuf::from(params["cwd"].as_str().unwrap_or_default());
        note_process(&directory, std::process::id());
        self.directories.insert(session, directory);
    }
}

struct AcpTurn {
    session: String,
    /// The id of the request.
    prompt: Value,
    /// The id of what is said.
    message: String,
}

impl AcpTurn {
    fn update(session: &str, message: &str, text: &str) {
        let content = json!({ "type": "text", "text": text });
        let update =
            json!({ "sessionUpdate": "agent_message_chunk", "messageId": message, "content": content });
        let params = json!({ "sessionId": session, "update": update });
        write(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }));
    }
}

impl Voice for AcpTurn {
    fn say(&mut self, text: &str) {
        Self::update(&self.session, &self.message, text);
    }

    fn ask(&mut self) -> String {
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

    fn withdraw(&mut self, id: &str) {
        write(&json!({ "jsonrpc": "2.0", "method": "$/cancel_request", "params": { "requestId": id } }));
    }

    fn speak_of_nobody(&mut self) {
        Self::update("nobody", "x", "x");
    }

    fn end(&mut self, ending: Ending) {
        let reason = match ending {
            Ending::Completed => "end_turn",
            Ending::Cancelled => "cancelled",
        };
        write(&json!({ "jsonrpc": "2.0", "id": self.prompt, "result": { "stopReason": reason } }));
    }
}
