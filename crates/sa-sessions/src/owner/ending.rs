//! Ends: of the agent, of the session, of the daemon that ran before.

use super::Owner;
use super::queue::Queued;
use crate::agent::Opens;
use crate::command::Reply;
use crate::cut_off;
use sa_api::AgentExit;
use sa_api::sessions::{
    CrashInfo, CrashKind, CutOff, EndReason, Ended, EventData, ResolvedBy, SessionState, StopReason,
    TurnEnded, WithdrawnBy,
};
use sa_store::{Direction, MessageChange, MessageState};
use serde_json::json;
use std::time::Duration;

/// How long an agent has to close a session that is terminated.
pub(super) const CLOSING: Duration = Duration::from_secs(2);
/// How long it has when the session is opened again in another process, which some agents refuse before that.
pub(super) const LEAVING: Duration = Duration::from_secs(5);

/// The end that clients want for the session.
#[derive(Default)]
pub(super) struct Ending {
    /// The agent is to forget its own session, too.
    forget: bool,
    /// The session is being ended, so nothing has to be given up for it any more.
    pub(super) begun: bool,
    replies: Vec<Reply<()>>,
}

impl Ending {
    /// Adds a client that waits for it.
    pub(super) fn join(&mut self, forget: bool, reply: Reply<()>) {
        self.forget |= forget;
        self.replies.push(reply);
    }
}

impl Owner {
    /// The agent's process has ended, by itself or because somebody ended it.
    pub(super) fn agent_ended(&mut self, exit: AgentExit) {
        if self.link.take().is_none() {
            return;
        }
        self.exit_told = true;
        let events = self.reducer.end_turn();
        self.note(events);
        self.draft.event(EventData::Error(CrashInfo {
            message: describe(&exit),
            kind: CrashKind::AgentExited,
            turn_id: self.turn_id(),
            exit: Some(exit),
            details: None,
        }));
        self.withdraw_asked(ResolvedBy::AgentEnded);
        let cancelled = self.turn.as_ref().is_some_and(|turn| turn.cancel_by.is_some());
        let reason = if cancelled { StopReason::Cancelled } else { StopReason::Error };
        // A turn whose prompt was not sent yet goes on: the agent is started for it, and that has just failed.
        if self.turn.as_ref().is_some_and(|turn| turn.call.is_some()) {
            self.end_turn(reason, None, ResolvedBy::AgentEnded);
        }
        self.asked.clear();
    }

    /// Takes note of an agent that ended while nobody listened, before another one takes its place.
    pub(super) fn notice_end(&mut self) {
        let Some(exit) = self.link.as_ref().and_then(|link| link.connection.ended()) else { return };
        while let Some(input) = self.link.as_mut().and_then(|link| link.incoming.try_recv().ok()) {
            self.input(input);
        }
        self.agent_ended(exit);
    }

    /// Lets go of the agent; its process ends if no other session uses it.
    pub(super) fn leave_agent(&mut self) {
        self.link = None;
        self.withdraw_asked(ResolvedBy::AgentEnded);
        self.asked.clear();
    }

    /// Lets go of an agent that did not get ready. The session that it opened is closed, as its process may serve others for long.
    pub(super) async fn abandon_start(&mut self) {
        self.given_up = false;
        self.close_session(CLOSING).await;
        if self.ending.as_ref().is_some_and(|ending| ending.forget) {
            self.delete_session().await;
        }
        self.leave_agent();
    }

    /// Ends the session and keeps its history. Every wait in here is bounded.
    pub(super) async fn terminate(&mut self) {
        let Some(ending) = &mut self.ending else { return };
        ending.begun = true;
        drop(self.cancel(WithdrawnBy::Ended).await);
        self.given_up = false;
        self.close_session(CLOSING).await;
        if self.ending.as_ref().is_some_and(|ending| ending.forget) {
            self.delete_session().await;
        }
        self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
        self.withdraw_asked(ResolvedBy::TurnEnded);
        self.leave_agent();
        self.draft.event(EventData::Ended(Ended { reason: EndReason::Terminated }));
        self.record.state = SessionState::Ended;
        self.commit().await;
        self.release_skills().await;
        self.shared.log.close();
        self.done = true;
        for reply in self.ending.take().into_iter().flat_map(|ending| ending.replies) {
            drop(reply.send(Ok(())));
        }
    }

