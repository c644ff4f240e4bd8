//! The history of a session, for a client that loads it.

use super::Session;
use crate::core::Core;
use crate::native::message::{Part, Whole};
use crate::tools::{self, Shown};
use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, ImageContent, MessageId, ResourceLink, SessionUpdate, TextContent,
};
use sa_acp::{ChunkKind, NoDisk};

impl Session {
    pub(super) fn replay(&mut self, core: &mut Core, history: Vec<Whole>) {
        for whole in history {
            if whole.info.is_summary() {
                continue;
            }
            for part in &whole.parts {
                if whole.info.role == "user" {
                    self.replay_asked(core, &whole.info.id, part);
                } else {
                    self.replay_done(core, part);
                }
            }
        }
    }

    fn replay_asked(&self, core: &mut Core, message: &str, part: &Part) {
        if part.synthetic || part.ignored {
            return;
        }
        let Some(block) = block(part) else { return };
        let chunk = ContentChunk::new(block).message_id(MessageId::new(message.to_owned()));
        self.conversation.update(&mut core.io.client, &SessionUpdate::UserMessageChunk(chunk));
    }

    fn replay_done(&self, core: &mut Core, part: &Part) {
        match part.r#type.as_str() {
            "text" if !part.ignored => self.say(core, ChunkKind::Message, &part.id, &part.text),
            "reasoning" => self.say(core, ChunkKind::Thought, &part.id, &part.text),
            "tool" => {
                let described = tools::describe(part, &self.workspace.cwd);
                // Files are not any more what they were then.
                let outcome = tools::outcome(part, Shown::Nothing, &self.workspace.cwd, &NoDisk);
                self.conversation.replay_call(&mut core.io.client, &part.call, described, outcome);
            }
            _ => {}
        }
    }
}

/// A part of a prompt as the client had sent it.
fn block(part: &Part) -> Option<ContentBlock> {
    match part.r#type.as_str() {
        "text" => Some(ContentBlock::Text(TextContent::new(part.text.clone()))),
        "file" => {
            let data = part.url.strip_prefix("data:").and_then(|url| url.split_once(";base64,"));
            Some(match data {
                Some((kind, data)) if kind.starts_with("image/") => {
                    ContentBlock::Image(ImageContent::new(data, kind))
                }
                _ => {
                    let name = part.filename.clone().unwrap_or_else(|| part.url.chars().take(80).collect());
                    ContentBlock::ResourceLink(ResourceLink::new(name, part.url.clone()))
                }
            })
        }
        _ => None,
    }
}
