//! Messages and thoughts of the model, streamed or complete.

use super::Session;
use crate::core::Core;
use crate::native::event::Delta;
use crate::native::message::{Message, Part};
use sa_acp::ChunkKind;
use std::collections::{BTreeMap, BTreeSet};

/// The messages that were reported in this turn.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// Messages of the model, but for those that sum the conversation up.
    messages: BTreeSet<String>,
    /// Those of the turn before, of which something may come late.
    old: BTreeSet<String>,
    /// Parts with their kind and the number of reported bytes.
    parts: BTreeMap<String, (ChunkKind, usize)>,
    /// Set until the first turn of a fork is over: events about the copied messages may come as late as in it.
    has_copies: bool,
}

impl Speech {
    /// The turn is over.
    pub(super) fn clear(&mut self) {
        self.old = std::mem::take(&mut self.messages);
        self.parts.clear();
        self.has_copies = false;
    }

    /// Notes that the session begins with copies of another one's messages.
    pub(super) fn begin_as_fork(&mut self) {
        self.has_copies = true;
    }

    /// Returns whether a message is a copy, which is complete when it is first heard of.
    pub(super) fn is_copy(&self, message: &Message) -> bool {
        self.has_copies && message.finish.is_some() && !self.knows(&message.id)
    }

    /// Takes note of a message; `false` if it is an old one.
    pub(super) fn note(&mut self, message: &str) -> bool {
        let is_new = !self.old.contains(message);
        if is_new {
            self.messages.insert(message.to_owned());
        }
        is_new
    }

    /// Returns whether a message is reported at all.
    pub(super) fn knows(&self, message: &str) -> bool {
        self.messages.contains(message)
    }
}

impl Session {
    /// Reports a chunk of a part. Chunks of unknown parts are reported with the complete part.
    pub(super) fn add_chunk(&mut self, core: &mut Core, delta: &Delta) {
        let Some((kind, sent)) = self.speech.parts.get_mut(&delta.part) else { return };
        if delta.field != "text" || delta.delta.is_empty() {
            return;
        }
        *sent += delta.delta.len();
        let kind = *kind;
        self.say(core, kind, &delta.part, &delta.delta);
    }

    /// Reports the rest of a part that was not streamed.
    pub(super) fn complete_text(&mut self, core: &mut Core, kind: ChunkKind, part: &Part) {
        let (_, sent) = self.speech.parts.entry(part.id.clone()).or_insert((kind, 0));
        // Where it is shorter than what was streamed, nothing can be taken back.
        let rest = part.text.get(*sent..).unwrap_or_default();
        *sent += rest.len();
        self.say(core, kind, &part.id, rest);
    }

    pub(super) fn say(&self, core: &mut Core, kind: ChunkKind, part: &str, text: &str) {
        core.io.client.say(&self.conversation.id, kind, part, text);
    }
}
