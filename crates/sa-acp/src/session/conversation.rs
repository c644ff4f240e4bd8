//! A session as its client sees it: prompts in a queue, questions on their way to the client and back, a title, an end.

use crate::protocol::client::{Caller, Client};
use crate::protocol::clock::{Now, timestamp};
use crate::protocol::incoming::RequestKey;
use crate::protocol::marks;
use crate::protocol::request::Workspace;
use crate::text::content::{Piece, first_line, pieces};
use agent_client_protocol_schema::v1::{
    CloseSessionResponse, ContentBlock, Error, PermissionOption, RequestPermissionRequest, SessionId,
    SessionInfo, SessionInfoUpdate, SessionUpdate, StopReason, ToolCallUpdate,
};
use sa_jsonrpc::Id;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// Prompts of a session that may wait behind the running one.
const MAX_QUEUE: usize = 128;

/// Characters of a line that nobody understands which are passed on.
const KEPT_LINE: usize = 16 << 10;

/// A prompt; `C` is its content in the CLI's own form.
#[derive(Debug)]
pub struct Prompt<C> {
    /// The request to answer.
    pub key: RequestKey,
    /// The content.
    pub content: C,
    /// The first line of its text, for a title.
    pub first_line: String,
}

/// See the module's comment. `S` are MCP servers and `C` is a prompt in the CLI's own form; `A` is a question of the CLI.
#[derive(Debug)]
pub struct Conversation<S, C, A> {
    /// The id by which the client knows the session.
    pub id: SessionId,
    /// The directories and MCP servers that the session works with.
    pub workspace: Workspace<S>,
    /// Prompts that wait.
    pub queue: VecDeque<Prompt<C>>,
    /// Questions that the client has not answered, by the CLI's own ids.
    pub asks: BTreeMap<String, A>,
    /// The name of the session.
    pub title: Option<String>,
    /// Lines of the CLI that were not understood.
    pub unknown: u64,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Open,
    /// Requests that wait for the session to be closed: some want only that, others want nothing to be left of it.
    Closing {
        closes: Vec<RequestKey>,
        deletes: Vec<RequestKey>,
    },
    /// Nothing is left of it here.
    Closed,
}

impl<S, C, A> Conversation<S, C, A> {
    /// Returns an open conversation in which nothing was said.
    pub fn new(id: SessionId, workspace: Workspace<S>) -> Self {
        Self {
            id,
            workspace,
            queue: VecDeque::new(),
            asks: BTreeMap::new(),
            title: None,
            unknown: 0,
            stage: Stage::Open,
        }
    }

