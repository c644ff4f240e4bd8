//! The history of a session, for a client that loads it.

use super::Session;
use crate::core::Core;
use crate::native::{Message, ToolResult};
use crate::tools;
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, ImageContent, SessionUpdate, TextContent, ToolCallStatus,
};
use sa_acp::{ChunkKind, NoDisk};
use serde_json::Value;
use std::collections::BTreeMap;

/// Returns a part of a prompt as the client sent it.
fn prompt_block(block: &Value) -> Option<ContentBlock> {
    match block["type"].as_str()? {
        "text" => Some(ContentBlock::Text(TextContent::new(block["text"].as_str()?))),
        "image" => {
            Some(ContentBlock::Image(ImageContent::new(block["data"].as_str()?, block["mimeType"].as_str()?)))
        }
        _ => None,
    }
}

impl Session {
    pub(super) fn replay(&mut self, core: &mut Core, messages: &[Message]) {
        let mut names = BTreeMap::new();
        for message in messages {
            let blocks = match &message.content {
                Value::String(text) => vec![serde_json::json!({ "type": "text", "text": text })],
                Value::Array(blocks) => blocks.clone(),
                _ => Vec::new(),
            };
            match message.role.as_str() {
                "user" => {
                    for block in blocks.iter().filter_map(prompt_block) {
                        let update = SessionUpdate::UserMessageChunk(ContentChunk::new(block));
                        self.conversation.update(&mut core.io.client, &update);
                    }
                }
                "assistant" => {
                    self.messages += 1;
                    for block in &blocks {
                        self.replay_block(core, block, &mut names);
                    }
                }
                "toolResult" => {
                    let Some(id) = &message.tool_call_id else { continue };
                    let Some(name) = names.remove(id) else { continue };
                    let text = ToolResult { content: Value::Array(blocks) }.text();
                    let is_error = message.is_error;
                    let status = if is_error { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
                    let update = tools::outcome(id, &name, &text, status).into_update(id.clone());
                    self.conversation.update(&mut core.io.client, &SessionUpdate::ToolCallUpdate(update));
                }
                _ => {}
            }
        }
    }

    fn replay_block(&self, core: &mut Core, block: &Value, names: &mut BTreeMap<String, String>) {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        let message = format!("{}-{}", self.conversation.id, self.messages);
        match text("type") {
            "text" => core.io.client.say(&self.conversation.id, ChunkKind::Message, &message, text("text")),
            "thinking" => {
                core.io.client.say(&self.conversation.id, ChunkKind::Thought, &message, text("thinking"))
            }
            "toolCall" => {
                // Files are not what they were then.
                let described =
                    tools::describe(text("name"), &block["arguments"], &self.workspace.cwd, &NoDisk);
                names.insert(text("id").to_owned(), text("name").to_owned());
                let call = described.into_call(text("id").to_owned()).status(ToolCallStatus::Pending);
                self.conversation.update(&mut core.io.client, &SessionUpdate::ToolCall(call));
            }
            _ => {}
        }
    }
}
