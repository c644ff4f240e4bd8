//! Turns: begun with a message, prompted, cancelled, ended.

use super::machine::Machine;
use super::phase::{Environment, Phase, Purpose, Then};
use super::queue::Queued;
use super::turn::{Cause, Prompted, Recall, Turn, TurnIds};
use super::{Effect, Job, LEAVING, trace};
use crate::agent::{AgentFailure, Opens, RpcError};
use crate::command::Reply;
use crate::history::History;
use crate::record::HistoryReplay;
use sa_api::sessions::{
    CancelResult, CrashInfo, CrashKind, EventData, MessagePart, ResolvedBy, StopReason, Turn as ShownTurn,
    TurnEnded, TurnStarted, Usage, WithdrawnBy,
};
use sa_store::{MessageChange, MessageState};
use serde_json::json;
use serde_json::value::RawValue;

impl Machine {
    /// Begins the turn of a message. The commit of that comes before the agent gets the message: after a crash nobody would know
    /// otherwise that the agent may have worked on it.
    pub(super) fn begin_turn(&mut self, message: Queued) {
        let (turn_id, message_id) = (message.turn_id.clone(), message.message_id.clone());
        self.record.turn_after = self.next_event_id() - 1;
        self.record.turn = Some(ShownTurn {
            turn_id: turn_id.clone(),
            started_at: self.now.timestamp(),
            cancelling: false,
            message_id: Some(message_id.clone()),
            events_after: self.record.turn_after,
        });
        self.speaking = false;
        self.begin_trace(&message);
        let events = self.reducer.begin_turn(&turn_id);
        self.note(events);
        let started = TurnStarted { turn_id: turn_id.clone(), message_id: Some(message_id) };
        self.draft.event(EventData::TurnStarted(started));
        self.draft.messages.push(MessageChange::State { turn_id, state: MessageState::Running });
        self.effect(Effect::CountTurn);
        self.turn = Turn::Starting(message);
        match self.take_phase() {
            Phase::Ready(ready) if ready.link.environment == Environment::Outdated => {
                self.leave(Some(ready.link), LEAVING, Then::Renew);
            }
            ready @ Phase::Ready(_) => self.phase = ready,
            _ => self.start(Purpose::Turn),
        }
    }

    /// Gives a ready agent the message of the turn, unless the turn was cancelled meanwhile. Returns whether there was one. This
    /// needs an input of its own: the agent may end while the beginning of the turn is stored, and is started again then.
    pub(super) fn continue_turn(&mut self) -> bool {
        match std::mem::replace(&mut self.turn, Turn::None) {
            Turn::Starting(message) => {
                let is_missing = matches!(self.history, History::Nothing);
                if self.recall(&message) == Recall::Included && is_missing {
                    let current_turn = Some(message.turn_id.clone());
                    self.effect(Effect::Start(Job::ReadHistory { current_turn }));
                    self.turn = Turn::Recalling(message);
                } else {
                    self.prompt(message);
                }
                true
            }
            discarded @ Turn::Discarded(_) => {
                self.turn = discarded;
                self.effect(Effect::Abort);
                self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
                true
            }
            other => {
                self.turn = other;
                false
            }
        }
    }

    /// Commands have to be the whole prompt.
    fn recall(&self, message: &Queued) -> Recall {
        let includes = self.record.history_replay == HistoryReplay::Due && !is_command(&message.parts);
        if includes { Recall::Included } else { Recall::Omitted }
    }

    pub(super) fn prompt(&mut self, message: Queued) {
        let prompts = self.phase.link().map(|link| link.agent.prompts).unwrap_or_default();
        let mut blocks = match sa_universal::prompt(&message.parts, &prompts) {
            Ok(blocks) => blocks,
            Err(unsupported) => {
                self.turn = Turn::Starting(message);
                return self.fail_turn(&AgentFailure::Unsupported(unsupported.to_string()));
            }
        };
        let recall = self.recall(&message);
        let Queued { turn_id, message_id, .. } = message;
        let ids = TurnIds { turn_id, message_id };
        if recall == Recall::Included
            && let History::Text(history) = std::mem::take(&mut self.history)
        {
            // After the message, by whose first words agents recognize commands and make titles.
            blocks.push(json!({ "type": "text", "text": history }));
        }
        let mut params = json!({ "sessionId": self.record.native_session_id, "prompt": blocks });
        if let Some(context) = self.tracing.context() {
            params["_meta"] = trace::members_of(&context);
        }
        let call = self.send("session/prompt", params, Opens::Nothing);
        self.last_heard = self.now.instant;
        self.turn = Turn::Running(Prompted { ids, call, recall });
    }

    /// Ends the turn whose prompt the agent has answered.
    pub(super) fn on_turn_answered(&mut self, outcome: Result<Box<RawValue>, RpcError>) {
        match outcome {
            Ok(result) => {
                let (reason, usage) = sa_universal::stop_reason(&result);
                // A prompt that was refused or cancelled may be no part of what the agent knows.
                let taken = !matches!(reason, StopReason::Refusal | StopReason::Cancelled);
                let recalls = self.turn.prompted().is_some_and(|turn| turn.recall == Recall::Included);
                if taken && recalls {
                    self.record.history_replay = HistoryReplay::Done;
                }
                self.end_turn(reason, usage, ResolvedBy::TurnEnded);
            }
            Err(_) if self.turn.is_stopping() => {
                self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
            }
            Err(error) => {
                let failure = self.advise(AgentFailure::refused("session/prompt", error));
                if failure.is_spawn_failure() {
                    // A new process finds the program that is installed now.
                    self.effect(Effect::Retire);
                    self.outdate_agent();
                } else if failure.is_session_forgotten() {
                    // Asked again it would say the same; opened again, the session continues.
                    self.outdate_agent();
                }
                self.fail_turn(&failure);
            }
        }
    }

