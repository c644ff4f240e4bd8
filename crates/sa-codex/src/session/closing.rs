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
use crate::replies::{Outcome, Then};
use sa_acp::{ServedSession as _, Session as _};
use serde_json::{Value, json};
use std::time::Duration;

/// The progress of closing a session.
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
        if self.is_busy() && core.io.now.elapsed < until {
            return;
        }
        self.closing = Some(Closing::Leaving);
        self.settle_cancelled(core);
        if !self.link.is_up() {
            return self.closed(core);
        }
        self.leave_offspring(core);
        let then = Then::Left(self.conversation.id.clone());
        core.ask_soon("thread/unsubscribe", &json!({ "threadId": self.thread }), then);
    }

    /// The app-server has let go of the thread, or cannot; it may still have to unload it.
    pub(crate) fn on_left(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        if !self.conversation.is_closing() {
            return;
        }
        let is_loaded = outcome.read::<Value>().is_ok_and(|answer| answer["status"] != "notLoaded");
        if !is_loaded || !core.facts.unloads {
            return self.closed(core);
        }
        self.closing = Some(Closing::Unloading(core.io.now.elapsed + UNLOAD));
    }

    /// The app-server has unloaded the thread. If nobody has asked for that, the next prompt has it taken up again.
    pub(super) fn on_unloaded(&mut self, core: &mut Core) {
        if !self.conversation.is_open() {
            return self.closed(core);
        }
        if !self.is_busy() {
            self.link.set_down();
            self.send_next(core);
        }
    }

    pub(super) fn enforce_close(&mut self, core: &mut Core) {
        let now = core.io.now.elapsed;
        match self.closing {
            Some(Closing::Stopping(until)) if until <= now => self.let_go(core),
            Some(Closing::Unloading(until)) if until <= now => {
                tracing::warn!(session = %self.conversation.id, "codex does not unload a thread that was closed");
                self.closed(core);
            }
            _ => {}
        }
    }
}