    /// Returns whether the session takes prompts, now or soon.
    pub fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open)
    }

    /// Returns whether somebody waits for the session to be closed.
    pub fn is_closing(&self) -> bool {
        matches!(self.stage, Stage::Closing { .. })
    }

    /// Returns whether the session can be forgotten.
    pub fn is_closed(&self) -> bool {
        matches!(self.stage, Stage::Closed)
    }

    /// Returns the session as `session/list` shows it.
    pub fn info(&self) -> SessionInfo {
        SessionInfo::new(self.id.clone(), self.workspace.cwd.clone())
            .additional_directories(self.workspace.directories.clone())
            .title(self.title.clone())
    }

    /// Puts a prompt behind the ones before; `content` brings it into the CLI's own form.
    pub(crate) fn enqueue(
        &mut self,
        agent: &str,
        key: &RequestKey,
        prompt: Vec<ContentBlock>,
        content: impl FnOnce(Vec<Piece>) -> Result<C, Error>,
    ) -> Result<(), Error> {
        let pieces = pieces(agent, prompt)?;
        let first_line = first_line(&pieces);
        let content = content(pieces)?;
        if self.queue.len() >= MAX_QUEUE {
            let reason = format!("{MAX_QUEUE} prompts are waiting already");
            return Err(Error::invalid_request().data(json!({ "reason": reason })));
        }
        self.queue.push_back(Prompt { key: key.clone(), content, first_line });
        Ok(())
    }

    /// Cancels all prompts that wait.
    pub(crate) fn cancel_queue(&mut self, client: &mut Client) {
        for prompt in std::mem::take(&mut self.queue) {
            client.prompt_done(&prompt.key, StopReason::Cancelled, None);
        }
    }

    /// Cancels the prompt that waits under this request; `false` if there is none.
    pub(crate) fn cancel_queued(&mut self, client: &mut Client, id: &Id) -> bool {
        let index = self.queue.iter().position(|prompt| prompt.key.id == *id);
        let Some(prompt) = index.and_then(|index| self.queue.remove(index)) else { return false };
        client.prompt_done(&prompt.key, StopReason::Cancelled, None);
        true
    }

    /// Refuses all prompts that wait.
    pub fn fail_queue(&mut self, client: &mut Client, error: &Error) {
        for prompt in std::mem::take(&mut self.queue) {
            client.fail(&prompt.key, error);
        }
    }

    /// Passes a question of the CLI on to the client.
    pub fn pass_on(&mut self, client: &mut Client, id: &str, ask: A, method: &str, params: impl Serialize) {
        let caller = Caller { session: self.id.clone(), ask: id.to_owned() };
        client.call(caller, method, Some(params));
        self.asks.insert(id.to_owned(), ask);
    }

    /// Passes a question of the CLI on as a request for permission.
    pub fn pass_on_choice(
        &mut self,
        client: &mut Client,
        id: &str,
        ask: A,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) {
        let request = RequestPermissionRequest::new(self.id.clone(), call, options);
        self.pass_on(client, id, ask, "session/request_permission", request);
    }

    /// Asks for permission for something that the agent would allow by itself: the client has rules.
    pub fn pass_on_allowed(
        &mut self,
        client: &mut Client,
        id: &str,
        ask: A,
        call: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) {
        let request = RequestPermissionRequest::new(self.id.clone(), call, options).meta(marks::allowed());
        self.pass_on(client, id, ask, "session/request_permission", request);
    }

    /// Takes a question back that is void by now.
    pub fn withdraw(&mut self, client: &mut Client, id: &str) {
        if self.asks.remove(id).is_some() {
            client.withdraw(&self.id, Some(id));
        }
    }

    /// Takes all questions back.
    pub fn withdraw_all(&mut self, client: &mut Client) -> BTreeMap<String, A> {
        client.withdraw(&self.id, None);
        std::mem::take(&mut self.asks)
    }

    /// Reports a change of the session to the client.
    pub fn update(&self, client: &mut Client, update: &SessionUpdate) {
        client.update(&self.id, update);
    }

    /// Gives the session a name, and reports it if it is new.
    pub fn rename(&mut self, client: &mut Client, now: Now, name: String) {
        if self.title.as_ref() == Some(&name) {
            return;
        }
        let update = SessionInfoUpdate::new().title(name.clone()).updated_at(timestamp(now.unix));
        self.title = Some(name);
        self.update(client, &SessionUpdate::SessionInfoUpdate(update));
    }

    /// Names a session that has no name after its first prompt. A command is no name.
    pub fn name_after(&mut self, client: &mut Client, now: Now, first_line: &str) {
        if self.title.is_none() && !first_line.is_empty() && !first_line.starts_with('/') {
            self.rename(client, now, first_line.to_owned());
        }
    }

    /// Passes on what is not understood, so that somebody who does can use it.
    pub fn report_unknown(&mut self, client: &mut Client, mut what: Value) {
        self.unknown += 1;
        tracing::warn!(session = %self.id, count = self.unknown, "the CLI wrote a line that is not known");
        what["count"] = json!(self.unknown);
        client.remark(&self.id, "unparsed", what);
    }

    /// Passes on a message of the CLI that is not known, in full unless it is long.
    pub fn report_unknown_message(&mut self, client: &mut Client, message: Value) {
        let text = message.to_string();
        let raw = if text.len() <= KEPT_LINE { message } else { Value::String(clipped(&text)) };
        self.report_unknown(client, json!({ "raw": raw }));
    }

    /// Notes a request to close the session; `delete` also removes what is stored of it. Returns whether it is the first.
    pub(crate) fn begin_closing(&mut self, key: RequestKey, delete: bool) -> bool {
        let is_first = self.is_open();
        if is_first {
            self.stage = Stage::Closing { closes: Vec::new(), deletes: Vec::new() };
        }
        if let Stage::Closing { closes, deletes } = &mut self.stage {
            if delete { deletes } else { closes }.push(key);
        }
        is_first
    }

    /// Answers those who wanted the session closed, and returns the requests to delete what is stored of it.
    pub fn close(&mut self, client: &mut Client) -> Vec<RequestKey> {
        let Stage::Closing { closes, deletes } = &mut self.stage else { return Vec::new() };
        let (closes, deletes) = (std::mem::take(closes), std::mem::take(deletes));
        self.stage = Stage::Closed;
        for key in closes {
            client.reply(&key, CloseSessionResponse::new());
        }
        deletes
    }

    /// Has a session forgotten that could not be opened.
    pub fn discard(&mut self) {
        self.stage = Stage::Closed;
    }
}

/// Returns as much of a line as is passed on when nobody understands it.
pub fn clipped(line: &str) -> String {
    line.chars().take(KEPT_LINE).collect()
}