    /// Has the agent started again before its next turn.
    pub(super) fn outdate_agent(&mut self) {
        if let Phase::Ready(ready) = &mut self.phase {
            ready.link.environment = Environment::Outdated;
        }
    }

    pub(super) fn fail_turn(&mut self, failure: &AgentFailure) {
        let events = self.reducer.end_turn();
        self.note(events);
        self.report_failure(failure);
        self.end_turn(StopReason::Error, None, ResolvedBy::TurnEnded);
    }

    /// Notes why the agent does not do what it should.
    pub(super) fn report_failure(&mut self, failure: &AgentFailure) {
        let (message, kind, details) = match failure {
            AgentFailure::Refused { method, message, code, data } => {
                let prompt = method == "session/prompt" && failure.kind() == CrashKind::Protocol;
                let kind = if prompt { CrashKind::PromptFailed } else { failure.kind() };
                let details = data.as_deref().cloned().unwrap_or_else(|| json!({ "code": code }));
                (message.clone(), kind, Some(details))
            }
            other => (other.to_string(), other.kind(), None),
        };
        let (turn_id, exit) = (self.turn.id(), failure.exit().cloned());
        self.draft.event(EventData::Error(CrashInfo { message, kind, turn_id, exit, details }));
    }

    /// Notes the end of the turn, and of everything that was asked in it.
    pub(super) fn end_turn(&mut self, reason: StopReason, usage: Option<Usage>, by: ResolvedBy) {
        let Some(turn_id) = self.turn.id() else { return };
        let reason = match (&self.turn, reason) {
            (Turn::Cancelling { cause, .. }, StopReason::Cancelled) => cause.stop_reason(),
            (_, reason) => reason,
        };
        self.turn = Turn::None;
        let events = self.reducer.end_turn();
        self.note(events);
        self.withdraw_asks(by);
        // An agent that was going to ask again what it asked before a restart has done so by now.
        self.record.unanswered.clear();
        let started_at = self.record.turn.take().map(|turn| turn.started_at);
        self.note_turn_usage(&turn_id, started_at, usage.as_ref());
        let ended = TurnEnded { turn_id: turn_id.clone(), stop_reason: reason, reason: None, usage };
        self.draft.event(EventData::TurnEnded(ended));
        self.draft.message_done(turn_id);
    }

    pub(super) fn on_cancel(&mut self, reply: Reply<CancelResult>) {
        let turn_id = self.turn.id();
        let withdrawn = self.cancel(WithdrawnBy::Cancelled);
        self.reply(reply, Ok(CancelResult { turn_id, withdrawn }));
    }

    /// Stops the turn and a start, withdraws waiting messages and returns how many they were.
    pub(super) fn cancel(&mut self, by: WithdrawnBy) -> usize {
        let waiting = self.queue.take();
        let withdrawn = waiting.len();
        for message in waiting {
            self.note_withdrawn(message.turn_id, message.message_id, by);
        }
        self.record.queue_held = false;
        self.stop_turn(Cause::Client);
        self.give_up_start();
        withdrawn
    }

    /// Asks the agent to stop, and answers what it waits for.
    pub(super) fn stop_turn(&mut self, cause: Cause) {
        self.turn = match std::mem::replace(&mut self.turn, Turn::None) {
            Turn::None => return,
            Turn::Starting(Queued { turn_id, message_id, .. })
            | Turn::Recalling(Queued { turn_id, message_id, .. }) => {
                Turn::Discarded(TurnIds { turn_id, message_id })
            }
            discarded @ Turn::Discarded(_) => discarded,
            Turn::Running(prompted) => {
                Turn::Cancelling { prompted, by: self.now.instant + self.limits.cancel(), cause }
            }
            cancelling @ Turn::Cancelling { .. } => cancelling,
        };
        if let Some(turn) = &mut self.record.turn {
            turn.cancelling = true;
            self.draft.touch();
        }
        // Before the answers: an agent that got them first might end the turn as if nobody had stopped it.
        if self.turn.prompted().is_some() {
            let params = json!({ "sessionId": self.record.native_session_id });
            self.effect(Effect::Notify { method: "session/cancel", params });
        }
        self.withdraw_asks(ResolvedBy::TurnEnded);
    }

    /// Leaves an agent that did not stop when it was asked to. Where it shares its process with other sessions, that process
    /// takes no new ones unless the agent says that it has closed this one.
    pub(super) fn abandon_turn(&mut self) {
        let seconds = self.limits.cancel().as_secs();
        let message =
            format!("the agent has not stopped within {seconds} s; it is started anew with the next message");
        self.report_error(CrashKind::Timeout, message, None);
        self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
        if let Phase::Ready(ready) = self.take_phase() {
            self.leave(Some(ready.link), super::CLOSING, Then::TurnAbandoned);
        }
    }

    /// Stops the turn of an agent that has said nothing for too long.
    pub(super) fn on_silence(&mut self) {
        let seconds = self.limits.silence().unwrap_or_default().as_secs();
        let message = format!("the agent has said nothing for {seconds} s; its turn is ended");
        self.report_error(CrashKind::Timeout, message, None);
        self.last_heard = self.now.instant;
        self.stop_turn(Cause::Silence);
    }
}

/// Returns whether a message is a command such as `/compact`.
fn is_command(parts: &[MessagePart]) -> bool {
    let Some(MessagePart::Text { text }) = parts.first() else { return false };
    let name = text.split_whitespace().next().and_then(|word| word.strip_prefix('/'));
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}
