//! What was under way in a session when it was exported: it has no end in the log, and nobody goes on with it.

use crate::record::Record;
use sa_api::sessions::{
    EventData, Notice, NoticeSeverity, PermissionResolved, QuestionOutcome, QuestionResolved, ResolvedBy,
    Role, StopReason, TurnEnded, UniversalMessage,
};
use std::collections::HashMap;

/// Turns that were accepted and have not ended, as far as the log has been read.
#[derive(Default)]
pub(super) struct Turns {
    /// By id: where it was accepted, and whether it was begun.
    open: HashMap<String, (u64, bool)>,
}

impl Turns {
    pub(super) fn read(&mut self, id: u64, event: &EventData) {
        match event {
            EventData::Message(UniversalMessage::Parsed(message)) if message.role == Role::User => {
                if let Some(turn) = message.metadata.get("turnId").and_then(|turn| turn.as_str()) {
                    self.open.entry(turn.to_owned()).or_insert((id, false));
                }
            }
            EventData::TurnStarted(started) => {
                self.open.entry(started.turn_id.clone()).or_insert((id, false)).1 = true;
            }
            EventData::TurnEnded(ended) => {
                self.open.remove(&ended.turn_id);
            }
            _ => {}
        }
    }

    /// The ends of what is open, and of what was asked; the record says nothing of it any more.
    pub(super) fn close(self, record: &mut Record) -> Vec<EventData> {
        let by = ResolvedBy::AgentEnded;
        let questions = std::mem::take(&mut record.questions).into_iter().map(|open| {
            let id = open.request.id;
            let outcome = QuestionOutcome::Cancelled;
            EventData::QuestionResolved(QuestionResolved { id, outcome, answers: None, by })
        });
        let permissions = std::mem::take(&mut record.permissions).into_iter().map(|permission| {
            let id = permission.id;
            EventData::PermissionResolved(PermissionResolved { id, reply: None, option_id: None, by })
        });
        let mut events: Vec<EventData> = questions.chain(permissions).collect();
        let mut open: Vec<(String, (u64, bool))> = self.open.into_iter().collect();
        open.sort_by_key(|(_, (at, _))| *at);
        events.extend(open.into_iter().map(|(turn_id, (_, begun))| {
            let stop_reason = if begun { StopReason::Unknown } else { StopReason::Cancelled };
            let reason = begun.then(|| "transferred".to_owned());
            EventData::TurnEnded(TurnEnded { turn_id, stop_reason, reason, usage: None })
        }));
        record.turn = None;
        events
    }
}

/// Says what did not come along.
pub(super) fn omission(omitted: &[String]) -> Option<EventData> {
    (!omitted.is_empty()).then(|| {
        EventData::Notice(Notice {
            severity: NoticeSeverity::Warning,
            title: "Import".to_owned(),
            description: Some(format!("the session came without: {}", omitted.join(", "))),
        })
    })
}
