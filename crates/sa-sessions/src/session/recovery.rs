//! Recovery after an earlier daemon: its open turns have no end in the log, and nobody waits for answers to its questions.
//! Messages that were accepted and not begun are still to be done.

use super::Effect;
use super::input::Leftovers;
use super::machine::Machine;
use super::queue::Queued;
use sa_api::sessions::{
    CrashKind, CutOff, EventData, MessageAccepted, ResolvedBy, StopReason, Turn, TurnEnded, WithdrawnBy,
};
use sa_store::{MessageState, StoreError, StoredMessage};

impl Machine {
    pub(super) fn on_recovered(&mut self, leftovers: Leftovers) {
        self.note_unanswered();
        self.withdraw_asks(ResolvedBy::DaemonRestarted);
        let turn = self.record.turn.take();
        for event in leftovers.cut_off {
            self.draft.event(event);
        }
        for message in leftovers.pending {
            if message.state == MessageState::Queued {
                self.queue_again(&message);
                continue;
            }
            if leftovers.was_killed {
                self.resume_trace(&message, turn.as_ref());
            }
            self.end_cut_off(&message.turn_id);
            self.draft.message_done(message.turn_id);
        }
        if let Some(error) = leftovers.lost {
            self.on_messages_lost(turn, &error);
        }
        self.queue.reorder(&self.record.queue_order);
        // Waiting messages are begun when a client comes: nobody asked this daemon to start an agent.
        self.hold_queue();
        self.note_listing();
        self.effect(Effect::Show);
    }

    /// Ends a turn that ended with the daemon before.
    fn end_cut_off(&mut self, turn_id: &str) {
        self.note_turn_usage(turn_id, None, None);
        self.draft.event(EventData::TurnEnded(TurnEnded {
            turn_id: turn_id.to_owned(),
            stop_reason: StopReason::Unknown,
            reason: Some(CutOff::DaemonRestarted),
            usage: None,
        }));
    }

    /// Reports that nobody knows which messages waited. The turn that ran is known.
    fn on_messages_lost(&mut self, turn: Option<Turn>, error: &StoreError) {
        self.report_error(CrashKind::Gap, format!("messages that waited are lost: {error}"), None);
        if let Some(turn) = turn {
            self.end_cut_off(&turn.turn_id);
        }
    }

    /// Puts a stored message into the queue, or withdraws it if it cannot be read.
    fn queue_again(&mut self, message: &StoredMessage) {
        let error = match serde_json::from_slice::<Queued>(&message.body) {
            Ok(queued) => return self.queue.push(queued),
            Err(error) => error,
        };
        tracing::error!(session = %self.id, %error, "a message cannot be read");
        let accepted = serde_json::from_slice::<MessageAccepted>(&message.answer);
        let message_id = accepted.map(|accepted| accepted.message_id).unwrap_or_default();
        self.note_withdrawn(message.turn_id.clone(), message_id, WithdrawnBy::DaemonRestarted);
    }
}
