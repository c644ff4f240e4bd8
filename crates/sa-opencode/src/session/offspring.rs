//! Sub-agents: sessions of their own that work for the client's. Their tool calls are told, with the call that they work
//! for; what they ask is asked; what they say is for the agent that sent them.

use super::Session;
use crate::core::Core;
use crate::native::about::Info;
use crate::native::ask::{Action, Rule};
use crate::native::call::{Call, of_session};
use crate::native::event::Event;
use serde_json::json;

impl Session {
    /// A sub-agent was sent. The server asks about its edits and commands anyway; the other rules of the session's mode
    /// count for it from now on.
    pub(crate) fn offspring_born(&self, core: &mut Core, info: &Info) {
        let agent = info.agent.as_deref().unwrap_or_default();
        let foreign = core.registry.foreign(&self.place.cwd, &self.id.0);
        let mut rules = self.settings.rules_of(agent, &self.place.directories, &foreign);
        // Sub-agents send no others.
        rules.push(Rule::new("task", "*", Action::Deny));
        let call = Call::patch(of_session(&info.id, ""), json!({ "permission": rules }));
        core.order("rules of a sub-agent", &call.within(&self.place.cwd));
    }

    /// Takes an event about a sub-agent's session.
    pub(crate) fn offspring_event(&mut self, core: &mut Core, id: &str, event: Event) {
        match event {
            Event::Message(message) if message.role == "assistant" => self.metered_below(&message),
            Event::Part(part) if part.r#type == "tool" => {
                let parent = self.parent_of(id);
                self.tool(core, &part, Some(&parent));
            }
            Event::Permission(permission) => self.ask_permission(core, *permission),
            Event::Questions(questions) => self.ask_user(core, questions),
            Event::Resolved(id) => self.ask_withdrawn(core, &id),
            Event::Unknown(value) => self.unknown(core, value),
            _ => {}
        }
    }

    /// The call that a sub-agent works for: the one that it was sent by, or its own session.
    fn parent_of(&self, id: &str) -> String {
        self.tools.sender_of(id).map_or_else(|| id.to_owned(), str::to_owned)
    }
}
