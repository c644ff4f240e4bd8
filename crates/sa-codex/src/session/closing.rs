//! How a session is closed or deleted: its work is cancelled, the app-server lets go of the thread, then the client is
//! answered.

use super::Session;
use super::reviving::Link;
use crate::core::Core;
use crate::jobs::Job;
use crate::native::call::OfThread;
use crate::replies::Then;
use agent_client_protocol_schema::v1::{CloseSessionResponse, SessionId};
use sa_acp::{RequestKey, Session as _, failure};
use std::time::Duration;

/// A session that is being closed.
#[derive(Debug)]
pub(super) struct Closing {
    waiting: sa_acp::Closing,
    /// When the turn that was interrupted is waited for no longer; `None` once that is over.
    deadline: Option<Duration>,
}

impl Closing {
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }
}

impl Session {
    /// Closes the session; `delete` removes what is stored of it, too.
    pub(super) fn begin_close(&mut self, core: &mut Core, key: RequestKey, delete: bool) {
        let is_first = self.closing.is_none();
        let deadline = core.now.elapsed + core.host.limits.cancel;
        let waiting = sa_acp::Closing::default();
        let closing = self.closing.get_or_insert(Closing { waiting, deadline: Some(deadline) });
        closing.waiting.add(key, delete);
        if is_first {
            self.cancel(core);
            self.let_go(core);
        }
    }

    /// Has the app-server let go of the thread once nothing runs in it.
    pub(super) fn let_go(&mut self, core: &mut Core) {
        let Some(closing) = &mut self.closing else { return };
        let is_waiting = self.native_turn.is_some() || self.turn.is_some();
        let is_late = closing.deadline.is_none_or(|deadline| deadline <= core.now.elapsed);
        if is_waiting && !is_late {
            return;
        }
        if closing.deadline.take().is_none() {
            return;
        }
        self.settle_cancelled(core);
        if self.link != Link::Up {
            return self.closed(core);
        }
        let limit = core.host.limits.control;
        let then = Then::Closed(self.id.clone());
        core.ask("thread/unsubscribe", OfThread { thread_id: &self.thread }, limit, then);
    }

    pub(super) fn enforce_close(&mut self, core: &mut Core) {
        let now = core.now.elapsed;
        if self.closing.as_ref().and_then(Closing::deadline).is_some_and(|deadline| deadline <= now) {
            self.let_go(core);
        }
    }

    /// Answers whoever wanted the session closed.
    pub(crate) fn closed(&mut self, core: &mut Core) {
        let Some(closing) = self.closing.take() else { return };
        self.fail_opening(core, &failure("the session was closed while it was being opened", "closed"));
        for key in closing.waiting.closes {
            core.reply(&key, CloseSessionResponse::new());
        }
        for key in closing.waiting.deletes {
            core.jobs.push_back(Job::Delete(key, SessionId::new(self.thread.clone())));
        }
        self.gone = true;
    }
}
