//! The traits that an adapter is written against, and what all sessions of adapters share.

pub(crate) mod adapter;
pub(crate) mod answers;
pub(crate) mod conversation;
pub(crate) mod core;
pub(crate) mod mcp_wait;
pub(crate) mod offer;
pub(crate) mod question;
pub(crate) mod server_form;

use crate::protocol::incoming::RequestKey;
use crate::protocol::request::Form;
use crate::text::content::Piece;
use agent_client_protocol_schema::v1::Error;
use answers::Reply;
use conversation::Conversation;
use core::Core;
use sa_jsonrpc::Id;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The sessions of an agent, by id.
pub type Sessions<S> = BTreeMap<Arc<str>, S>;

/// A session of an adapter: a [`Conversation`], and what its CLI does otherwise than others.
pub trait Session {
    /// What the agent works with.
    type Core: Core;

    /// MCP servers in the CLI's own form.
    type Servers;

    /// A prompt in the CLI's own form.
    type Content;

    /// A question of the CLI, and what becomes of the answer.
    type Ask;

    /// Brings a prompt into the CLI's own form.
    fn content(pieces: Vec<Piece>) -> Result<Self::Content, Error>;

    /// Returns the client's view of the session.
    fn conversation(&self) -> &Conversation<Self::Servers, Self::Content, Self::Ask>;

    /// Returns the client's view of the session, to change it.
    fn conversation_mut(&mut self) -> &mut Conversation<Self::Servers, Self::Content, Self::Ask>;

    /// Returns the request of the prompt that is worked on, unless that is answered.
    fn running(&self) -> Option<&RequestKey>;

    /// Returns whether the CLI works, be it on a prompt or by itself.
    fn is_busy(&self) -> bool;

    /// Begins the next prompt, if there is one and the CLI is ready for it.
    fn start_next(&mut self, core: &mut Self::Core);

    /// Has the CLI stop its work. Questions that it asked are void.
    fn interrupt(&mut self, core: &mut Self::Core);

    /// Takes the client's reply to a question.
    fn on_reply(&mut self, core: &mut Self::Core, id: &str, ask: Self::Ask, reply: Reply);

    /// Sets an option on a client's behalf.
    fn set(
        &mut self,
        core: &mut Self::Core,
        key: &RequestKey,
        form: Form,
        option: &str,
        value: &str,
    ) -> Result<(), Error>;

    /// Ends the session, which somebody wants closed; at the end it calls [`Conversation::close`].
    fn close(&mut self, core: &mut Self::Core);

    /// Returns the time, since the start, at which [`Session::tick`] has something to do.
    fn wake(&self) -> Option<Duration>;

    /// Does what is due.
    fn tick(&mut self, core: &mut Self::Core);

    /// Returns the request for which the session is being opened, if that takes time.
    fn opening(&self) -> Option<&RequestKey> {
        None
    }

    /// Gives up opening the session, and answers the request with this error.
    fn give_up_opening(&mut self, core: &mut Self::Core, error: &Error) {
        let _ = (core, error);
    }

    /// Cancels all prompts, running and waiting, and the CLI's own work. Not meant to be overridden.
    fn cancel(&mut self, core: &mut Self::Core) {
        self.conversation_mut().cancel_queue(core.client());
        if self.is_busy() {
            self.interrupt(core);
        }
    }

    /// Cancels the one prompt that was sent as the request `id`; `false` if it is none of this session's. Not meant to be
    /// overridden.
    fn cancel_request(&mut self, core: &mut Self::Core, id: &Id) -> bool {
        if self.running().is_some_and(|key| key.id == *id) {
            self.interrupt(core);
            return true;
        }
        self.conversation_mut().cancel_queued(core.client(), id)
    }
}
