//! Ends: of the agent, of its session, of this session.

use super::machine::Machine;
use super::phase::{
    AgentInUse, Attempt, Closed, Direction, Leaving, LeavingStep, Phase, Purpose, Reported, StartRequest,
    Then, Why, Work,
};
use super::turn::Turn;
use super::{CLOSING, Effect, LEAVING};
use crate::agent::{AgentFailure, Opens};
use crate::command::{NativeSession, Reply};
use sa_api::AgentExit;
use sa_api::sessions::{
    CrashInfo, CrashKind, EndReason, Ended, EventData, NoticeSeverity, ResolvedBy, SessionState, StopReason,
    WithdrawnBy,
};
use serde_json::json;
use serde_json::value::RawValue;
use std::time::Duration;

/// The end that clients want for the session.
pub(super) struct Ending {
    native: NativeSession,
    replies: Vec<Reply<()>>,
}

impl Then {
    /// Returns whether clients see the session as starting until the agent is left.
    pub(super) fn is_part_of_start(&self) -> bool {
        matches!(self, Self::StartFailed { .. } | Self::Retry(_))
    }

    /// Returns the same for a start that nobody wants any more.
    pub(super) fn without_retry(self) -> Self {
        match self {
            Self::Retry(purpose) => {
                Self::StartFailed { purpose, failure: AgentFailure::GivenUp, reported: Reported::No }
            }
            other => other,
        }
    }

    /// Returns whether the agent's own session is deleted, too, if a client wants that.
    fn may_delete(&self) -> bool {
        matches!(self, Self::StartFailed { .. } | Self::Retry(_) | Self::Terminate)
    }
}

impl Machine {
    /// Lets go of the agent. If it has an open session, it is asked to close that first.
    pub(super) fn leave(&mut self, open_link: Option<AgentInUse>, limit: Duration, then: Then) {
        match open_link {
            Some(link) if link.can_close() => {
                let params = json!({ "sessionId": self.record.native_session_id });
                let call = self.call("session/close", params, Opens::Nothing, limit);
                let step = LeavingStep::Closing;
                self.phase = Phase::Leaving(Box::new(Leaving { link, call, step, then }));
            }
            Some(link) => self.delete_or_left(link, Closed::No, then),
            None => self.left(Closed::No, then),
        }
    }

    /// Has the agent delete its session if clients want that.
    fn delete_or_left(&mut self, link: AgentInUse, closed: Closed, then: Then) {
        let is_wanted = self.ending.as_ref().is_some_and(|ending| ending.native == NativeSession::Delete);
        if !(is_wanted && then.may_delete() && link.can_delete()) {
            return self.left(closed, then);
        }
        let params = json!({ "sessionId": self.record.native_session_id });
        let call = self.call("session/delete", params, Opens::Nothing, CLOSING);
        let step = LeavingStep::Deleting(closed);
        self.phase = Phase::Leaving(Box::new(Leaving { link, call, step, then }));
    }

    pub(super) fn on_leaving_answer(
        &mut self,
        leaving: Leaving,
        outcome: &Result<Box<RawValue>, AgentFailure>,
    ) {
        if let Err(error) = outcome {
            let method = leaving.call.method;
            tracing::debug!(session = %self.id, method, %error, "the agent did not let go of its session");
        }
        match leaving.step {
            LeavingStep::Closing => {
                let closed = if outcome.is_ok() { Closed::Yes } else { Closed::No };
                self.delete_or_left(leaving.link, closed, leaving.then);
            }
            LeavingStep::Deleting(closed) => self.left(closed, leaving.then),
        }
    }

    /// Continues after the agent is left.
    fn left(&mut self, closed: Closed, then: Then) {
        if matches!(then, Then::TurnAbandoned) && closed == Closed::No {
            self.effect(Effect::Retire);
        }
        self.phase = Phase::Detached(Why::Lost);
        self.effect(Effect::Leave);
        if !matches!(then, Then::Terminate) {
            self.withdraw_asks(ResolvedBy::AgentEnded);
            self.asks.clear();
        }
        match then {
            Then::IdleShutdown => self.on_idle_shutdown(),
            Then::Renew => self.restart_turn(),
            Then::TurnAbandoned => {}
            Then::StartFailed { purpose, failure, reported } => {
                self.on_start_failed(purpose, failure, reported);
            }
            Then::Retry(purpose) => self.try_start(StartRequest { purpose, attempt: Attempt::Last }),
            Then::Terminate => self.on_terminated(),
        }
    }

    /// Shuts down an agent that has had nothing to do for a while. The next message starts it again.
    pub(super) fn shut_down_idle(&mut self) {
        if let Phase::Ready(ready) = self.take_phase() {
            self.leave(Some(ready.link), LEAVING, Then::IdleShutdown);
        }
    }

    fn on_idle_shutdown(&mut self) {
        self.phase = Phase::Detached(Why::IdleShutdown);
        let description =
            "the agent had nothing to do for a while and was ended; the next message starts it again";
        self.notice(NoticeSeverity::Info, "Resting", description.to_owned());
    }

