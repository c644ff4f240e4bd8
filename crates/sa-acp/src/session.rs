//! The traits that an adapter is written against, and the parts that all sessions of adapters share.

pub(crate) mod adapter;
pub(crate) mod answers;
pub(crate) mod cancellation;
pub(crate) mod compaction;
pub(crate) mod conversation;
pub(crate) mod machine;
pub(crate) mod mcp_server;
pub(crate) mod mcp_wait;
pub(crate) mod mode;
pub(crate) mod offer;
pub(crate) mod permission;
pub(crate) mod question;
pub(crate) mod server_form;

use crate::process::children::{ChildId, Ended};
use crate::protocol::incoming::RequestKey;
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

/// A session of an adapter: a [`Conversation`], and what is specific to the CLI. `C` is the state of the agent apart from its
/// sessions.
pub trait Session<C: Core> {
    /// A question of the CLI that the client was asked.
    type Ask;

    /// Returns the client's view of the session.
    fn conversation(&mut self) -> &mut Conversation<Self::Ask>;

    /// Sends the next prompt if the CLI is ready for it and does nothing else. [`Session::send_next`] calls this when there
    /// is one.
    ///
    /// A prompt that is sent while the CLI works would be folded into that work and never get an answer of its own.
    fn start_next(&mut self, core: &mut C);

    /// Stops the work of the CLI, if it does any, and voids its questions.
    fn interrupt(&mut self, core: &mut C);

    /// Handles the client's reply to a question.
    fn on_reply(&mut self, core: &mut C, id: &str, ask: Self::Ask, reply: Reply);

    fn set(&mut self, core: &mut C, request: SetRequest) -> Result<(), Error>;

    /// Ends the session, whose work was cancelled. At the end it calls [`Conversation::close`].
    fn close(&mut self, core: &mut C);

    /// Returns the time since the start at which [`Session::tick`] has something to do.
    fn wake(&self) -> Option<Duration>;

    /// Does what is due.
    fn tick(&mut self, core: &mut C);

    /// Returns the session's own process.
    fn process(&self) -> Option<ChildId> {
        None
    }

    /// Handles a line of the session's process.
    fn on_line(&mut self, _core: &mut C, _line: &[u8]) {}

    /// Handles the end of the session's process. The next prompt is sent afterwards.
    fn on_exit(&mut self, _core: &mut C, _ended: &Ended) {}

    /// Returns the request that waits for the session to be opened.
    fn opening(&self) -> Option<&RequestKey> {
        None
    }

    /// Stops opening the session and answers the request with this error. A session that was open before stays open.
    fn give_up_opening(&mut self, _core: &mut C, _error: &Error) {}

    /// Sends the next prompt, if there is one and the CLI is ready for it. Not meant to be overridden.
    fn send_next(&mut self, core: &mut C) {
        if self.conversation().has_next() {
            self.start_next(core);
        }
    }

    /// Cancels all prompts, running and waiting, and the CLI's own work. Not meant to be overridden.
    fn cancel(&mut self, core: &mut C) {
        self.conversation().cancel_queue(&mut core.io().client);
        self.interrupt(core);
    }

    /// Cancels the prompt that was sent as the request `id`. Returns `false` if the session has none. Not meant to be
    /// overridden.
    fn cancel_request(&mut self, core: &mut C, id: &Id) -> bool {
        if self.conversation().is_running(id) {
            self.interrupt(core);
            return true;
        }
        self.conversation().cancel_queued(&mut core.io().client, id)
    }
}
