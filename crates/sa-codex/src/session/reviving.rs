//! What happens when the app-server ends, and how a session goes on in the next one.

use super::Session;
use super::opening::{config, mcp_wait};
use super::turn::Turn;
use crate::core::Core;
use crate::native::answer::OpenedThread;
use crate::native::call::OpenThread;
use crate::replies::{Outcome, Then};
use agent_client_protocol_schema::v1::{CompactionStatus, Error};
use sa_acp::{Link, ServedSession, Session as _, failure};
use std::time::Duration;

impl Session {
    /// The app-server is ready. A thread without a turn was never stored, and is begun again.
    pub(crate) fn revive(&mut self, core: &mut Core) {
        let method = if self.is_stored { "thread/resume" } else { "thread/start" };
        let params = OpenThread {
            thread_id: self.is_stored.then_some(self.thread.as_str()),
            cwd: &self.workspace.cwd,
            model: Some(self.settings.model()).filter(|model| !model.is_empty()),
            approval_policy: self.settings.approval_policy(),
            sandbox: self.settings.sandbox(),
            config: config(&self.workspace),
        };
        core.ask(method, params, core.host.limits.open, Then::Revived(self.conversation.id.clone()));
    }

    pub(crate) fn revived(&mut self, core: &mut Core, outcome: &Outcome<'_>) {
        let reason = match outcome.read::<OpenedThread>() {
            Ok(opened) => {
                self.thread = opened.thread.id;
                self.link = Link::Up;
                self.mcp = mcp_wait(&self.workspace, core);
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

impl ServedSession for Session {
    fn server_lost(&mut self, core: &mut Core, error: &Error) {
        self.conversation.withdraw_all(&mut core.client);
        self.close_tools(core, "The process of Codex ended");
        self.compaction.end(&mut core.client, &self.conversation.id, CompactionStatus::Failed);
        self.native_turn = None;
        self.speech.clear();
        self.link = Link::Down;
        self.abort_turn(core, error);
        self.fail_opening(core, error);
        if !self.conversation.is_open() {
            return self.closed(core);
        }
        self.send_next(core);
    }

    fn not_revived(&mut self, core: &mut Core, error: &Error) {
        self.link = Link::Down;
        self.conversation.fail_queue(&mut core.client, error);
    }

    fn is_stuck(&self) -> bool {
        let is_given_up = |turn: &Turn| turn.cancel == Some(Duration::MAX);
        self.conversation.is_queued() && self.turn.as_ref().is_some_and(is_given_up)
    }
}
