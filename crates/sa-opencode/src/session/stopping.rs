//! How work is stopped, and sessions are closed or deleted: the work is cancelled, then the client is answered.
//!
//! Prompt and abort travel on two connections, so an abort may overtake its prompt and find nothing to stop. It is sent again
//! when the server begins to work, and from time to time until the turn is over. An abort names no prompt: the next prompt
//! waits until all aborts are answered.

use super::Session;
use super::turn::{Progress, Turn};
use crate::core::Core;
use crate::replies::Then;
use agent_client_protocol_schema::v1::StopReason;
use sa_acp::{Cancellation, ServedSession as _, Session as _};
use serde_json::json;
use std::time::Duration;

/// The time after which an abort without effect is sent again.
const AGAIN: Duration = Duration::from_millis(500);

impl Session {
    /// Returns whether the running work was cancelled: nothing may begin in it any more.
    pub(super) fn is_stopping(&self) -> bool {
        self.turn.as_ref().is_some_and(Turn::is_cancelled) || !self.conversation.is_open()
    }

    /// The server works on the prompt. An abort may have overtaken it, so one that was sent before is sent again.
    pub(super) fn on_busy(&mut self, core: &mut Core) {
        let Some(turn) = &mut self.turn else { return };
        turn.progress = Progress::Working;
        if turn.is_cancelled() && turn.work.is_none() {
            self.send_abort(core);
        }
    }

    pub(super) fn send_abort(&mut self, core: &mut Core) {
        if let Some(turn) = &mut self.turn {
            turn.abort_at = Some(core.io.now.elapsed + AGAIN);
        }
        self.aborts += 1;
        let (call, then) = (self.post("abort", json!({})), Then::Aborted(self.conversation.id.clone()));
        core.ask(&call, Some(core.host.limits.cancel), then);
    }

    /// The server has taken note of an abort, or never will.
    pub(crate) fn on_aborted(&mut self, core: &mut Core) {
        self.aborts = self.aborts.saturating_sub(1);
        self.send_next(core);
    }

    /// Sends an abort again that has had no effect: it may have been too early.
    pub(super) fn enforce_abort(&mut self, core: &mut Core) {
        let Some(turn) = &mut self.turn else { return };
        if turn.abort_at.is_none_or(|at| at > core.io.now.elapsed) {
            return;
        }
        if turn.ended.is_some() || !self.conversation.is_awaited() {
            turn.abort_at = None;
        } else if self.aborts > 0 {
            turn.abort_at = Some(core.io.now.elapsed + AGAIN);
        } else {
            self.send_abort(core);
        }
    }

    /// Answers a cancelled prompt that the server does not end. After as long again it counts as stuck.
    pub(super) fn enforce_cancel(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.cancel.is_due(now)) else { return };
        let is_stuck = !self.conversation.is_awaited() && self.conversation.is_queued();
        turn.cancel = match is_stuck {
            true => Cancellation::Overdue,
            false => Cancellation::Requested(now + core.host.limits.cancel),
        };
        if self.conversation.is_awaited() {
            self.close_tools(core, "Cancelled");
            self.finish_prompt(core, Ok(StopReason::Cancelled));
        }
    }

    /// Lets go of the session once nothing runs in it.
    pub(super) fn let_go(&mut self, core: &mut Core) {
        let Some(deadline) = self.close_by else { return };
        if self.turn.is_none() || deadline <= core.io.now.elapsed {
            self.settle_cancelled(core);
            self.closed(core);
        }
    }

    pub(super) fn enforce_close(&mut self, core: &mut Core) {
        if self.close_by.is_some_and(|deadline| deadline <= core.io.now.elapsed) {
            self.let_go(core);
        }
    }
}
