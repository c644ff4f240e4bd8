//! Sub-agents: sessions of their own that work for the client's. Their tool calls are told, with the call that they work
//! for; what they ask is asked; what they say is for the agent that sent them.

use super::Session;
use crate::core::Core;
use crate::native::event::Event;

impl Session {
    /// Takes an event about a sub-agent's session.
    pub(crate) fn on_offspring_event(&mut self, core: &mut Core, id: &str, event: Event) {
        match event {
            Event::Message(message) if message.role == "assistant" => self.metered_below(&message),
            Event::Part(part) if part.r#type == "tool" => {
                let parent = self.parent_of(id);
                self.tool(core, &part, Some(&parent));
            }
            other => self.on_question(core, other),
        }
    }

    /// The call that a sub-agent works for: the one that it was sent by, or its own session.
    fn parent_of(&self, id: &str) -> String {
        self.tools.sender_of(id).map_or_else(|| id.to_owned(), str::to_owned)
    }
}
