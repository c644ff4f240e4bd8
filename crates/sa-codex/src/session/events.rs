//! What becomes of each notification of the app-server.

use super::Session;
use super::plan_exit::Proposal;
use crate::core::Core;
use crate::native::event::{Event, Step};
use crate::native::item::{Body, Item};
use agent_client_protocol_schema::v1::{
    CompactionStatus, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use sa_acp::{Voice, one_line};

impl Session {
    /// Takes a notification about the session's own thread.
    pub(crate) fn on_event(&mut self, core: &mut Core, event: Event) {
        match event {
            Event::TurnStarted(turn) => self.turn_started(core, turn),
            Event::TurnCompleted(turn) => self.turn_completed(core, &turn),
            Event::ItemStarted(item) => self.item_started(core, item),
            Event::ItemCompleted(item) => self.item_completed(core, item),
            Event::Said(delta) => {
                self.note_spoken();
                self.piece(core, Voice::Said, &delta.item_id, &delta.delta);
            }
            Event::Thought(delta) => self.piece(core, Voice::Thought, &delta.item_id, &delta.delta),
            Event::ThoughtPart(part) => self.thought_part(core, &part.item_id, part.summary_index),
            Event::Printed(delta) => self.printed(core, &delta.item_id, &delta.delta),
            Event::McpProgress(progress) => self.tool_progressed(core, &progress),
            Event::Plan(plan) => self.plan_changed(core, &plan.plan),
            Event::Usage(usage) => self.metered(core, &usage.token_usage, usage.turn_id.as_deref()),
            Event::Failed(failed) => self.failed(core, failed),
            Event::Named(named) => {
                if let Some(name) = named.thread_name.filter(|name| !name.trim().is_empty()) {
                    self.rename(core, one_line(&name));
                }
            }
            Event::Idle => self.idle(core),
            Event::ThreadClosed => self.unloaded(core),
            Event::McpStatus(status) => self.mcp_status_changed(core, &status),
            Event::SkillsChanged => self.ask_skills(core, true),
            Event::Resolved(id) => self.conversation.withdraw(&mut core.client, &id),
            Event::Unknown(value) => self.conversation.report_unknown_message(&mut core.client, value),
            Event::ThreadStarted(_) | Event::LoggedIn(_) | Event::Log(_) | Event::Ignored => {}
        }
    }

    /// A review that the model says itself need not be told.
    fn note_spoken(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.review = None;
        }
    }

    fn item_started(&mut self, core: &mut Core, item: Item) {
        match item.body {
            Body::Compaction => self.compaction.begin(&mut core.client, &self.conversation.id, &item.id),
            // The prompt itself, and what is told when it is whole.
            Body::UserMessage { .. }
            | Body::AgentMessage { .. }
            | Body::Reasoning { .. }
            | Body::Plan { .. }
            | Body::ReviewEntered
            | Body::ReviewLeft { .. }
            | Body::Hook => {}
            Body::SubAgent(agent) if agent.kind != "started" => {}
            body => self.tool_started(core, &item.id, &body, None),
        }
    }

    fn item_completed(&mut self, core: &mut Core, item: Item) {
        match item.body {
            Body::AgentMessage { text } => {
                self.note_spoken();
                self.whole(core, Voice::Said, &item.id, &text);
            }
            Body::Reasoning { text } => self.whole(core, Voice::Thought, &item.id, &text),
            Body::Plan { text } => {
                self.whole(core, Voice::Said, &item.id, &text);
                if let Some(turn) = &mut self.turn {
                    turn.proposal = Some(Proposal { id: item.id, text });
                }
            }
            Body::ReviewLeft { review } => {
                if let Some(turn) = &mut self.turn {
                    turn.review = Some((item.id, review));
                }
            }
            Body::Compaction => {
                let status = CompactionStatus::Completed;
                self.compaction.end(&mut core.client, &self.conversation.id, status);
            }
            Body::UserMessage { .. } | Body::ReviewEntered | Body::Hook => {}
            // News of an agent are told at the call that sent it.
            Body::SubAgent(agent) if agent.kind != "started" => {
                if matches!(agent.kind.as_str(), "completed" | "interrupted") {
                    let sender = self.tools.sender_of(&agent.agent_thread_id).map(str::to_owned);
                    let sender = sender.filter(|sender| self.tools.running.get(sender).is_some());
                    if let Some(sender) = sender {
                        self.tool_completed(core, &sender, &Body::SubAgent(agent), None);
                    }
                }
            }
            body => self.tool_completed(core, &item.id, &body, None),
        }
    }

    fn plan_changed(&self, core: &mut Core, steps: &[Step]) {
        let entry = |step: &Step| {
            let status = match step.status.as_str() {
                "completed" => PlanEntryStatus::Completed,
                "inProgress" => PlanEntryStatus::InProgress,
                _ => PlanEntryStatus::Pending,
            };
            PlanEntry::new(step.step.clone(), PlanEntryPriority::Medium, status)
        };
        self.conversation
            .update(&mut core.client, &SessionUpdate::Plan(Plan::new(steps.iter().map(entry).collect())));
    }
}
