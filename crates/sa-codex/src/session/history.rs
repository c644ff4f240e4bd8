//! The history of a session, for a client that loads it.

use super::Session;
use crate::core::Core;
use crate::native::answer::Turn;
use crate::native::item::{Body, Item};
use crate::tools;
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, ImageContent, MessageId, SessionUpdate, TextContent,
};
use sa_acp::{ChunkKind, NoDisk};
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
                    self.conversation.update(&mut core.io.client, &SessionUpdate::UserMessageChunk(chunk));
                }
            }
            Body::AgentMessage { text } | Body::Plan { text } => {
                self.say(core, ChunkKind::Message, &id, text)
            }
            Body::Reasoning { text } => self.say(core, ChunkKind::Thought, &id, text),
            Body::Compaction | Body::Hook | Body::ReviewEntered | Body::ReviewLeft { .. } => {}
            body => {
                // Files are not any more what they were then.
                let described = tools::describe(body, &self.workspace.cwd, &NoDisk);
                self.conversation.replay_call(&mut core.io.client, &id, described, tools::outcome(&id, body));
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
