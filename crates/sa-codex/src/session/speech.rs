//! Messages and thoughts of the model, streamed or complete.

use super::Session;
use crate::core::Core;
use sa_acp::ChunkKind;
use std::collections::BTreeMap;

/// The streamed text of items that are not complete, by id.
pub(super) type Speech = BTreeMap<String, String>;

impl Session {
    /// A piece of an item's text.
    pub(super) fn add_chunk(&mut self, core: &mut Core, kind: ChunkKind, item: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.speech.entry(item.to_owned()).or_default().push_str(text);
        self.say(core, kind, item, text);
    }

    /// The next part of a summary stands apart from the one before, if there was one.
    pub(super) fn thought_part(&mut self, core: &mut Core, item: &str, index: u64) {
        if index > 0 && self.speech.contains_key(item) {
            self.add_chunk(core, ChunkKind::Thought, item, "\n\n");
        }
    }

    /// Reports the rest of an item's text that was not streamed.
    pub(super) fn complete_text(&mut self, core: &mut Core, kind: ChunkKind, item: &str, text: &str) {
        let rest = match self.speech.remove(item) {
            // Where it differs from what was streamed, nothing can be taken back.
            Some(streamed) => text.strip_prefix(streamed.as_str()).unwrap_or_default(),
            None => text,
        };
        self.say(core, kind, item, rest);
    }

    pub(super) fn say(&self, core: &mut Core, kind: ChunkKind, item: &str, text: &str) {
        core.io.client.say(&self.conversation.id, kind, item, text);
    }
}
