//! Events about the session, and about sub-agents: sessions of their own that work for the client's. Their tool calls are reported,
//! with the call that they work for; what they ask is asked; what they say is for the agent that sent them.

use super::Session;
use super::turn::Progress;
use crate::core::Core;
use crate::native::event::{Event, Status, Todo};
use crate::native::message::{Message, Part};
use agent_client_protocol_schema::v1::{
    CompactionStatus, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use sa_acp::{ChunkKind, one_line};

impl Session {
    /// Takes an event about the session itself.
    pub(crate) fn on_event(&mut self, core: &mut Core, event: Event) {
        match event {
            Event::Updated(info) => {
                if let Some(title) = info.title() {
                    self.conversation.rename(&mut core.io.client, core.io.now, one_line(title));
                }
            }
            Event::Status(status) => self.on_status(core, &status),
            Event::Failed(Some(error)) => {
                if let Some(turn) = &mut self.turn {
                    turn.error = Some(error);
                }
            }
            Event::Compacted => self.end_compaction(core, CompactionStatus::Completed),
            Event::Message(message) if self.speech.is_copy(&message) => {}
            Event::Message(message) => self.on_message(core, &message),
            Event::Part(part) => self.on_part(core, &part),
            Event::Delta(delta) => self.add_chunk(core, &delta),
            Event::Todos(todos) => self.plan(core, &todos),
            other => self.on_question(core, other),
        }
    }

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

    /// Handles events that mean the same for a session and its sub-agents.
    pub(super) fn on_question(&mut self, core: &mut Core, event: Event) {
        match event {
            // A request that was on its way when the turn was cancelled is refused.
            Event::Permission(permission) if self.is_stopping() => {
                self.answer_permission(core, &permission.id, "reject", None);
            }
            Event::Questions(questions) if self.is_stopping() => self.reject_question(core, &questions.id),
            Event::Permission(permission) => self.ask_permission(core, *permission),
            Event::Questions(questions) => self.ask_user(core, questions),
            Event::Resolved(id) => self.conversation.withdraw(&mut core.io.client, &id),
            Event::Unknown(value) => self.conversation.report_unknown_message(&mut core.io.client, value),
            _ => {}
        }
    }

    fn on_status(&mut self, core: &mut Core, status: &Status) {
        let Some(turn) = &mut self.turn else { return };
        match status {
            Status::Busy => self.on_busy(core),
            Status::Idle => {
                if turn.progress == Progress::Working {
                    turn.progress = Progress::Done;
                }
                self.try_settle(core);
            }
            Status::Retry(retry) => self.on_retried(core, retry),
            Status::Other => {}
        }
    }

    /// A message, as it is now.
    pub(super) fn on_message(&mut self, core: &mut Core, message: &Message) {
        // Events after the end of a turn repeat what it reported.
        if message.role != "assistant" || self.turn.is_none() {
            return;
        }
        if message.is_summary() || self.speech.note(&message.id) {
            self.on_metered(core, message);
        }
    }

    /// A part of a message, as it is now.
    pub(super) fn on_part(&mut self, core: &mut Core, part: &Part) {
        if part.r#type == "compaction" {
            return self.compaction.begin(&mut core.io.client, &self.conversation.id, &part.id);
        }
        if !self.speech.knows(&part.message) {
            return;
        }
        match part.r#type.as_str() {
            "text" if !part.ignored => self.complete_text(core, ChunkKind::Message, part),
            "reasoning" => self.complete_text(core, ChunkKind::Thought, part),
            "tool" => self.tool(core, part, None),
            // Marks of where the model was asked, and what the turn keeps for itself.
            _ => {}
        }
    }

    fn plan(&self, core: &mut Core, todos: &[Todo]) {
        // Cancelled items are not part of the plan.
        let open = todos.iter().filter(|todo| todo.status != "cancelled");
        let entries = open.map(|todo| {
            let status = match todo.status.as_str() {
                "completed" => PlanEntryStatus::Completed,
                "in_progress" => PlanEntryStatus::InProgress,
                _ => PlanEntryStatus::Pending,
            };
            let priority = match todo.priority.as_str() {
                "high" => PlanEntryPriority::High,
                "low" => PlanEntryPriority::Low,
                _ => PlanEntryPriority::Medium,
            };
            PlanEntry::new(todo.content.clone(), priority, status)
        });
        self.conversation.update(&mut core.io.client, &SessionUpdate::Plan(Plan::new(entries.collect())));
    }
}
