//! The end of a process of the CLI: on request, or by itself. A session that is closed or deleted ends with its process, and
//! then the client is answered.

use super::{Activity, Child, Session};
use crate::core::Core;
use crate::launch::NativeConversation;
use agent_client_protocol_schema::v1::{DeleteSessionResponse, Error};
use sa_acp::{Ended, SessionProcess, failure, process_ended, session_not_found};

/// The CLI's message when it is to resume a conversation that it does not have.
const NO_CONVERSATION: &str = "No conversation found";

/// The CLI's message when it is to begin a conversation under an id that it knows.
const IN_USE: &str = "already in use";

impl Session {
    pub(super) fn on_process_end(&mut self, core: &mut Core, ended: &Ended) {
        let Some(child) = self.child.take() else { return };
        self.activity = Activity::Idle;
        self.conversation.withdraw_all(&mut core.io.client);
        let error = process_ended("Claude Code", ended, child.complaint.as_deref());
        self.fail_controls(core, &error);
        self.tools.close(&mut core.io.client, &self.conversation.id, "The process of Claude Code ended");
        if self.closed(core) {
            return;
        }
        if child.is_ending() && self.opening.is_some() {
            // It made room for one in another place.
            return self.restart(core);
        }
        if child.note.greeting.is_some() {
            return self.ended_early(core, &child, ended, &error);
        }
        if !child.is_ending() {
            tracing::warn!(session = %self.conversation.id, code = ended.code, signal = ended.signal, "claude ended by itself");
        }
        self.abort_turn(core, &error);
    }

    /// A process that ended before it was ready.
    fn ended_early(&mut self, core: &mut Core, child: &SessionProcess<Child>, ended: &Ended, error: &Error) {
        let says = |words: &str| {
            ended.stderr.contains(words) || child.complaint.as_ref().is_some_and(|said| said.contains(words))
        };
        let id = self.native_id.clone();
        let again = self.opening.is_none() && !std::mem::replace(&mut self.has_switched, true);
        match &child.note.conversation {
            // Nothing was stored before the last process died, or more than was seen.
            NativeConversation::Resumed { .. } if says(NO_CONVERSATION) && again => {
                self.is_stored = false;
                self.start(core, NativeConversation::New { id });
            }
            NativeConversation::New { .. } if says(IN_USE) && again => {
                self.is_stored = true;
                self.start(core, NativeConversation::Resumed { id });
            }
            NativeConversation::Resumed { id } | NativeConversation::Forked { from: id, .. }
                if says(NO_CONVERSATION) =>
            {
                let missing = session_not_found(&id.clone().into());
                self.greeting_failed(core, &missing);
            }
            _ => self.greeting_failed(core, error),
        }
    }

    /// Answers the requests to close the session. Returns `false` if there are none.
    pub(super) fn closed(&mut self, core: &mut Core) -> bool {
        if !self.conversation.is_closing() {
            return false;
        }
        self.opening_failed(core, &failure("the session was closed while it was being opened", "closed"));
        for key in self.conversation.close(&mut core.io.client) {
            // Usually one and the same.
            let ids = [self.conversation.id.to_string(), self.native_id.clone()];
            match ids.iter().try_for_each(|id| core.host.disk.delete(id)) {
                Ok(()) => core.io.client.reply(&key, DeleteSessionResponse::new()),
                Err(error) => core.io.client.fail(&key, &error),
            }
        }
        true
    }
}
