//! The lines of Claude Code between `--input-format stream-json` and `--output-format stream-json`.

use super::{Dialect, Ending, Incoming, Prompt, Voice, text_of};
use crate::wire::{note_process, serial, write};
use serde_json::{Value, json};

/// A process has one conversation.
const SESSION: &str = "conversation";

/// The command that is asked about.
const COMMAND: &str = "touch notes.txt";

pub(super) struct Claude;

impl Claude {
    pub(super) fn start() -> Self {
        note_process(&std::env::current_dir().unwrap_or_default(), std::process::id());
        Self
    }
}

impl Dialect for Claude {
    fn read(&mut self, message: &Value) -> Incoming {
        match message["type"].as_str() {
            Some("user") => {
                let content = &message["message"]["content"];
                let text = content.as_str().map_or_else(|| text_of(content), str::to_owned);
                let voice = ClaudeTurn { prompt: message.clone(), ..ClaudeTurn::default() };
                Incoming::Prompt(Prompt {
                    session: SESSION.to_owned(),
                    directory: std::env::current_dir().unwrap_or_default(),
                    text,
                    voice: Box::new(voice),
                })
            }
            Some("control_request") => {
                let (id, kind) = (&message["request_id"], message["request"]["subtype"].as_str());
                let answer = match kind {
                    Some("initialize") => {
                        json!({ "claude_code_version": "2.1.325", "account": { "apiKeySource": "rogue" } })
                    }
                    _ => json!({}),
                };
                let response = json!({ "subtype": "success", "request_id": id, "response": answer });
                write(&json!({ "type": "control_response", "response": response }));
                match kind {
                    Some("interrupt") => Incoming::Cancel(SESSION.to_owned()),
                    _ => Incoming::Handled,
                }
            }
            Some("control_response") => {
                let id = message["response"]["request_id"].as_str().unwrap_or_default();
                Incoming::Answer(id.to_owned())
            }
            _ => Incoming::Handled,
        }
    }
}

#[derive(Default)]
struct ClaudeTurn {
    prompt: Value,
    /// The message that is being streamed, and its text so far.
    open: Option<(String, String)>,
    /// The call that asks.
    call: Option<String>,
}

impl ClaudeTurn {
    fn state(state: &str) {
        write(&json!({ "type": "system", "subtype": "session_state_changed", "state": state }));
    }

    fn stream(event: &Value) {
        write(&json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null }));
    }

    fn complete(id: &str, content: &Value) {
        let message = json!({ "id": id, "role": "assistant", "model": "rogue", "content": [content] });
        write(&json!({ "type": "assistant", "message": message, "parent_tool_use_id": null }));
        Self::stream(&json!({ "type": "content_block_stop", "index": 0 }));
        Self::stream(&json!({ "type": "message_stop" }));
    }

    fn begin_message(content: &Value) -> String {
        let id = format!("msg-{}-{}", std::process::id(), serial());
        let message = json!({ "id": id, "role": "assistant", "model": "rogue", "content": [] });
        Self::stream(&json!({ "type": "message_start", "message": message }));
        Self::stream(&json!({ "type": "content_block_start", "index": 0, "content_block": content }));
        id
    }

    /// Sends the whole of a message that was streamed.
    fn complete_text(&mut self) {
        if let Some((id, text)) = self.open.take() {
            Self::complete(&id, &json!({ "type": "text", "text": text }));
        }
    }
}

impl Voice for ClaudeTurn {
    fn begin(&mut self) {
        Self::state("running");
        let mut echo = self.prompt.clone();
        echo["isReplay"] = json!(true);
        write(&echo);
    }

    fn say(&mut self, text: &str) {
        let (_, said) = self.open.get_or_insert_with(|| {
            (Self::begin_message(&json!({ "type": "text", "text": "" })), String::new())
        });
        said.push_str(text);
        let delta = json!({ "type": "text_delta", "text": text });
        Self::stream(&json!({ "type": "content_block_delta", "index": 0, "delta": delta }));
    }

    fn ask(&mut self) -> String {
        self.complete_text();
        let (id, call) = (
            format!("ask-{}-{}", std::process::id(), serial()),
            format!("toolu_{}_{}", std::process::id(), serial()),
        );
        let input = json!({ "command": COMMAND, "description": id });
        let mut block = json!({ "type": "tool_use", "id": call, "name": "Bash", "input": {} });
        let message = Self::begin_message(&block);
        block["input"] = input.clone();
        Self::complete(&message, &block);
        Self::state("requires_action");
        let request =
            json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": input, "tool_use_id": call });
        write(&json!({ "type": "control_request", "request_id": id, "request": request }));
        self.call = Some(call);
        id
    }

    fn ran(&mut self) {
        let Some(call) = self.call.take() else { return };
        Self::state("running");
        let result =
            json!({ "type": "tool_result", "tool_use_id": call, "content": "done", "is_error": false });
        let message = json!({ "role": "user", "content": [result] });
        write(&json!({ "type": "user", "message": message, "parent_tool_use_id": null }));
    }

    fn withdraw(&mut self, id: &str) {
        write(&json!({ "type": "control_cancel_request", "request_id": id }));
        self.ran();
    }

    fn speak_of_nobody(&mut self) {
        write(&json!({ "type": "rogue", "session_id": "nobody" }));
    }

    fn end(&mut self, ending: Ending) {
        self.complete_text();
        let (subtype, reason) = match ending {
            Ending::Completed => ("success", "completed"),
            Ending::Cancelled => ("error_during_execution", "aborted_tools"),
        };
        write(&json!({
            "type": "result", "subtype": subtype, "terminal_reason": reason, "is_error": false,
            "result": "", "stop_reason": "end_turn", "user_message_uuids": [self.prompt["uuid"]],
        }));
        Self::state("idle");
    }
}
