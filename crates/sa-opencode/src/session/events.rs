//! What becomes of each event about the session.

use super::Session;
use crate::core::Core;
use crate::native::event::{Event, Status, Todo};
use crate::native::message::{Message, Part};
use agent_client_protocol_schema::v1::{
    CompactionStatus, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use sa_acp::{Voice, one_line};

impl Session {
    /// Takes an event about the session itself.
    pub(crate) fn on_event(&mut self, core: &mut Core, event: Event) {
        match event {
            Event::Updated(info) => {
                if let Some(title) = info.title() {
                    self.rename(core, one_line(title));
                }
            }
            Event::Status(status) => self.status(core, &status),
            Event::Failed(Some(error)) => {
                if let Some(turn) = &mut self.turn {
                    turn.error = Some(error);
                }
            }
            Event::Compacted => self.end_compaction(core, CompactionStatus::Completed),
            Event::Message(message) if self.speech.is_copy(&message) => {}
            Event::Message(message) => self.message(core, &message),
            Event::Part(part) => self.part(core, &part),
            Event::Delta(delta) => self.piece(core, &delta),
            Event::Todos(todos) => self.plan(core, &todos),
            other => self.on_question(core, other),
        }
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
            Event::Resolved(id) => self.conversation.withdraw(&mut core.client, &id),
            Event::Unknown(value) => self.conversation.report_unknown_message(&mut core.client, value),
            _ => {}
        }
    }

    fn status(&mut self, core: &mut Core, status: &Status) {
        let Some(turn) = &mut self.turn else { return };
        match status {
            Status::Busy => self.busy(core),
            Status::Idle => {
                turn.is_idle = true;
                self.try_settle(core);
            }
            Status::Retry(retry) => self.retried(core, retry),
            Status::Other => {}
        }
    }

    /// A message, as it is now.
    pub(super) fn message(&mut self, core: &mut Core, message: &Message) {
        // What comes after the end of a turn was told in it.
        if message.role != "assistant" || self.turn.is_none() {
            return;
        }
        if message.is_summary() || self.speech.note(&message.id) {
            self.metered(core, message);
        }
    }

    /// A part of a message, as it is now.
    pub(super) fn part(&mut self, core: &mut Core, part: &Part) {
        if part.r#type == "compaction" {
            return self.compaction.begin(&mut core.client, &self.conversation.id, &part.id);
        }
        if !self.speech.knows(&part.message) {
            return;
        }
        match part.r#type.as_str() {
            "text" if !part.ignored => self.whole(core, Voice::Said, part),
            "reasoning" => self.whole(core, Voice::Thought, part),
            "tool" => self.tool(core, part, None),
            // Marks of where the model was asked, and what the turn keeps for itself.
            _ => {}
        }
    }

    fn plan(&self, core: &mut Core, todos: &[Todo]) {
        // What was dropped is not to be done.
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
        self.conversation.update(&mut core.client, &SessionUpdate::Plan(Plan::new(entries.collect())));
    }
}
