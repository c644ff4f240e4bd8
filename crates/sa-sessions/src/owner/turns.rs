//! What becomes of messages: accepted, queued, given to the agent, cancelled, done.

use super::Owner;
use super::ending::CLOSING;
use super::queue::Queued;
use super::spans;
use crate::SessionError;
use crate::agent::{AgentFailure, Opens, RpcError};
use crate::command::Posted;
use crate::history::{self, History};
use crate::transcript::SENT;
use sa_api::Timestamp;
use sa_api::sessions::{
    CancelResult, CrashInfo, CrashKind, Delivery, EventData, MessageAccepted, MessagePart, ParsedMessage,
    ResolvedBy, Role, SessionState, StopReason, Turn, TurnEnded, TurnStarted, UniversalMessage, Usage,
    WithdrawnBy,
};
use sa_otlp::TraceContext;
use sa_store::{MessageChange, MessageState, StoredMessage};
use serde_json::value::RawValue;
use serde_json::{Map, json};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;
use uuid::Uuid;

/// The turn that runs.
pub(super) struct Running {
    pub(super) turn_id: String,
    pub(super) message_id: String,
    /// The number of the prompt; none while it is not sent.
    pub(super) call: Option<u64>,
    /// When the agent must have ended it, once it was cancelled.
    pub(super) cancel_by: Option<Instant>,
    /// It was cancelled because the agent said nothing any more.
    pub(super) failed: bool,
    /// The prompt also carries the earlier conversation.
    recalls: bool,
}

impl Owner {
    /// Puts a message into the log and the queue. What was accepted before under the same key is only said again.
    pub(super) async fn accept(&mut self, posted: Posted) -> Result<MessageAccepted, SessionError> {
        if let Some(key) = &posted.key
            && let Some(known) = self.parts.store.message_by_key(&self.shared.id, key).await?
        {
            let answer =
                serde_json::from_slice(&known.answer).ok().filter(|_| known.body_digest == posted.digest);
            if answer.is_some() {
                // A client that sends it again wants it done, also if it has waited since before a restart.
                self.release_queue();
                self.commit().await;
            }
            return answer.ok_or(SessionError::KeyReused);
        }
        self.check_room()?;
        let delivery = posted.delivery;
        let (was_begun, was_held) = (self.record.begun, self.record.queue_held);
        self.record.begun = true;
        self.release_queue();
        let (message, accepted) = self.stage(posted);
        if let Err(error) = self.try_commit().await {
            (self.record.begun, self.record.queue_held) = (was_begun, was_held);
            return Err(error);
        }
        match delivery {
            Delivery::Queue => self.enqueue(message),
            Delivery::Interrupt => {
                self.enqueue(message);
                self.interrupt().await;
            }
        }
        Ok(accepted)
    }

    /// Whether another message may wait.
    pub(super) fn check_room(&self) -> Result<(), SessionError> {
        let waiting = self.queue.len();
        if waiting < self.parts.limits.queue { Ok(()) } else { Err(SessionError::QueueFull(waiting)) }
    }

    /// Has a message that is committed wait for its turn.
    pub(super) fn enqueue(&mut self, message: Queued) {
        self.queue.push(message);
        self.shared.show(&self.record, self.queue.describe());
    }

