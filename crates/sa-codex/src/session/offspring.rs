//! Sub-agents: threads of their own that work for the session's. Their tool calls are reported, with the call that they work
//! for; what they say is for the agent that sent them.

use super::Session;
use crate::core::Core;
use crate::native::event::Event;
use crate::native::item::{Body, Item, SubAgent};
use serde_json::json;

impl Session {
    /// Takes a notification about a sub-agent's thread.
    pub(crate) fn on_offspring_event(&mut self, core: &mut Core, thread: &str, event: Event) {
        match event {
            Event::ItemStarted(Item { id, body }) if body.is_tool() => {
                let parent = self.parent_of(thread);
                self.tool_started(core, &id, &body, Some(&parent));
            }
            Event::ItemCompleted(Item { id, body }) if body.is_tool() => {
                let parent = self.parent_of(thread);
                self.tool_completed(core, &id, &body, Some(&parent));
            }
            Event::TurnStarted(turn) => {
                self.tools.offspring.insert(thread.to_owned(), turn.id);
                if self.is_stopping() {
                    self.interrupt_offspring(core);
                }
            }
            Event::TurnCompleted(turn) => {
                self.tools.offspring.remove(thread);
                self.offspring_done(core, thread, turn.status.unwrap_or_default());
            }
            Event::Printed(delta) => self.on_output(core, &delta.item_id, &delta.delta),
            Event::McpProgress(progress) => self.on_tool_progressed(core, &progress),
            Event::Resolved(id) => self.conversation.withdraw(&mut core.io.client, &id),
            _ => {}
        }
    }

    /// Has sub-agents stop, too: the interrupt of a turn does not reach those that it has sent.
    pub(super) fn interrupt_offspring(&self, core: &mut Core) {
        for (thread, turn) in &self.tools.offspring {
            core.order("turn/interrupt", &json!({ "threadId": thread, "turnId": turn }));
        }
    }

    /// Has the app-server let go of the threads of sub-agents.
    pub(super) fn leave_offspring(&self, core: &mut Core) {
        for thread in self.tools.offspring_threads() {
            core.order("thread/unsubscribe", &json!({ "threadId": thread }));
        }
    }

    /// Ends the call that sent a sub-agent: not every version reports the result of a sub-agent there.
    fn offspring_done(&mut self, core: &mut Core, thread: &str, kind: String) {
        let sender = self.tools.sender_of(thread).filter(|sender| self.tools.running.get(sender).is_some());
        if let Some(sender) = sender.map(str::to_owned) {
            let agent = SubAgent { thread: thread.to_owned(), kind, ..SubAgent::default() };
            self.tool_completed(core, &sender, &Body::SubAgent(agent), None);
        }
    }

    /// The call that a sub-agent works for: the one that it was sent by, or its own thread.
    fn parent_of(&self, thread: &str) -> String {
        self.tools.sender_of(thread).map_or_else(|| thread.to_owned(), str::to_owned)
    }
}
