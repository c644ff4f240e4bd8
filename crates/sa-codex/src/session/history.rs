//! What was said before, told again to a client that loads the session.

use super::Session;
use crate::core::Core;
use crate::native::answer::Turn;
use crate::native::item::{Body, Item};
use crate::tools;
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, ImageContent, MessageId, SessionUpdate, TextContent, ToolCallStatus,
};
use sa_acp::{NoDisk, Voice};
use serde_json::Value;

impl Session {
    pub(super) fn replay(&mut self, core: &mut Core, turns: Vec<Turn>) {
        for item in turns.into_iter().flat_map(|turn| turn.items) {
            self.replay_item(core, item);
        }
    }

    fn replay_item(&self, core: &mut Core, item: Item) {
        let Item { id, body } = item;
        match &body {
            Body::UserMessage { content } => {
                for block in content.iter().filter_map(block) {
                    let chunk = ContentChunk::new(block).message_id(MessageId::new(id.clone()));
                    self.conversation.update(&mut core.client, &SessionUpdate::UserMessageChunk(chunk));
                }
            }
            Body::AgentMessage { text } | Body::Plan { text } => self.say(core, Voice::Said, &id, text),
            Body::Reasoning { text } => self.say(core, Voice::Thought, &id, text),
            Body::Compaction | Body::Hook | Body::ReviewEntered | Body::ReviewLeft { .. } => {}
            body => {
                // Files are not any more what they were then.
                let described = tools::describe(body, &self.workspace.cwd, &NoDisk);
                let call = described.into_call(id.clone()).status(ToolCallStatus::Pending);
                self.conversation.update(&mut core.client, &SessionUpdate::ToolCall(call));
                let update = tools::outcome(&id, body).into_update(id);
                self.conversation.update(&mut core.client, &SessionUpdate::ToolCallUpdate(update));
            }
        }
    }
}

/// A part of a prompt as the client had sent it.
fn block(part: &Value) -> Option<ContentBlock> {
    match part["type"].as_str()? {
        "text" => Some(ContentBlock::Text(TextContent::new(part["text"].as_str()?))),
        "image" => {
            let (kind, data) = part["url"].as_str()?.strip_prefix("data:")?.split_once(";base64,")?;
            Some(ContentBlock::Image(ImageContent::new(data, kind)))
        }
        _ => None,
    }
}
