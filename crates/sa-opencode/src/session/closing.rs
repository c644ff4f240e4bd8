//! How a session is closed or deleted: its work is cancelled, then the client is answered.

use super::Session;
use crate::core::Core;
use crate::jobs::Job;
use agent_client_protocol_schema::v1::CloseSessionResponse;
use sa_acp::{RequestKey, Session as _};
use std::time::Duration;

/// A session that is being closed.
#[derive(Debug)]
pub(super) struct Closing {
    waiting: sa_acp::Closing,
    /// When the turn that was aborted is waited for no longer.
    deadline: Duration,
}

impl Closing {
    pub(super) fn deadline(&self) -> Duration {
        self.deadline
    }
}

impl Session {
    /// Closes the session; `delete` removes what is stored of it, too.
    pub(super) fn begin_close(&mut self, core: &mut Core, key: RequestKey, delete: bool) {
        let is_first = self.closing.is_none();
        let deadline = core.now.elapsed + core.host.limits.cancel;
        let waiting = sa_acp::Closing::default();
        let closing = self.closing.get_or_insert(Closing { waiting, deadline });
        closing.waiting.add(key, delete);
        if is_first {
            self.cancel(core);
            self.let_go(core);
        }
    }

    /// Lets go of the session once nothing runs in it.
    pub(super) fn let_go(&mut self, core: &mut Core) {
        let Some(closing) = &self.closing else { return };
        if self.turn.is_none() || closing.deadline <= core.now.elapsed {
            self.settle_cancelled(core);
            self.closed(core);
        }
    }

    pub(super) fn enforce_close(&mut self, core: &mut Core) {
        if self.closing.as_ref().is_some_and(|closing| closing.deadline <= core.now.elapsed) {
            self.let_go(core);
        }
    }

    /// Answers whoever wanted the session closed.
    pub(super) fn closed(&mut self, core: &mut Core) {
        let Some(closing) = self.closing.take() else { return };
        self.unregister(core);
        for key in closing.waiting.closes {
            core.reply(&key, CloseSessionResponse::new());
        }
        for key in closing.waiting.deletes {
            core.jobs.push_back(Job::Delete(key, self.id.clone()));
        }
        self.gone = true;
    }
}
