//! The end of the app-server, and sessions in the next one.

use super::Session;
use super::opening::{mcp_wait, open_thread};
use super::turn::Turn;
use crate::core::Core;
use crate::jobs::NO_CREDENTIALS;
use crate::native::answer::OpenedThread;
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::{CompactionStatus, Error, SessionId};
use sa_acp::{Cancellation, Job, Link, ServedSession, Session as _, auth_required, failure};

impl Session {
    /// Continues the session in a process that is ready. A thread without a turn was never stored, and begins again.
    pub(crate) fn revive(&mut self, core: &mut Core) {
        if core.facts.lacks_credentials {
            return self.not_revived(core, &auth_required(NO_CREDENTIALS));
        }
        let method = if self.is_stored { "thread/resume" } else { "thread/start" };
        let thread = self.is_stored.then_some(self.thread.as_str());
        let params = open_thread(thread, &self.workspace, &self.settings);
        core.ask(method, &params, core.host.options.limits.open, Then::Revived(self.conversation.id.clone()));
    }

    pub(crate) fn on_revived(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        let reason = match outcome.read::<OpenedThread>() {
            Ok(opened) => {
                self.thread = opened.thread.id;
                self.link.set_up();
                self.link.mcp = mcp_wait(&self.workspace, core);
                return self.send_next(core);
            }
            Err(reason) => reason,
        };
        if self.is_stored && reason.contains("no rollout found") {
            // Nothing was stored before the last process died.
            self.is_stored = false;
            return self.revive(core);
        }
        self.not_revived(core, &failure(format!("Codex could not go on: {reason}"), "resume_failed"));
    }
}

impl ServedSession<Core> for Session {
    fn link(&mut self) -> &mut Link {
        &mut self.link
    }

    fn on_server_lost(&mut self, core: &mut Core, error: &Error) {
        self.close_tools(core, "The process of Codex ended");
        self.compaction.end(&mut core.io.client, &self.conversation.id, CompactionStatus::Failed);
        self.native_turn = None;
        self.speech.clear();
        self.abort_turn(core, error);
        self.fail_opening(core, error);
    }

    fn closed(&mut self, core: &mut Core) {
        if !self.conversation.is_closing() {
            return;
        }
        self.fail_opening(core, &failure("the session was closed while it was being opened", "closed"));
        for key in self.conversation.close(&mut core.io.client) {
            core.server.jobs.push_back(Job::Delete(key, SessionId::new(self.thread.clone())));
        }
    }

    fn is_stuck(&self) -> bool {
        let is_overdue = |turn: &Turn| turn.cancel == Cancellation::Overdue;
        self.conversation.is_queued() && self.turn.as_ref().is_some_and(is_overdue)
    }
}
