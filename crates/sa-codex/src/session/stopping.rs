//! How work is stopped.
//!
//! The app-server refuses an interrupt that comes before it has begun the turn, even if its id is known. So an interrupt is
//! sent when the turn's id is known, when the turn begins, and again after each refusal, until the turn is over or is waited
//! for no longer.

use super::Session;
use super::turn::Turn;
use crate::core::Core;
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::StopReason;
use sa_acp::Cancellation;
use serde_json::json;
use std::time::Duration;

/// The time after which an interrupt that was refused is sent again.
const AGAIN: Duration = Duration::from_millis(100);

impl Session {
    /// Returns whether the running work was cancelled: nothing may begin in it any more.
    pub(super) fn is_stopping(&self) -> bool {
        self.turn.as_ref().is_some_and(Turn::is_cancelled) || !self.conversation.is_open()
    }

    pub(super) fn send_interrupt(&mut self, core: &mut Core) {
        let turn = self.turn.as_mut();
        let own = turn.and_then(|turn| {
            // An interrupt that was refused may have named the turn by an id that is not the app-server's.
            let is_again = turn.interrupt_at.take().is_some();
            self.native_turn.as_deref().filter(|_| is_again).or(turn.id.as_deref())
        });
        if let Some(turn_id) = own.or(self.native_turn.as_deref()) {
            let params = json!({ "threadId": self.thread, "turnId": turn_id });
            let then = Then::Interrupted(self.conversation.id.clone());
            core.ask_soon("turn/interrupt", &params, then);
        }
    }

    /// The app-server has answered an interrupt. A refusal does not mean that the turn is over: it may not have begun.
    pub(crate) fn on_interrupted(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        let Outcome::Refused(refusal) = outcome else { return };
        let at = core.io.now.elapsed + AGAIN;
        if let Some(turn) = self.turn.as_mut().filter(|turn| turn.cancel.deadline().is_some()) {
            tracing::debug!(session = %self.conversation.id, reason = refusal.message, "codex refused an interrupt");
            turn.interrupt_at = Some(at);
        }
    }

    /// Sends an interrupt again that was refused.
    pub(super) fn enforce_interrupt(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        if self.turn.as_ref().and_then(|turn| turn.interrupt_at).is_some_and(|at| at <= now) {
            self.send_interrupt(core);
        }
    }

    /// Commands that run on behind an interrupted turn.
    pub(super) fn clean(&self, core: &mut Core) {
        core.order("thread/backgroundTerminals/clean", &json!({ "threadId": self.thread }));
    }

    /// Answers a cancelled prompt that the CLI does not end.
    pub(super) fn enforce_cancel(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        let Some(turn) = self.turn.as_mut().filter(|turn| turn.cancel.is_due(now)) else { return };
        if !self.conversation.is_awaited() {
            turn.cancel = Cancellation::Overdue;
            return;
        }
        turn.cancel = Cancellation::Requested(now + core.host.options.limits.cancel);
        tracing::warn!(session = %self.conversation.id, "codex does not heed an interrupt");
        self.close_tools(core, "Cancelled");
        self.conversation.finish(&mut core.io.client, Ok(StopReason::Cancelled), None);
        self.send_interrupt(core);
    }
}