    /// Takes back the skills that were put in place, unless another session is long about its own: the next daemon's start does
    /// it then.
    async fn release_skills(&self) {
        let released = tokio::time::timeout(CLOSING, self.parts.skills.release(&self.shared.id)).await;
        match released {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(session = %self.shared.id, %error, "skills of an ended session are left in place");
            }
            Err(_) => {
                tracing::warn!(session = %self.shared.id, "skills of an ended session stay until the next start")
            }
        }
    }

    /// Has the agent close its own session, if it can and does so soon; whether it did.
    pub(super) async fn close_session(&mut self, limit: Duration) -> bool {
        let can = self.link.as_ref().filter(|link| link.open).is_some_and(|link| {
            link.connection.greeting().agent_capabilities.session_capabilities.close.is_some()
        });
        if !can {
            return false;
        }
        let params = json!({ "sessionId": self.record.native_session_id });
        self.closing = true;
        let closed = self.call("session/close", &params, Opens::Nothing, limit).await;
        self.closing = false;
        if let Err(error) = &closed {
            tracing::debug!(session = %self.shared.id, %error, "the agent did not close its session");
        }
        closed.is_ok()
    }

    /// Has the agent forget its own session, if it can and does so soon.
    async fn delete_session(&mut self) {
        let can = self.link.as_ref().filter(|link| link.open).is_some_and(|link| {
            link.connection.greeting().agent_capabilities.session_capabilities.delete.is_some()
        });
        if can {
            let params = json!({ "sessionId": self.record.native_session_id });
            if let Err(error) = self.call("session/delete", &params, Opens::Nothing, CLOSING).await {
                tracing::debug!(session = %self.shared.id, %error, "the agent did not delete its session");
            }
        }
    }

    /// Takes up what a daemon before this one has left: no turn of its time has an end that anybody saw, and nobody
    /// waits for what was asked. Messages that were accepted and not begun are still to be done.
    pub(super) async fn recover(&mut self) {
        let pending = match self.parts.store.pending_messages(&self.shared.id).await {
            Ok(pending) => pending,
            Err(error) => {
                tracing::error!(session = %self.shared.id, %error, "waiting messages cannot be read");
                Vec::new()
            }
        };
        self.note_unanswered();
        self.withdraw_asked(ResolvedBy::DaemonRestarted);
        let turn = self.record.turn.take();
        let turn_after = turn.as_ref().map(|_| self.record.turn_after);
        if let Some(after) = turn_after.or(self.unfinished_after().await) {
            let cut = cut_off::messages(&self.shared.log, after).await;
            self.draft.events.extend(cut);
        }
        for message in pending {
            if message.state == MessageState::Queued {
                match serde_json::from_slice::<Queued>(&message.body) {
                    Ok(queued) => self.queue.push(queued),
                    Err(error) => {
                        tracing::error!(session = %self.shared.id, %error, "a message cannot be read");
                        self.note_unreadable(&message);
                    }
                }
                continue;
            }
            self.resume_trace(&message, turn.as_ref());
            self.note_turn_usage(&message.turn_id, None, None);
            self.draft.event(EventData::TurnEnded(TurnEnded {
                turn_id: message.turn_id.clone(),
                stop_reason: StopReason::Unknown,
                reason: Some(CutOff::DaemonRestarted),
                usage: None,
            }));
            let done = MessageChange::State { turn_id: message.turn_id, state: MessageState::Done };
            self.draft.messages.push(done);
        }
        self.queue.reorder(&self.record.queue_order);
        // Waiting messages are begun when a client comes: nobody asked this daemon to start an agent.
        self.hold_queue();
        self.note_listing();
        self.commit().await;
        self.shared.show(&self.record, self.queue.describe());
    }

    /// Returns the last event before the messages that an agent was writing outside of a turn; none if it was not.
    async fn unfinished_after(&self) -> Option<u64> {
        let slice = self.shared.log.transcript(None, Direction::Forward, 0, 0).await;
        Some(slice.ok()?.unfinished?.from.saturating_sub(1))
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
