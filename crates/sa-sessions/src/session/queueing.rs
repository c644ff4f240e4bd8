//! Messages of clients before their turn: accepted, queued, held after a restart, reordered, withdrawn.

use super::machine::Machine;
use super::phase::{Phase, Purpose, Why};
use super::queue::Queued;
use super::trial::Trial;
use super::{Effect, Job};
use crate::SessionError;
use crate::command::{Posted, Reply, Withdrawal};
use crate::error::Result;
use crate::transcript::SENT;
use sa_api::sessions::{
    Delivery, EventData, MessageAccepted, MessageWithdrawn, ParsedMessage, QueueHeld, QueueReleased,
    QueueReordered, Role, SessionState, UniversalMessage, WithdrawnBy,
};
use sa_otlp::TraceContext;
use sa_store::{MessageChange, MessageState, StoredMessage};
use serde_json::{Map, json};
use std::collections::VecDeque;

/// A message and the client that waits for it.
type Arrival = (Posted, Reply<MessageAccepted>);

/// Messages in the order in which they came, until they are accepted. The idempotency key of the first is being looked
/// up. One lookup at a time keeps the order, and no key is accepted twice.
pub(super) type Arrivals = VecDeque<Arrival>;

impl Machine {
    pub(super) fn on_post(&mut self, posted: Posted, reply: Reply<MessageAccepted>) {
        if let Err(ended) = self.check_open() {
            return self.reply(reply, Err(ended));
        }
        if posted.key.is_none() && self.arrivals.is_empty() {
            return self.accept(posted, reply);
        }
        self.arrivals.push_back((posted, reply));
        if self.arrivals.len() == 1 {
            self.look_up_key();
        }
    }

    fn look_up_key(&mut self) {
        if let Some((first, _)) = self.arrivals.front() {
            let key = first.key.clone();
            self.effect(Effect::Start(Job::LookUpKey(key)));
        }
    }

    /// Accepts a message, or repeats the answer to one that was accepted before under the same key.
    pub(super) fn on_key_looked_up(&mut self, known: Result<Option<StoredMessage>>) {
        let Some((posted, reply)) = self.arrivals.pop_front() else { return };
        // Begins after the commit of this message, so a second one with the same key finds it.
        self.look_up_key();
        match known {
            _ if self.ending.is_some() => self.reply(reply, Err(SessionError::Ended)),
            Ok(None) => self.accept(posted, reply),
            Ok(Some(known)) => self.accept_again(&known, (posted, reply)),
            Err(error) => self.reply(reply, Err(error)),
        }
    }

    fn accept_again(&mut self, known: &StoredMessage, (posted, reply): Arrival) {
        let answer =
            serde_json::from_slice(&known.answer).ok().filter(|_| known.body_digest == posted.digest);
        if answer.is_some() {
            // A client that sends it again wants it done, also if it has waited since before a restart.
            self.release_queue();
        }
        self.reply(reply, answer.ok_or(SessionError::KeyReused));
    }

    fn accept(&mut self, posted: Posted, reply: Reply<MessageAccepted>) {
        if let Err(full) = self.check_room() {
            return self.reply(reply, Err(full));
        }
        // This waited behind a commit that could not be stored, and its client got an error meanwhile: it was refused.
        if !reply.claim() {
            return;
        }
        let (begun_before, held_before) = (self.record.begun, self.record.queue_held);
        self.record.begun = true;
        self.release_queue();
        let (message, accepted) = self.stage(posted);
        self.trial = Some(Trial::Accept { message, accepted, begun_before, held_before, reply });
    }

    /// Checks that a message can still begin a turn.
    pub(super) fn check_open(&self) -> Result<()> {
        if self.ending.is_none() { Ok(()) } else { Err(SessionError::Ended) }
    }

    /// Checks that another message may wait.
    pub(super) fn check_room(&self) -> Result<()> {
        let waiting = self.queue.len();
        if waiting < self.limits.queue { Ok(()) } else { Err(SessionError::QueueFull(waiting)) }
    }

