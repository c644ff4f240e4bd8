//! What the model says and thinks, streamed or whole.

use super::Session;
use crate::core::Core;
use crate::native::event::Delta;
use crate::native::message::{Message, Part};
use sa_acp::Voice;
use std::collections::{BTreeMap, BTreeSet};

/// The messages that were reported in this turn.
#[derive(Debug, Default)]
pub(super) struct Speech {
    /// Messages of the model, but for those that sum the conversation up.
    messages: BTreeSet<String>,
    /// Those of the turn before, of which something may come late.
    old: BTreeSet<String>,
    /// Parts with what they are and how many bytes of them were told.
    parts: BTreeMap<String, (Voice, usize)>,
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

    /// Returns whether a message is to be told at all.
    pub(super) fn knows(&self, message: &str) -> bool {
        self.messages.contains(message)
    }
}

impl Session {
    /// A piece of a part. Those of parts that are not known are told with the whole.
    pub(super) fn piece(&mut self, core: &mut Core, delta: &Delta) {
        let Some((voice, sent)) = self.speech.parts.get_mut(&delta.part) else { return };
        if delta.field != "text" || delta.delta.is_empty() {
            return;
        }
        *sent += delta.delta.len();
        let voice = *voice;
        self.say(core, voice, &delta.part, &delta.delta);
    }

    /// A part as it is now: what was not streamed of it is told.
    pub(super) fn whole(&mut self, core: &mut Core, voice: Voice, part: &Part) {
        let (_, sent) = self.speech.parts.entry(part.id.clone()).or_insert((voice, 0));
        // Where it is shorter than what was streamed, nothing can be taken back.
        let rest = part.text.get(*sent..).unwrap_or_default();
        *sent += rest.len();
        self.say(core, voice, &part.id, rest);
    }

    pub(super) fn say(&self, core: &mut Core, voice: Voice, part: &str, text: &str) {
        core.client.say(&self.conversation.id, voice, part, text);
    }
}
