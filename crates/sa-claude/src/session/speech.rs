//! Messages and thoughts of the model, streamed or in complete blocks.

use super::Session;
use crate::core::Core;
use sa_acp::{ChunkKind, ModelTokens};
use serde::Deserialize;
use serde_json::Value;

/// A block of what the model says or does.
enum Block<'a> {
    Text(ChunkKind, &'a str),
    ToolUse { id: &'a str, name: &'a str },
    Other,
}

impl<'a> Block<'a> {
    /// Reads a block, or a piece of one.
    fn read(block: &'a Value) -> Self {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match text("type") {
            "text" | "text_delta" => Self::Text(ChunkKind::Message, text("text")),
            "thinking" | "thinking_delta" => Self::Text(ChunkKind::Thought, text("thinking")),
            "tool_use" | "server_tool_use" | "mcp_tool_use" if !text("id").is_empty() => {
                Self::ToolUse { id: text("id"), name: text("name") }
            }
            _ => Self::Other,
        }
    }
}

impl Session {
    /// Takes an event of the model's stream.
    pub(super) fn on_stream(&mut self, core: &mut Core, frame: &Value) {
        if frame["parent_tool_use_id"].is_string() {
            return;
        }
        let event = &frame["event"];
        let tokens = |usage: &Value| ModelTokens::deserialize(usage).ok();
        let part = match event["type"].as_str() {
            Some("message_start") => {
                let message = &event["message"];
                self.meter.began(message["model"].as_str().map(str::to_owned), tokens(&message["usage"]));
                return self.stream.begin(message["id"].as_str().unwrap_or_default().to_owned());
            }
            Some("message_delta") => return self.meter_message(core, tokens(&event["usage"])),
            Some("content_block_start") => &event["content_block"],
            Some("content_block_delta") => &event["delta"],
            _ => return,
        };
        match Block::read(part) {
            Block::Text(kind, text) => {
                // The complete block follows.
                let Some(index) = event["index"].as_u64() else { return };
                self.add_chunk(core, index, kind, text);
            }
            Block::ToolUse { id, name } => self.tool_announced(core, id, name),
            Block::Other => {}
        }
    }

    fn add_chunk(&mut self, core: &mut Core, index: u64, kind: ChunkKind, text: &str) {
        if text.is_empty() {
            return;
        }
        self.stream.add(index, kind, text);
        let message = self.stream.message().unwrap_or_default().to_owned();
        self.say(core, kind, &message, text);
    }

    /// Reports the rest of a block that was not streamed.
    pub(super) fn on_assistant(&mut self, core: &mut Core, frame: &Value) {
        let (message, error) = (&frame["message"], frame["error"].as_str());
        if let Some(error) = error
            && let Some(turn) = &mut self.turn
        {
            turn.error = Some(error.to_owned());
        }
        // Words about an error become the error that the prompt ends with. Only a refusal is no error, so that nobody would
        // read them.
        let is_refusal = message["stop_reason"] == "refusal";
        let is_error = message["model"] == "<synthetic>" && error.is_some() && !is_refusal;
        let id = message["id"].as_str().unwrap_or_default();
        let parent = frame["parent_tool_use_id"].as_str();
        for block in message["content"].as_array().into_iter().flatten() {
            match Block::read(block) {
                Block::Text(ChunkKind::Message, _) if is_error => {}
                Block::Text(kind, text) if parent.is_none() => self.whole(core, kind, id, text),
                Block::ToolUse { id, name } => {
                    self.tool_called(core, id, name, block["input"].clone(), parent);
                }
                _ => {}
            }
        }
    }

    fn whole(&mut self, core: &mut Core, kind: ChunkKind, message: &str, text: &str) {
        let rest = self.stream.rest(message, kind, text);
        self.say(core, kind, message, rest);
    }

    fn say(&self, core: &mut Core, kind: ChunkKind, message: &str, text: &str) {
        core.io.client.say(&self.conversation.id, kind, message, text);
    }
}
