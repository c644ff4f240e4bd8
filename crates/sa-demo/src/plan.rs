//! The commands `plan` and `compact`: work that reports how far it is.

use super::action::Action;
use super::core::Core;
use super::session::Session;
use super::tools::update;
use super::{config::Select, content::text};
use agent_client_protocol_schema::v1::{
    CompactionId, CompactionStatus, CompactionSummaryChunk, CompactionUpdate, Plan, PlanEntry,
    PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};
use std::time::Duration;

const STEPS: [(&str, PlanEntryPriority); 3] = [
    ("Look around", PlanEntryPriority::High),
    ("Make the change", PlanEntryPriority::Medium),
    ("Check it", PlanEntryPriority::Low),
];

/// The command `plan`: nothing done, then one step after the other in progress and completed.
pub(super) fn plan(every: Option<Duration>) -> Vec<Action> {
    let mut actions = vec![at(&STEPS, 0, &PlanEntryStatus::Pending)];
    for done in 0..=STEPS.len() {
        actions.extend(every.map(Action::Pause));
        actions.push(at(&STEPS, done, &PlanEntryStatus::InProgress));
    }
    actions.push(Action::Say("All steps of the plan are done.".to_owned()));
    actions
}

/// Reports a plan with so many steps done. `next` is the status of the next one.
pub(super) fn at(steps: &[(&str, PlanEntryPriority)], done: usize, next: &PlanEntryStatus) -> Action {
    let entry = |(index, (content, priority)): (usize, &(&str, PlanEntryPriority))| {
        let status = match index {
            _ if index < done => PlanEntryStatus::Completed,
            _ if index == done => next.clone(),
            _ => PlanEntryStatus::Pending,
        };
        PlanEntry::new(*content, priority.clone(), status)
    };
    update(SessionUpdate::Plan(Plan::new(steps.iter().enumerate().map(entry).collect())))
}

/// The command `compact`: the context is emptied; clients that follow compactions see it happen.
pub(super) fn compact(session: &mut Session, core: &Core) -> Vec<Action> {
    let words = format!("{} tokens were summed up.", session.about.used_tokens);
    session.about.used_tokens = 0;
    if !core.client.handshake.follows_compaction() {
        return vec![Action::Say(words), Action::Report];
    }
    let id = CompactionId::new(session.next_id("compaction"));
    let state = |status| update(SessionUpdate::CompactionUpdate(CompactionUpdate::new(id.clone(), status)));
    let model = session.about.settings.get(Select::Model);
    let summary = CompactionSummaryChunk::new(id.clone(), text(format!("{words} The model is {model}.")));
    vec![
        state(CompactionStatus::InProgress),
        update(SessionUpdate::CompactionSummaryChunk(summary)),
        state(CompactionStatus::Completed),
        Action::Report,
    ]
}
