//! What the model says and thinks, streamed or in whole blocks.

use super::Session;
use crate::core::Core;
use crate::native::message::{AssistantFrame, Block, Delta, Event, StreamFrame};
use sa_acp::Voice;
use serde::Deserialize;

impl Session {
    /// Takes an event of the model's stream.
    pub(super) fn streamed(&mut self, core: &mut Core, frame: StreamFrame) {
        if frame.parent_tool_use_id.is_some() {
            return;
        }
        match frame.event {
            Event::MessageStart { message } => {
                self.meter.began(message.model, message.usage);
                self.stream.begin(message.id);
            }
            Event::ContentBlockStart { index, content_block } => match content_block {
                Block::Text { text } => self.piece(core, index, Voice::Said, &text),
                Block::Thinking { thinking } => self.piece(core, index, Voice::Thought, &thinking),
                Block::ToolUse { id, name, .. } => self.tool_announced(core, &id, &name),
                Block::Other => {}
            },
            Event::ContentBlockDelta { index, delta } => match delta {
                Delta::Text { text } => self.piece(core, index, Voice::Said, &text),
                Delta::Thinking { thinking } => self.piece(core, index, Voice::Thought, &thinking),
                Delta::Other => {}
            },
            Event::MessageDelta { usage } => self.meter_message(core, usage),
            Event::Other => {}
        }
    }

    fn piece(&mut self, core: &mut Core, index: u64, voice: Voice, text: &str) {
        if text.is_empty() {
            return;
        }
        self.stream.add(index, voice, text);
        let message = self.stream.message().unwrap_or_default().to_owned();
        self.say(core, voice, &message, text);
    }

    /// Takes a whole block: what was not streamed of it is told now.
    pub(super) fn spoke(&mut self, core: &mut Core, frame: AssistantFrame) {
        if let Some(error) = &frame.error
            && let Some(turn) = &mut self.turn
        {
            turn.error = Some(error.clone());
        }
        // Words about an error become the error that the prompt ends with. Only a refusal is no error, so that nobody would
        // read them.
        let is_refusal = frame.message.stop_reason.as_deref() == Some("refusal");
        let is_error = frame.message.is_synthetic() && frame.error.is_some() && !is_refusal;
        let parent = frame.parent_tool_use_id;
        for value in frame.message.content {
            let Ok(block) = Block::deserialize(&value) else { continue };
            match block {
                Block::Text { text } if parent.is_none() && !is_error => {
                    self.whole(core, Voice::Said, &frame.message.id, &text);
                }
                Block::Thinking { thinking } if parent.is_none() => {
                    self.whole(core, Voice::Thought, &frame.message.id, &thinking);
                }
                Block::ToolUse { id, name, input } => {
                    self.tool_called(core, &id, &name, input, parent.as_deref())
                }
                _ => {}
            }
        }
    }

    fn whole(&mut self, core: &mut Core, voice: Voice, message: &str, text: &str) {
        let rest = self.stream.rest(message, voice, text);
        self.say(core, voice, message, rest);
    }

    fn say(&self, core: &mut Core, voice: Voice, message: &str, text: &str) {
        core.client.say(&self.conversation.id, voice, message, text);
    }
}