    /// Works a message into the draft. It waits for its turn once it is pushed to the queue.
    pub(super) fn stage(&mut self, posted: Posted) -> (Queued, MessageAccepted) {
        let message = Queued {
            turn_id: self.now.new_id("turn"),
            message_id: self.now.new_id(SENT),
            parts: posted.parts,
            interrupts: posted.delivery == Delivery::Interrupt,
            traceparent: posted.trace.as_ref().map(TraceContext::traceparent),
            tracestate: posted.trace.and_then(|trace| trace.state),
        };
        let ahead = usize::from(!self.turn.is_none());
        let accepted = MessageAccepted {
            turn_id: message.turn_id.clone(),
            message_id: message.message_id.clone(),
            event_id: self.next_event_id(),
            queued: match posted.delivery {
                Delivery::Queue => self.queue.len() + ahead,
                Delivery::Interrupt => ahead,
            },
        };
        let mut metadata = Map::from_iter([("turnId".to_owned(), json!(message.turn_id))]);
        if message.interrupts {
            // So that readers of the log know its place among the messages that wait.
            metadata.insert("delivery".to_owned(), json!(posted.delivery));
        }
        self.draft.event(EventData::Message(UniversalMessage::Parsed(ParsedMessage {
            id: message.message_id.clone(),
            role: Role::User,
            parts: message.parts.clone(),
            metadata,
        })));
        self.draft.messages.push(MessageChange::Accept(StoredMessage {
            turn_id: message.turn_id.clone(),
            key: posted.key,
            body_digest: posted.digest,
            body: serde_json::to_vec(&message).unwrap_or_default().into(),
            answer: serde_json::to_vec(&accepted).unwrap_or_default().into(),
            state: MessageState::Queued,
        }));
        (message, accepted)
    }

    /// Notes that messages from before a restart wait for a client.
    pub(super) fn hold_queue(&mut self) {
        self.record.queue_held = self.queue.len() > 0;
        if self.record.queue_held {
            self.draft.event(EventData::QueueHeld(QueueHeld { message_ids: self.queue.message_ids() }));
        }
    }

    /// Continues with messages that were held.
    fn release_queue(&mut self) {
        if std::mem::take(&mut self.record.queue_held) {
            let message_ids = self.queue.message_ids();
            self.draft.event(EventData::QueueReleased(QueueReleased { message_ids }));
        }
    }

    /// Continues with a queue that is held. An agent that has ended is started again, now if nothing waits for it.
    pub(super) fn on_resume(&mut self, reply: Reply<()>) {
        self.release_queue();
        let is_interrupted = self.record.state == SessionState::Interrupted;
        if self.queue.len() == 0 && self.turn.is_none() && is_interrupted {
            return self.start(Purpose::Resume(reply));
        }
        self.reply(reply, Ok(()));
    }

    pub(super) fn on_withdraw(&mut self, message_id: &str, reply: Reply<Withdrawal>) {
        if self.turn.ids().is_some_and(|(_, running)| running == message_id) {
            return self.reply(reply, Ok(Withdrawal::Running));
        }
        if !reply.claim() {
            return;
        }
        let Some((at, message)) = self.queue.remove(message_id) else {
            return self.reply(reply, Ok(Withdrawal::NotWaiting));
        };
        let held_before = self.record.queue_held;
        self.record.queue_held &= self.queue.len() > 0;
        let (turn_id, message_id) = (message.turn_id.clone(), message.message_id.clone());
        self.note_withdrawn(turn_id, message_id, WithdrawnBy::Client);
        self.trial = Some(Trial::Withdraw { at, message, held_before, reply });
    }

    pub(super) fn on_reorder(&mut self, message_ids: &[String], reply: Reply<()>) {
        if !reply.claim() {
            return;
        }
        let queue_before = self.queue.message_ids();
        self.queue.reorder(message_ids);
        let after = self.queue.message_ids();
        if after == queue_before {
            return self.reply(reply, Ok(()));
        }
        let order_before = std::mem::replace(&mut self.record.queue_order, after.clone());
        self.draft.event(EventData::QueueReordered(QueueReordered { message_ids: after }));
        self.trial = Some(Trial::Reorder { queue_before, order_before, reply });
    }

    /// Works the end of a message that has not begun into the draft.
    pub(super) fn note_withdrawn(&mut self, turn_id: String, message_id: String, by: WithdrawnBy) {
        self.draft.message_done(turn_id.clone());
        self.draft.event(EventData::MessageWithdrawn(MessageWithdrawn { message_id, turn_id, by }));
    }

    /// Stops without an event, so that another owner can take the session up with other settings.
    pub(super) fn on_relinquish(&mut self, reply: Reply<()>) {
        // A session that has just been made is about to be started by the request that made it.
        let is_new = matches!(self.phase, Phase::Detached(Why::New));
        if self.record.begun || is_new {
            let exists = SessionError::Exists(self.id.clone());
            return self.reply(reply, Err(exists));
        }
        self.phase = Phase::Ended;
        self.reply(reply, Ok(()));
        self.effect(Effect::Stop);
    }
}
