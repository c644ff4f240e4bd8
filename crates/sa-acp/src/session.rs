//! The traits that an adapter is written against, and the parts that all sessions of adapters share.

pub(crate) mod adapter;
pub(crate) mod answers;
pub(crate) mod compaction;
pub(crate) mod conversation;
pub(crate) mod machine;
pub(crate) mod mcp_wait;
pub(crate) mod mode;
pub(crate) mod offer;
pub(crate) mod permission;
pub(crate) mod question;
pub(crate) mod server_form;

use crate::process::children::{ChildId, Ended};
use crate::protocol::incoming::RequestKey;
use crate::protocol::lines::InputLine;
use crate::protocol::request::SetRequest;
use adapter::Core;
use agent_client_protocol_schema::v1::Error;
use answers::Reply;
use conversation::Conversation;
use sa_jsonrpc::Id;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The sessions of an agent, by id.
pub type Sessions<S> = BTreeMap<Arc<str>, S>;

/// A session of an adapter: a [`Conversation`], and what is specific to the CLI.
pub trait Session {
    /// The state of the agent apart from its sessions.
    type Core: Core;

    /// A question of the CLI that the client was asked.
    type Ask;

    /// Returns the client's view of the session.
    fn conversation(&mut self) -> &mut Conversation<Self::Ask>;

    /// Returns whether the CLI works, on a prompt or on its own.
    fn is_busy(&self) -> bool;

    /// Sends the next prompt if the CLI is ready for it. [`Session::send_next`] calls this when there is one and the session
    /// is not busy.
    fn start_next(&mut self, core: &mut Self::Core);

    /// Stops the work of the CLI and voids its questions.
    fn interrupt(&mut self, core: &mut Self::Core);

    /// Handles the client's reply to a question.
    fn on_reply(&mut self, core: &mut Self::Core, id: &str, ask: Self::Ask, reply: Reply);

    /// Sets an option.
    fn set(&mut self, core: &mut Self::Core, request: SetRequest) -> Result<(), Error>;

    /// Ends the session. At the end it calls [`Conversation::close`].
    fn close(&mut self, core: &mut Self::Core);

    /// Returns the time since the start at which [`Session::tick`] has something to do.
    fn wake(&self) -> Option<Duration>;

    /// Does what is due.
    fn tick(&mut self, core: &mut Self::Core);

    /// Returns whether this is the session's process.
    fn owns(&self, child: ChildId) -> bool {
        let _ = child;
        false
    }

    /// Handles a line of the session's process.
    fn on_line(&mut self, core: &mut Self::Core, line: InputLine<'_>) {
        let _ = (core, line);
    }

    /// Handles the end of the session's process.
    fn on_exit(&mut self, core: &mut Self::Core, ended: &Ended) {
        let _ = (core, ended);
    }

    /// Returns the request that waits for the session to be opened.
    fn opening(&self) -> Option<&RequestKey> {
        None
    }

    /// Stops opening the session and answers the request with this error.
    fn give_up_opening(&mut self, core: &mut Self::Core, error: &Error) {
        let _ = (core, error);
    }

    /// Sends the next prompt, if there is one and the CLI is ready for it. Not meant to be overridden.
    ///
    /// A prompt that is sent while the CLI works would be folded into that work and never get an answer of its own.
    fn send_next(&mut self, core: &mut Self::Core) {
        if !self.is_busy() && self.conversation().has_next() {
            self.start_next(core);
        }
    }

    /// Cancels all prompts, running and waiting, and the CLI's own work. Not meant to be overridden.
    fn cancel(&mut self, core: &mut Self::Core) {
        self.conversation().cancel_queue(core.client());
        if self.is_busy() {
            self.interrupt(core);
        }
    }

    /// Cancels the prompt that was sent as the request `id`. Returns `false` if the session has none. Not meant to be
    /// overridden.
    fn cancel_request(&mut self, core: &mut Self::Core, id: &Id) -> bool {
        if self.conversation().is_running(id) {
            self.interrupt(core);
            return true;
        }
        self.conversation().cancel_queued(core.client(), id)
    }
}