    /// Works a message into the draft.
    pub(super) fn stage(&mut self, posted: Posted) -> (Queued, MessageAccepted) {
        let message = Queued {
            turn_id: named("turn"),
            message_id: named(SENT),
            parts: posted.parts,
            interrupts: posted.delivery == Delivery::Interrupt,
            traceparent: posted.trace.as_ref().map(TraceContext::traceparent),
            tracestate: posted.trace.and_then(|trace| trace.state),
        };
        let ahead = usize::from(self.turn.is_some());
        let accepted = MessageAccepted {
            turn_id: message.turn_id.clone(),
            message_id: message.message_id.clone(),
            event_id: self.shared.log.ends().last + 1 + self.draft.events.len() as u64,
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

    /// Gives the agent the next message, if it has nothing to do.
    pub(super) async fn advance(&mut self) {
        while self.turn.is_none() && !self.done && !self.record.queue_held && self.ending.is_none() {
            let Some(message) = self.queue.pop() else { return };
            self.begin(message).await;
        }
    }

    async fn begin(&mut self, message: Queued) {
        self.notice_end();
        let turn_id = message.turn_id.clone();
        self.turn = Some(Running {
            turn_id: turn_id.clone(),
            message_id: message.message_id.clone(),
            call: None,
            cancel_by: None,
            failed: false,
            recalls: false,
        });
        self.record.turn_after = self.shared.log.ends().last;
        self.record.turn = Some(Turn {
            turn_id: turn_id.clone(),
            started_at: Timestamp::now(),
            cancelling: false,
            message_id: Some(message.message_id.clone()),
            events_after: self.record.turn_after,
        });
        self.speaking = false;
        self.exit_told = false;
        self.begin_trace(&message);
        let events = self.reducer.begin_turn(&turn_id);
        self.note(events);
        self.draft.event(EventData::TurnStarted(TurnStarted {
            turn_id: turn_id.clone(),
            message_id: Some(message.message_id.clone()),
        }));
        let running = MessageChange::State { turn_id: turn_id.clone(), state: MessageState::Running };
        self.draft.messages.push(running);
        if self.link.as_ref().is_none_or(|link| !link.ready) {
            self.record.state = SessionState::Starting;
        }
        // Noted before the agent gets it: after a crash nobody would know otherwise that it may have worked on it.
        self.commit().await;
        self.parts.totals.turns.fetch_add(1, Ordering::Relaxed);
        self.renew_agent().await;
        let prompted = match self.ensure_agent().await {
            Ok(()) => self.prompt(&message).await,
            Err(failure) => Err(failure),
        };
        if let Err(failure) = prompted {
            let given_up = matches!(failure, AgentFailure::GivenUp);
            match &self.turn {
                Some(turn) if given_up || turn.cancel_by.is_some() => {
                    self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
                }
                Some(_) if self.exit_told => self.end_turn(StopReason::Error, None, ResolvedBy::AgentEnded),
                Some(_) => self.fail_turn(&failure),
                None => {}
            }
        }
        if self.record.state == SessionState::Starting {
            self.settle();
        }
        self.commit().await;
    }

    async fn prompt(&mut self, message: &Queued) -> Result<(), AgentFailure> {
        let cancelled = self.turn.as_ref().is_none_or(|turn| turn.cancel_by.is_some());
        let Some(link) = &self.link else { return Err(AgentFailure::Ended(Default::default())) };
        if cancelled {
            self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
            return Ok(());
        }
        let mut blocks = sa_universal::prompt(&message.parts, &link.connection.greeting().prompts)
            .map_err(|unsupported| AgentFailure::Unsupported(unsupported.to_string()))?;
        let recalls = self.record.owes_history && !is_command(&message.parts);
        if recalls && let History::Text(history) = self.recall().await {
            // After the message, by whose first words agents know commands and make titles.
            blocks.push(json!({ "type": "text", "text": history }));
        }
        let Some(link) = &self.link else { return Err(AgentFailure::Ended(Default::default())) };
        let mut params = json!({ "sessionId": self.record.native_session_id, "prompt": blocks });
        if let Some(trace) = &self.trace {
            params["_meta"] = spans::members_of(trace);
        }
        let call = link.connection.call("session/prompt", &params, &link.line, Opens::Nothing).await?;
        self.last_heard = Instant::now();
        if let Some(turn) = &mut self.turn {
            turn.call = Some(call);
            turn.recalls = recalls;
        }
        Ok(())
    }

    /// Returns what was said before this turn, read again if a turn before had it and failed.
    async fn recall(&mut self) -> History {
        match std::mem::take(&mut self.history) {
            History::Nothing => {
                let turn = self.turn_id();
                history::of(&self.shared.log, turn.as_deref(), self.parts.limits.replay_bytes).await
            }
            history => history,
        }
    }

    /// The agent has answered the prompt: the turn is over.
    pub(super) fn turn_answered(&mut self, outcome: Result<Box<RawValue>, RpcError>) {
        let cancelling = self.turn.as_ref().is_some_and(|turn| turn.cancel_by.is_some());
        match outcome {
            Ok(result) => {
                let (reason, usage) = sa_universal::stop_reason(&result);
                // A prompt that was refused or cancelled may be no part of what the agent knows.
                let taken = !matches!(reason, StopReason::Refusal | StopReason::Cancelled);
                if taken && self.turn.as_ref().is_some_and(|turn| turn.recalls) {
                    self.record.owes_history = false;
                }
                self.end_turn(reason, usage, ResolvedBy::TurnEnded);
            }
            Err(_) if cancelling => self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded),
            Err(error) => {
                let failure = self.advise(AgentFailure::refused("session/prompt", error));
                if failure.is_spawn_failure() {
                    // A new process finds the program that is installed now.
                    self.retire_process();
                    self.renew = true;
                }
                self.fail_turn(&failure);
            }
        }
    }

    pub(super) fn fail_turn(&mut self, failure: &AgentFailure) {
        let events = self.reducer.end_turn();
        self.note(events);
        self.tell_failure(failure);
        self.end_turn(StopReason::Error, None, ResolvedBy::TurnEnded);
    }

    /// Notes why the agent does not do what it should.
    pub(super) fn tell_failure(&mut self, failure: &AgentFailure) {
        let (message, kind, details) = match failure {
            AgentFailure::Refused { method, message, code, data } => {
                let prompt = method == "session/prompt" && failure.kind() == CrashKind::Protocol;
                let kind = if prompt { CrashKind::PromptFailed } else { failure.kind() };
                let details = data.as_deref().cloned().unwrap_or_else(|| json!({ "code": code }));
                (message.clone(), kind, Some(details))
            }
            other => (other.to_string(), other.kind(), None),
        };
        self.draft.event(EventData::Error(CrashInfo {
            message,
            kind,
            turn_id: self.turn_id(),
            exit: failure.exit().cloned(),
            details,
        }));
    }

    /// Notes a turn's end, and the end of everything that was asked in it.
    pub(super) fn end_turn(&mut self, reason: StopReason, usage: Option<Usage>, by: ResolvedBy) {
        let Some(turn) = self.turn.take() else { return };
        let reason = if turn.failed && reason == StopReason::Cancelled { StopReason::Error } else { reason };
        let events = self.reducer.end_turn();
        self.note(events);
        self.withdraw_asked(by);
        // An agent that was going to ask again what it asked before a restart has done so by now.
        self.record.unanswered.clear();
        let started_at = self.record.turn.take().map(|turn| turn.started_at);
        self.note_turn_usage(&turn.turn_id, started_at, usage.as_ref());
        self.draft.event(EventData::TurnEnded(TurnEnded {
            turn_id: turn.turn_id.clone(),
            stop_reason: reason,
            reason: None,
            usage,
        }));
        let done = MessageChange::State { turn_id: turn.turn_id, state: MessageState::Done };
        self.draft.messages.push(done);
    }

    /// Stops the turn and takes back what waits.
    pub(super) async fn cancel(&mut self, by: WithdrawnBy) -> Result<CancelResult, SessionError> {
        let waiting = self.queue.take();
        let withdrawn = waiting.len();
        for message in waiting {
            self.note_withdrawn(message, by);
        }
        self.record.queue_held = false;
        self.given_up = self.link.as_ref().is_none_or(|link| !link.ready);
        self.interrupt().await;
        self.commit().await;
        Ok(CancelResult { turn_id: self.turn_id(), withdrawn })
    }

    /// Asks the agent to stop, and answers what it waits for.
    async fn interrupt(&mut self) {
        let limit = self.parts.limits.cancel();
        let Some(turn) = &mut self.turn else { return };
        if turn.cancel_by.is_none() {
            turn.cancel_by = Some(Instant::now() + limit);
        }
        let sent = turn.call.is_some();
        if let Some(turn) = &mut self.record.turn {
            turn.cancelling = true;
            self.draft.touch();
        }
        // First of all: an agent that got its answers before might come to the turn's end as if nobody had stopped it.
        if let Some(link) = self.link.as_ref().filter(|_| sent) {
            let params = json!({ "sessionId": self.record.native_session_id });
            if let Err(error) = link.connection.notify("session/cancel", &params).await {
                tracing::debug!(session = %self.shared.id, %error, "the agent could not be told to stop");
            }
        }
        self.withdraw_asked(ResolvedBy::TurnEnded);
        self.commit().await;
    }

    /// The agent did not stop when it was told to: it is left. Where it shares its process with other sessions, that process
    /// takes no new ones unless the agent says that it has closed this one.
    pub(super) async fn abandon_turn(&mut self) {
        let seconds = self.parts.limits.cancel().as_secs();
        self.draft.event(EventData::Error(CrashInfo {
            message: format!(
                "the agent has not stopped within {seconds} s; it is started anew with the next message"
            ),
            kind: CrashKind::Timeout,
            turn_id: self.turn_id(),
            ..CrashInfo::default()
        }));
        self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
        if !self.close_session(CLOSING).await {
            self.retire_process();
        }
        self.leave_agent();
    }

    /// The agent has said nothing for too long.
    pub(super) async fn silent(&mut self, silence: Duration) {
        self.draft.event(EventData::Error(CrashInfo {
            message: format!("the agent has said nothing for {} s; its turn is ended", silence.as_secs()),
            kind: CrashKind::Timeout,
            turn_id: self.turn_id(),
            ..CrashInfo::default()
        }));
        self.last_heard = Instant::now();
        if let Some(turn) = &mut self.turn {
            turn.failed = true;
        }
        self.interrupt().await;
    }
}

/// Returns whether a message is a command such as `/compact`, which has to be the whole prompt.
fn is_command(parts: &[MessagePart]) -> bool {
    let Some(MessagePart::Text { text }) = parts.first() else { return false };
    let name = text.split_whitespace().next().and_then(|word| word.strip_prefix('/'));
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

/// A new id.
pub(super) fn named(kind: &str) -> String {
    format!("{kind}_{}", Uuid::now_v7().simple())
}
