//! Notifications of the app-server.

use super::Session;
use super::opening::SkillList;
use super::plan_exit::Proposal;
use crate::core::Core;
use crate::native::event::Event;
use crate::native::item::{Body, Item};
use agent_client_protocol_schema::v1::{
    CompactionStatus, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use sa_acp::{ChunkKind, one_line};
use serde_json::Value;

impl Session {
    /// Takes a notification about the session's own thread.
    pub(crate) fn on_event(&mut self, core: &mut Core, event: Event) {
        match event {
            Event::TurnStarted(turn) => self.on_turn_started(core, turn),
            Event::TurnCompleted(turn) => self.on_turn_completed(core, &turn),
            Event::ItemStarted(item) => self.on_item_started(core, item),
            Event::ItemCompleted(item) => self.on_item_completed(core, item),
            Event::Said(delta) => {
                self.note_spoken();
                self.add_chunk(core, ChunkKind::Message, &delta.item_id, &delta.delta);
            }
            Event::Thought(delta) => self.add_chunk(core, ChunkKind::Thought, &delta.item_id, &delta.delta),
            Event::ThoughtPart(part) => {
                let item = part["itemId"].as_str().unwrap_or_default();
                self.thought_part(core, item, part["summaryIndex"].as_u64().unwrap_or_default());
            }
            Event::Printed(delta) => self.on_output(core, &delta.item_id, &delta.delta),
            Event::McpProgress(progress) => self.on_tool_progressed(core, &progress),
            Event::Plan(steps) => self.on_plan_changed(core, &steps),
            Event::Usage(usage) => self.on_usage(core, &usage.token_usage, usage.turn_id.as_deref()),
            Event::Failed(failed) => self.on_failed(core, failed),
            Event::Named(name) if name.trim().is_empty() => {}
            Event::Named(name) => {
                self.conversation.rename(&mut core.io.client, core.io.now, one_line(&name));
            }
            Event::Idle => self.on_idle(core),
            Event::ThreadClosed => self.on_unloaded(core),
            Event::McpStatus(status) => self.on_mcp_status_changed(core, &status),
            Event::SkillsChanged => self.ask_skills(core, SkillList::Reloaded),
            Event::Resolved(id) => self.conversation.withdraw(&mut core.io.client, &id),
            Event::Unknown(value) => self.conversation.report_unknown_message(&mut core.io.client, value),
            Event::ThreadStarted(_) | Event::LoggedIn(_) | Event::Log(_) | Event::Ignored => {}
        }
    }

    /// Drops a review that the model reports itself.
    fn note_spoken(&mut self) {
        if let Some(turn) = &mut self.turn {
            turn.review = None;
        }
    }

    fn on_item_started(&mut self, core: &mut Core, item: Item) {
        match item.body {
            Body::Compaction => self.compaction.begin(&mut core.io.client, &self.conversation.id, &item.id),
            Body::SubAgent(agent) if agent.kind != "started" => {}
            body if body.is_tool() => self.tool_started(core, &item.id, &body, None),
            // The prompt itself, and items that are reported when they are complete.
            _ => {}
        }
    }

    fn on_item_completed(&mut self, core: &mut Core, item: Item) {
        match item.body {
            Body::AgentMessage { text } => {
                self.note_spoken();
                self.complete_text(core, ChunkKind::Message, &item.id, &text);
            }
            Body::Reasoning { text } => self.complete_text(core, ChunkKind::Thought, &item.id, &text),
            Body::Plan { text } => {
                self.complete_text(core, ChunkKind::Message, &item.id, &text);
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
                self.compaction.end(&mut core.io.client, &self.conversation.id, status);
            }
            Body::UserMessage { .. } | Body::ReviewEntered | Body::Hook => {}
            // News of a sub-agent is reported at the call that sent it.
            Body::SubAgent(agent) if agent.kind != "started" => {
                if matches!(agent.kind.as_str(), "completed" | "interrupted") {
                    let sender = self.tools.sender_of(&agent.thread).map(str::to_owned);
                    let sender = sender.filter(|sender| self.tools.running.get(sender).is_some());
                    if let Some(sender) = sender {
                        self.tool_completed(core, &sender, &Body::SubAgent(agent), None);
                    }
                }
            }
            body => self.tool_completed(core, &item.id, &body, None),
        }
    }

    fn on_plan_changed(&self, core: &mut Core, steps: &Value) {
        let entry = |step: &Value| {
            let status = match step["status"].as_str() {
                Some("completed") => PlanEntryStatus::Completed,
                Some("inProgress") => PlanEntryStatus::InProgress,
                _ => PlanEntryStatus::Pending,
            };
            Some(PlanEntry::new(step["step"].as_str()?, PlanEntryPriority::Medium, status))
        };
        let entries = steps.as_array().into_iter().flatten().filter_map(entry).collect();
        self.conversation.update(&mut core.io.client, &SessionUpdate::Plan(Plan::new(entries)));
    }
}
