//! Everything that was under way in a session when it was copied: it has no end in the log, and nobody continues it.

use crate::Verdict;
use crate::interrupted_messages::OpenMessages;
use crate::record::Record;
use sa_api::sessions::{
    CutOff, EventData, MessageWithdrawn, Notice, NoticeSeverity, ResolvedBy, Role, StopReason, TurnEnded,
    UniversalMessage, WithdrawnBy,
};
use std::collections::{BTreeMap, HashMap};

/// The agent that asked does not come along.
const WITHDRAWN: ResolvedBy = ResolvedBy::AgentEnded;

/// Turns, questions and messages that have not ended, as far as the log has been read.
#[derive(Default)]
pub(super) struct Unfinished {
    messages: OpenMessages,
    /// By id: where it was accepted, and as what message if it was not begun.
    turns: HashMap<String, (u64, Option<String>)>,
    /// The ends of requests that nobody has answered, by where they were asked.
    asked: BTreeMap<u64, Verdict>,
    /// The end of the session.
    ended: bool,
}

impl Unfinished {
    /// Takes the next event of the log, which has so many bytes.
    pub(super) fn read(&mut self, id: u64, event: &EventData, bytes: usize) {
        self.messages.read(event, bytes);
        match event {
            EventData::Message(UniversalMessage::Parsed(message)) if message.role == Role::User => {
                if let Some(turn) = message.metadata.get("turnId").and_then(|turn| turn.as_str()) {
                    self.turns.entry(turn.to_owned()).or_insert((id, Some(message.id.clone())));
                }
            }
            EventData::TurnStarted(started) => {
                self.turns.entry(started.turn_id.clone()).or_insert((id, None)).1 = None;
            }
            EventData::TurnEnded(ended) => {
                self.turns.remove(&ended.turn_id);
            }
            EventData::MessageWithdrawn(withdrawn) => {
                self.turns.remove(&withdrawn.turn_id);
            }
            EventData::QuestionAsked(question) => {
                self.asked.insert(id, Verdict::question_withdrawn(question.id.clone(), WITHDRAWN));
            }
            EventData::PermissionAsked(permission) => {
                self.asked.insert(id, Verdict::permission_withdrawn(permission.id.clone(), WITHDRAWN));
            }
            EventData::QuestionResolved(resolved) => self.answered(&resolved.id),
            EventData::PermissionResolved(resolved) => self.answered(&resolved.id),
            EventData::Ended(_) => self.ended = true,
            _ => {}
        }
    }

    fn answered(&mut self, id: &str) {
        self.asked.retain(|_, asked| asked.id() != id);
    }

    /// Ends what is open; the record says nothing of it any more. The log decides: the record may be a little older or
    /// newer, and the log may have lost its beginning.
    pub(super) fn close(self, record: &mut Record) -> Vec<EventData> {
        (record.turn, record.questions, record.permissions) = (None, Vec::new(), Vec::new());
        if self.ended {
            return Vec::new();
        }
        let mut events = self.messages.cut_off();
        events.extend(self.asked.into_values().map(Verdict::into_event));
        let mut turns: Vec<(String, (u64, Option<String>))> = self.turns.into_iter().collect();
        turns.sort_by_key(|(_, (at, _))| *at);
        events.extend(turns.into_iter().map(|(turn_id, (_, waiting))| match waiting {
            Some(message_id) => {
                let by = WithdrawnBy::Transferred;
                EventData::MessageWithdrawn(MessageWithdrawn { message_id, turn_id, by })
            }
            None => {
                let reason = Some(CutOff::Transferred);
                let stop_reason = StopReason::Unknown;
                EventData::TurnEnded(TurnEnded { turn_id, stop_reason, reason, usage: None })
            }
        }));
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
