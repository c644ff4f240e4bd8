//! Lines of the CLI: what the model says and thinks, in whole messages, what it calls, and what comes of it.

use super::Session;
use crate::core::Core;
use crate::limits::LULL;
use agent_client_protocol_schema::v1::{SessionUpdate, StopReason, ToolCallStatus, UsageUpdate};
use sa_acp::{ChunkKind, ModelTokens, clipped};
use serde::Deserialize;
use serde_json::{Value, json};

impl Session {
    pub(super) fn on_stream_line(&mut self, core: &mut Core, line: &[u8]) {
        if let Some(turn) = &mut self.turn {
            turn.lull = None;
        }
        let read: Value = serde_json::from_slice(line).unwrap_or_default();
        match read["type"].as_str() {
            Some("system") => self.on_system(core, &read["mcp_servers"]),
            Some("user") if read["message"].is_object() => self.on_results(core, &read["message"]),
            Some("assistant") if is_message(&read) => self.on_assistant(core, &read),
            Some("result") => self.on_result(core, &read),
            _ => self.unknown(core, &String::from_utf8_lossy(line)),
        }
    }

    /// Reports an unknown line. A process that cannot continue says why in plain text.
    pub(super) fn unknown(&mut self, core: &mut Core, line: &str) {
        self.unknown_lines += 1;
        if let Some(child) = &mut self.child
            && !line.starts_with('{')
        {
            child.complaint.get_or_insert_with(|| line.to_owned());
            if line.contains("No API key found") {
                // It would wait for somebody to log in.
                child.hurry(&mut core.io.processes, core.host.limits.drain);
            }
        }
        let kept = clipped(line);
        core.io.client.remark(
            &self.conversation.id,
            "unparsed",
            json!({ "number": self.unknown_lines, "line": kept }),
        );
    }

    fn on_system(&self, core: &mut Core, servers: &Value) {
        let status = |server: &Value| json!({ "name": server["name"], "status": server["status"] });
        let servers: Vec<_> = servers.as_array().into_iter().flatten().map(status).collect();
        if !servers.is_empty() {
            core.io.client.remark(&self.conversation.id, "mcp", json!(servers));
        }
    }

    /// The results that a line brings. The echo of a prompt is nothing new.
    fn on_results(&mut self, core: &mut Core, message: &Value) {
        for block in message["content"].as_array().into_iter().flatten() {
            let Some(id) = block["tool_use_id"].as_str().filter(|_| block["type"] == "tool_result") else {
                continue;
            };
            let is_error = block["is_error"] == true;
            let status = if is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
            self.tool_done(core, id, &block["content"], status);
        }
    }

    /// Handles a complete message of the model. That of a sub-agent names the call that it is a part of.
    fn on_assistant(&mut self, core: &mut Core, line: &Value) {
        let (message, parent) = (&line["message"], line["parent_tool_use_id"].as_str());
        self.messages += 1;
        let content = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let calls = content.iter().any(|block| block["type"] == "tool_use");
        for block in content {
            let text = |name: &str| block[name].as_str().unwrap_or_default();
            match text("type") {
                "text" if parent.is_none() => self.say(core, ChunkKind::Message, text("text")),
                "thinking" if parent.is_none() => self.say(core, ChunkKind::Thought, text("thinking")),
                "tool_use" if !text("id").is_empty() => {
                    self.tool_called(core, text("id"), text("name"), &block["input"], parent)
                }
                _ => {}
            }
        }
        if parent.is_some() {
            return;
        }
        self.meter(core, &message["usage"]);
        let reason = match message["stop_reason"].as_str() {
            None if !calls => {
                let until = core.io.now.elapsed + LULL;
                if let Some(turn) = &mut self.turn {
                    turn.lull = Some(until);
                }
                return;
            }
            None | Some("tool_use" | "pause_turn") => return,
            Some("max_tokens") => StopReason::MaxTokens,
            Some("refusal") => StopReason::Refusal,
            Some(_) => StopReason::EndTurn,
        };
        self.turn_ended(core, reason);
    }

    fn say(&self, core: &mut Core, kind: ChunkKind, text: &str) {
        core.io.client.say(
            &self.conversation.id,
            kind,
            &format!("{}-{}", self.conversation.id, self.messages),
            text,
        );
    }

    /// Counts the tokens of a message, and reports the size of the context.
    fn meter(&mut self, core: &mut Core, usage: &Value) {
        let Ok(used) = ModelTokens::deserialize(usage) else { return };
        if let Some(turn) = &mut self.turn {
            turn.tokens.add(used);
        }
        if let Some((size, used)) = usage["max_tokens"].as_u64().zip(used.total()) {
            let update = SessionUpdate::UsageUpdate(UsageUpdate::new(used, size));
            self.conversation.update(&mut core.io.client, &update);
        }
    }
}

/// Returns whether a message of the model has the known shape. Another one is reported, as guessing could end a turn that still
/// runs.
fn is_message(line: &Value) -> bool {
    let is_text = |value: &Value| value.is_null() || value.is_string();
    let message = &line["message"];
    message["content"].is_array() && is_text(&message["stop_reason"]) && is_text(&line["parent_tool_use_id"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_of_the_known_shape_are_read() {
        assert!(is_message(&json!({ "message": { "content": [] }, "parent_tool_use_id": null })));
        for line in [
            json!({}),
            json!({ "message": { "content": "Hello", "stop_reason": "end_turn" } }),
            json!({ "message": { "content": { "type": "tool_use" } } }),
            json!({ "message": { "content": [], "stop_reason": 1 } }),
            json!({ "message": { "content": [], "stop_reason": "end_turn" }, "parent_tool_use_id": 7 }),
        ] {
            assert!(!is_message(&line), "{line}");
        }
    }
}
