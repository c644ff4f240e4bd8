//! What the model says and thinks, streamed or whole.

use super::Session;
use crate::core::Core;
use sa_acp::Voice;
use std::collections::BTreeMap;

/// What was streamed of items that are not complete, by their ids.
#[derive(Debug, Default)]
pub(super) struct Speech {
    streamed: BTreeMap<String, String>,
}

impl Speech {
    /// Nothing of it will be completed: the turn is over.
    pub(super) fn clear(&mut self) {
        self.streamed.clear();
    }
}

impl Session {
    /// A piece of an item's text.
    pub(super) fn piece(&mut self, core: &mut Core, voice: Voice, item: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        self.speech.streamed.entry(item.to_owned()).or_default().push_str(text);
        self.say(core, voice, item, text);
    }

    /// The next part of a summary stands apart from the one before, if there was one.
    pub(super) fn thought_part(&mut self, core: &mut Core, item: &str, index: u64) {
        if index > 0 && self.speech.streamed.contains_key(item) {
            self.piece(core, Voice::Thought, item, "\n\n");
        }
    }

    /// An item's whole text: what was not streamed of it is told now.
    pub(super) fn whole(&mut self, core: &mut Core, voice: Voice, item: &str, text: &str) {
        let rest = match self.speech.streamed.remove(item) {
            // Where it differs from what was streamed, nothing can be taken back.
            Some(streamed) => text.strip_prefix(streamed.as_str()).unwrap_or_default(),
            None => text,
        };
        self.say(core, voice, item, rest);
    }

    pub(super) fn say(&self, core: &mut Core, voice: Voice, item: &str, text: &str) {
        core.client.say(&self.conversation.id, voice, item, text);
    }
}