    /// Takes note that the agent's process has ended, by itself or because somebody ended it.
    pub(super) fn on_agent_ended(&mut self, exit: AgentExit) {
        let phase = self.take_phase();
        self.effect(Effect::Leave);
        let events = self.reducer.end_turn();
        self.note(events);
        self.draft.event(EventData::Error(CrashInfo {
            message: describe(&exit),
            kind: CrashKind::AgentExited,
            turn_id: self.turn.id(),
            exit: Some(exit.clone()),
            details: None,
        }));
        self.withdraw_asks(ResolvedBy::AgentEnded);
        // A turn whose prompt was not sent continues: the agent is started for it.
        if self.turn.prompted().is_some() {
            let reason = if self.turn.is_stopping() { StopReason::Cancelled } else { StopReason::Error };
            self.end_turn(reason, None, ResolvedBy::AgentEnded);
        }
        if let Some(turn) = self.turn.id() {
            let events = self.reducer.begin_turn(&turn);
            self.note(events);
        }
        self.asks.clear();
        let failure = AgentFailure::Ended(exit);
        match phase {
            Phase::Starting(start) => {
                self.effect(Effect::Abort);
                self.fail_start(start.request.purpose, None, failure, Reported::Yes);
            }
            Phase::Ready(ready) => self.on_link_lost(ready.work, failure),
            Phase::Leaving(leaving) => self.left(Closed::No, leaving.then),
            idle @ (Phase::Detached(_) | Phase::Ended) => self.phase = idle,
        }
    }

    /// Starts another agent for a turn whose message none has got, unless the turn was cancelled.
    fn restart_turn(&mut self) {
        match std::mem::replace(&mut self.turn, Turn::None) {
            Turn::Starting(message) | Turn::Recalling(message) if self.ending.is_none() => {
                self.turn = Turn::Starting(message);
                self.start(Purpose::Turn);
            }
            other => {
                self.turn = other;
                self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
            }
        }
    }

    /// Ends the work of the agent that is not part of its turn.
    fn on_link_lost(&mut self, work: Work, failure: AgentFailure) {
        match work {
            Work::Settled => {
                self.effect(Effect::Abort);
                self.restart_turn();
            }
            Work::Holding(_) => self.on_hold_failed(&failure),
            Work::Changing(changing) => {
                let failure = match changing.direction {
                    Direction::Forward => failure,
                    Direction::Back(refused) => refused,
                };
                self.on_change_refused(changing.change, failure);
            }
        }
    }

    /// Has the session end as soon as nothing else is under way. Every wait from here on is bounded.
    pub(super) fn on_terminate(&mut self, native: NativeSession, reply: Reply<()>) {
        let is_first = self.ending.is_none();
        let ending = self.ending.get_or_insert_with(|| Ending { native, replies: Vec::new() });
        ending.native = ending.native.max(native);
        ending.replies.push(reply);
        if is_first {
            self.give_up_for_end();
        }
    }

    /// Gives up whatever would delay the end.
    fn give_up_for_end(&mut self) {
        self.give_up_start();
        match self.take_phase() {
            Phase::Ready(ready) => self.give_up_settings(ready),
            // A start that has failed closes what it has opened; everything else is left at once.
            Phase::Leaving(leaving) if !leaving.then.may_delete() => self.left(Closed::No, leaving.then),
            other => self.phase = other,
        }
        if self.turn.is_starting() && matches!(self.phase, Phase::Ready(_)) {
            self.effect(Effect::Abort);
            self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
        }
    }

    /// Ends the session and keeps its history.
    pub(super) fn terminate(&mut self) {
        self.cancel(WithdrawnBy::Ended);
        let link = match self.take_phase() {
            Phase::Ready(ready) => Some(ready.link),
            _ => None,
        };
        self.leave(link, CLOSING, Then::Terminate);
    }

    fn on_terminated(&mut self) {
        self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
        self.withdraw_asks(ResolvedBy::TurnEnded);
        self.asks.clear();
        self.phase = Phase::Ended;
        self.draft.event(EventData::Ended(Ended { reason: EndReason::Terminated }));
        self.record.state = SessionState::Ended;
        self.effect(Effect::ReleaseSkills);
        self.effect(Effect::CloseLog);
        let waiting = self.ending.take().into_iter().flat_map(|ending| ending.replies);
        for reply in waiting {
            self.reply(reply, Ok(()));
        }
        self.effect(Effect::Stop);
    }

    /// Stops: the store will never take what has happened. The session can be read as far as it is stored, and deleted.
    pub(super) fn on_store_lost(&mut self) {
        self.draft = Default::default();
        self.turn = Turn::None;
        self.queue.take();
        self.phase = Phase::Ended;
        self.record.state = SessionState::Interrupted;
        self.effect(Effect::Leave);
        self.effect(Effect::Show);
        self.effect(Effect::Stop);
    }
}

fn describe(exit: &AgentExit) -> String {
    let how = match (exit.code, exit.signal) {
        (Some(code), _) => format!("with code {code}"),
        (None, Some(signal)) => format!("by signal {signal}"),
        (None, None) => "without a trace".to_owned(),
    };
    let last = exit.stderr_tail.trim().lines().last().unwrap_or_default();
    if last.is_empty() { format!("the agent ended {how}") } else { format!("the agent ended {how}: {last}") }
}
