//! A session of an agent that drives processes, as its client sees it: prompts in a queue, one at a time; questions on their
//! way to the client and back; settings; an end.

use crate::protocol::incoming::RequestKey;
use crate::protocol::marks;
use crate::protocol::request::Form;
use crate::session::answers::Told;
use crate::session::desk::{Caller, Desk};
use crate::text::content::{Piece, first_line, pieces};
use agent_client_protocol_schema::v1::{
    ContentBlock, Error, PermissionOption, RequestPermissionRequest, SessionId, StopReason, ToolCallUpdate,
};
use sa_jsonrpc::Id;
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::ops::DerefMut;
use std::sync::Arc;
use std::time::Duration;

/// Prompts of a session that may wait behind the running one.
const MAX_QUEUE: usize = 128;

/// The sessions of an agent, by id.
pub type Sessions<S> = BTreeMap<Arc<str>, S>;

/// Prompts that wait.
pub type Queue<C> = VecDeque<Prompt<C>>;

/// A prompt; `C` is what it says in the CLI's own form.
#[derive(Debug)]
pub struct Prompt<C> {
    /// The request to answer.
    pub key: RequestKey,
    /// What it says.
    pub content: C,
    /// The first line of its text, for a title.
    pub first_line: String,
}

/// Requests that wait for a session to be closed.
#[derive(Debug, Default)]
pub struct Closing {
    /// Those that want nothing but that.
    pub closes: Vec<RequestKey>,
    /// Those that want nothing to be left of it.
    pub deletes: Vec<RequestKey>,
}

impl Closing {
    /// One more.
    pub fn add(&mut self, key: RequestKey, delete: bool) {
        if delete {
            self.deletes.push(key);
        } else {
            self.closes.push(key);
        }
    }
}

/// See the module's comment. What is provided is not meant to be written anew.
pub trait Session {
    /// How a process is started.
    type Launch;

    /// What the agent works with.
    type Core: DerefMut<Target = Desk<Self::Launch>>;

    /// A prompt in the CLI's own form.
    type Content;

    /// What the client was asked, and what becomes of the answer.
    type Ask;

    /// What a prompt says in the CLI's own form.
    fn content(pieces: Vec<Piece>) -> Result<Self::Content, Error>;

    /// Its id.
    fn id(&self) -> &SessionId;

    /// Whether it takes prompts, now or soon.
    fn is_open(&self) -> bool;

    /// Whether it can be forgotten.
    fn is_gone(&self) -> bool;

    /// Prompts that wait.
    fn queue(&mut self) -> &mut Queue<Self::Content>;

    /// The request of the prompt that is worked on, unless that is answered.
    fn running(&self) -> Option<&RequestKey>;

    /// Whether the CLI works, be it on a prompt or by itself.
    fn is_busy(&self) -> bool;

    /// Begins the next prompt, if there is one and the CLI is ready for it.
    fn start_next(&mut self, core: &mut Self::Core);

    /// Has the CLI stop what it does. Questions that it asked are void.
    fn interrupt(&mut self, core: &mut Self::Core);

    /// Questions that the client has not answered, by the CLI's own ids.
    fn asks(&mut self) -> &mut BTreeMap<String, Self::Ask>;

    /// Takes the client's answer to one.
    fn answered(&mut self, core: &mut Self::Core, id: &str, ask: Self::Ask, told: Told);

    /// Sets an option on a client's behalf.
    fn set(
        &mut self,
        core: &mut Self::Core,
        key: &RequestKey,
        form: Form,
        option: &str,
        value: &str,
    ) -> Result<(), Error>;

    /// Closes it; `delete` removes what is stored of it, too.
    fn close(&mut self, core: &mut Self::Core, key: RequestKey, delete: bool);

    /// The time, since the start, at which [`Session::tick`] has something to do.
    fn wake(&self) -> Option<Duration>;

    /// Does what is due.
    fn tick(&mut self, core: &mut Self::Core);

    /// Takes a prompt for the agent of that title: starts on it, or puts it behind the ones before.
    fn prompt(
        &mut self,
        core: &mut Self::Core,
        title: &str,
        key: &RequestKey,
        prompt: Vec<ContentBlock>,
    ) -> Result<(), Error> {
        let pieces = pieces(title, prompt)?;
        let first_line = first_line(&pieces);
        let content = Self::content(pieces)?;
        if self.queue().len() >= MAX_QUEUE {
            let reason = format!("{MAX_QUEUE} prompts are waiting already");
            return Err(Error::invalid_request().data(json!({ "reason": reason })));
        }
        self.queue().push_back(Prompt { key: key.clone(), content, first_line });
        self.start_next(core);
        Ok(())
    }

    /// Cancels all prompts, running and waiting, and whatever the CLI does by itself.
    fn cancel(&mut self, core: &mut Self::Core) {
        for prompt in std::mem::take(self.queue()) {
            core.prompt_done(&prompt.key, StopReason::Cancelled, None);
        }
        if self.is_busy() {
            self.interrupt(core);
        }
    }

    /// The request for which the session is being opened, if that takes time.
    fn opening(&self) -> Option<&RequestKey> {
        None
    }

    /// Gives up opening the session, and answers the request with this error.
    fn give_up_opening(&mut self, core: &mut Self::Core, error: &Error) {
        let _ = (core, error);
    }

    /// Cancels the one prompt that was sent as the request `id`; `false` if it is none of this session's.
    fn cancel_request(&mut self, core: &mut Self::Core, id: &Id) -> bool {
        if self.running().is_some_and(|key| key.id == *id) {
            self.interrupt(core);
            return true;
        }
        let Some(index) = self.queue().iter().position(|prompt| prompt.key.id == *id) else { return false };
        if let Some(prompt) = self.queue().remove(index) {
            core.prompt_done(&prompt.key, StopReason::Cancelled, None);
        }
        true
    }

    /// Refuses all prompts that wait.
    fn fail_queue(&mut self, core: &mut Self::Core, error: &Error) {
        for prompt in std::mem::take(self.queue()) {
            core.fail(&prompt.key, error);
        }
    }

    /// Passes a question of the CLI on to the client.
    fn pass_on(
        &mut self,
        core: &mut Self::Core,
        id: &str,
        ask: Self::Ask,
        method: &str,
        params: impl Serialize,
    ) {
        let caller = Caller { session: self.id().clone(), ask: id.to_owned() };
        core.call(caller, method, Some(params));
        self.asks().insert(id.to_owned(), ask);
    }

    /// Passes a question of the CLI on as a request for permission.
    fn pass_on_choice(
        &mut self,
        core: &mut Self::Core,
        id: &str,
        ask: Self::Ask,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) {
        let request = RequestPermissionRequest::new(self.id().clone(), call, options);
        self.pass_on(core, id, ask, "session/request_permission", request);
    }

    /// Asks for permission for something that the agent would allow by itself: the client has rules.
    fn pass_on_allowed(
        &mut self,
        core: &mut Self::Core,
        id: &str,
        ask: Self::Ask,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) {
        let request = RequestPermissionRequest::new(self.id().clone(), call, options).meta(marks::allowed());
        self.pass_on(core, id, ask, "session/request_permission", request);
    }

    /// The CLI takes a question back.
    fn ask_withdrawn(&mut self, core: &mut Self::Core, id: &str) {
        if self.asks().remove(id).is_some() {
            core.withdraw(self.id(), Some(id));
        }
    }
}
