//! How a session is closed or deleted.
//!
//! ```text
//!  Stopping ──turn ended──► Leaving ──unsubscribed──► Unloading ──thread closed──► answered
//! ```
//!
//! The client is answered when the app-server has unloaded the thread: while a thread is loaded, no other process can take
//! it up. Each step but `Leaving` has a time limit of its own; the request of that one has the usual limit.

use super::Session;
use crate::core::Core;
use crate::limits::UNLOAD;
use crate::native::answer::Unsubscribed;
use crate::native::call::OfThread;
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::SessionId;
use sa_acp::{Job, Link, Session as _, failure};
use std::time::Duration;

/// How far the end of a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// The turn that was interrupted is waited for, until then.
    Stopping(Duration),
    /// The app-server was asked to let go of the thread.
    Leaving,
    /// The app-server is unloading the thread; the wait ends at this time.
    Unloading(Duration),
}

impl Closing {
    pub(super) fn deadline(self) -> Option<Duration> {
        match self {
            Self::Stopping(until) | Self::Unloading(until) => Some(until),
            Self::Leaving => None,
        }
    }
}

impl Session {
    /// Has the app-server let go of the thread once nothing runs in it.
    pub(super) fn let_go(&mut self, core: &mut Core) {
        let Some(Closing::Stopping(until)) = self.closing else { return };
        let is_busy = self.native_turn.is_some() || self.turn.is_some();
        if is_busy && core.now.elapsed < until {
            return;
        }
        self.closing = Some(Closing::Leaving);
        self.settle_cancelled(core);
        if self.link != Link::Up {
            return self.closed(core);
        }
        self.leave_offspring(core);
        let limit = core.host.limits.control;
        let then = Then::Left(self.conversation.id.clone());
        core.ask("thread/unsubscribe", OfThread { thread_id: &self.thread }, limit, then);
    }

    /// The app-server has let go of the thread, or cannot; it may still have to unload it.
    pub(crate) fn left(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        if !self.conversation.is_closing() {
            return;
        }
        let is_loaded = outcome.read::<Unsubscribed>().is_ok_and(|answer| answer.status != "notLoaded");
        if !is_loaded || !core.unloads {
            return self.closed(core);
        }
        self.closing = Some(Closing::Unloading(core.now.elapsed + UNLOAD));
    }

    /// The app-server has unloaded the thread. If nobody has asked for that, the next prompt has it taken up again.
    pub(super) fn unloaded(&mut self, core: &mut Core) {
        if !self.conversation.is_open() {
            return self.closed(core);
        }
        if !self.is_busy() {
            self.link = Link::Down;
            self.send_next(core);
        }
    }

    pub(super) fn enforce_close(&mut self, core: &mut Core) {
        let now = core.now.elapsed;
        match self.closing {
            Some(Closing::Stopping(until)) if until <= now => self.let_go(core),
            Some(Closing::Unloading(until)) if until <= now => {
                tracing::warn!(session = %self.conversation.id, "codex does not unload a thread that was closed");
                self.closed(core);
            }
            _ => {}
        }
    }

    /// Answers whoever wanted the session closed.
    pub(crate) fn closed(&mut self, core: &mut Core) {
        if !self.conversation.is_closing() {
            return;
        }
        self.fail_opening(core, &failure("the session was closed while it was being opened", "closed"));
        for key in self.conversation.close(&mut core.client) {
            core.server.jobs.push_back(Job::Delete(key, SessionId::new(self.thread.clone())));
        }
    }
}
