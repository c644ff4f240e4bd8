//! Ends: of the agent, of the session, of the daemon that ran before.

use super::Owner;
use super::queue::Queued;
use crate::cut_off;
use sa_api::AgentExit;
use sa_api::sessions::{CrashInfo, Ended, EventData, ResolvedBy, SessionState, StopReason, TurnEnded};
use sa_store::{MessageChange, MessageState};
use serde_json::json;
use std::time::Duration;

/// How long an agent has to close a session that is terminated.
const CLOSING: Duration = Duration::from_secs(2);

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
            kind: "agentExited".to_owned(),
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

    /// Lets go of the agent; its process ends if no other session uses it.
    pub(super) fn leave_agent(&mut self) {
        if let Some(link) = self.link.take()
            && let Some(native) = &self.record.native_session_id
        {
            link.connection.release(native);
        }
        self.withdraw_asked(ResolvedBy::AgentEnded);
        self.asked.clear();
    }

    /// Ends the session and keeps its history.
    pub(super) async fn terminate(&mut self, forget: bool) {
        drop(self.cancel().await);
        self.close_session().await;
        if forget {
            self.delete_session().await;
        }
        self.end_turn(StopReason::Cancelled, None, ResolvedBy::TurnEnded);
        self.withdraw_asked(ResolvedBy::TurnEnded);
        self.leave_agent();
        self.draft.event(EventData::Ended(Ended { reason: "terminated".to_owned() }));
        self.record.state = SessionState::Ended;
        self.commit().await;
        self.release_skills().await;
        self.shared.log.close();
        self.done = true;
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
    pub(super) async fn close_session(&mut self) -> bool {
        let can = self.link.as_ref().filter(|link| link.ready).is_some_and(|link| {
            link.connection.greeting().agent_capabilities.session_capabilities.close.is_some()
        });
        if !can {
            return false;
        }
        let params = json!({ "sessionId": self.record.native_session_id });
        let closed = self.call("session/close", &params, false, CLOSING).await;
        if let Err(error) = &closed {
            tracing::debug!(session = %self.shared.id, %error, "the agent did not close its session");
        }
        closed.is_ok()
    }

    /// Has the agent forget its own session, if it can and does so soon.
    async fn delete_session(&mut self) {
        let can = self.link.as_ref().filter(|link| link.ready).is_some_and(|link| {
            link.connection.greeting().agent_capabilities.session_capabilities.delete.is_some()
        });
        if can {
            let params = json!({ "sessionId": self.record.native_session_id });
            if let Err(error) = self.call("session/delete", &params, false, CLOSING).await {
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
        self.withdraw_asked(ResolvedBy::AgentEnded);
        if self.record.turn.take().is_some() {
            let cut = cut_off::messages(&self.shared.log, self.record.turn_after).await;
            self.draft.events.extend(cut);
        }
        for message in pending {
            if message.state == MessageState::Queued {
                match serde_json::from_slice::<Queued>(&message.body) {
                    Ok(queued) => self.queue.push(queued),
                    Err(error) => {
                        tracing::error!(session = %self.shared.id, %error, "a message cannot be read")
                    }
                }
                continue;
            }
            self.draft.event(EventData::TurnEnded(TurnEnded {
                turn_id: message.turn_id.clone(),
                stop_reason: StopReason::Unknown,
                usage: None,
            }));
            let done = MessageChange::State { turn_id: message.turn_id, state: MessageState::Done };
            self.draft.messages.push(done);
        }
        self.commit().await;
        // Waiting messages are begun with the next one: nobody asked this daemon to start an agent.
        self.held = self.queue.len() > 0;
        self.shared.show(&self.record, self.queue.len());
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
