//! A session as its client sees it: the running prompt, prompts in a queue, open questions, a title, an end.

use crate::protocol::client::{Caller, Client};
use crate::protocol::clock::{Now, timestamp};
use crate::protocol::incoming::RequestKey;
use crate::protocol::marks;
use crate::protocol::profile::Profile;
use crate::protocol::request::Workspace;
use crate::session::question::Questions;
use crate::text::content::{PromptPart, first_line, prompt_parts};
use crate::tools::tool::{Described, Outcome};
use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandsUpdate, CloseSessionResponse, ContentBlock, Error, PermissionOption,
    RequestPermissionRequest, SessionId, SessionInfo, SessionInfoUpdate, SessionUpdate, StopReason,
    ToolCallStatus, ToolCallUpdate, Usage,
};
use sa_jsonrpc::Id;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};

/// The number of prompts that may wait behind the running one.
const MAX_QUEUE: usize = 128;

/// The length at which an unknown line is cut, in characters.
const KEPT_LINE: usize = 16 << 10;

#[derive(Debug)]
pub struct Prompt {
    pub parts: Vec<PromptPart>,
    /// The first line of the text, for a title.
    pub first_line: String,
}

/// The client's view of a session. `A` is a question of the CLI.
#[derive(Debug)]
pub struct Conversation<A> {
    /// The id by which the client knows the session.
    pub id: SessionId,
    /// Questions that the client has not answered, by the CLI's own ids.
    pub asks: BTreeMap<String, A>,
    pub title: Option<String>,
    queue: VecDeque<(RequestKey, Prompt)>,
    /// The request of the prompt that the CLI works on, until it is answered.
    running: Option<RequestKey>,
    unknown_lines: u64,
    stage: Stage,
    naming: Naming,
}

/// The policy for sessions without a title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    FirstPrompt,
    /// The session began earlier, and the CLI knows its title.
    Never,
}

/// A request for permission to run a tool call.
#[derive(Debug)]
pub struct PermissionRequest {
    pub call: ToolCallUpdate,
    pub options: Vec<PermissionOption>,
    pub reason: AskReason,
}

/// The reason to ask the client about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskReason {
    /// The agent would not allow the call itself.
    Needed,
    /// The agent would allow the call itself, but the client has rules.
    ClientRules,
}

/// The wish of a client that closes a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseKind {
    /// Ends the session and keeps what is stored of it.
    Close,
    /// Ends the session and removes what is stored of it.
    Delete,
}

#[derive(Debug)]
enum Stage {
    Open,
    /// Requests that wait for the end of the session.
    Closing {
        closes: Vec<RequestKey>,
        deletes: Vec<RequestKey>,
    },
    Closed,
}

impl<A> Conversation<A> {
    /// Returns an open conversation without prompts.
    pub fn new(id: SessionId) -> Self {
        Self {
            id,
            asks: BTreeMap::new(),
            title: None,
            queue: VecDeque::new(),
            running: None,
            unknown_lines: 0,
            stage: Stage::Open,
            naming: Naming::FirstPrompt,
        }
    }

    /// Returns the session as `session/list` shows it.
    pub fn info<S>(&self, workspace: &Workspace<S>) -> SessionInfo {
        SessionInfo::new(self.id.clone(), workspace.cwd.clone())
            .additional_directories(workspace.directories.clone())
            .title(self.title.clone())
    }

    /// Returns whether the session takes prompts, now or soon.
    pub fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open)
    }

    /// Returns whether a request waits for the end of the session.
    pub fn is_closing(&self) -> bool {
        matches!(self.stage, Stage::Closing { .. })
    }

    /// Returns whether the session can be dropped.
    pub fn is_closed(&self) -> bool {
        matches!(self.stage, Stage::Closed)
    }

    /// Returns whether a prompt can be sent.
    pub(crate) fn has_next(&self) -> bool {
        self.is_open() && !self.queue.is_empty()
    }

    pub fn is_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Takes the next prompt. It runs until [`Conversation::finish`].
    pub fn next_prompt(&mut self) -> Option<Prompt> {
        let (key, prompt) = self.queue.pop_front()?;
        self.running = Some(key);
        Some(prompt)
    }

    /// Returns whether the client waits for the end of the running prompt. A prompt may be answered before the CLI is done.
    pub fn is_awaited(&self) -> bool {
        self.running.is_some()
    }

    /// Returns whether the running prompt was sent as the request `id`.
    pub(crate) fn is_running(&self, id: &Id) -> bool {
        self.running.as_ref().is_some_and(|key| key.id == *id)
    }

    /// Answers the running prompt, unless that was done before.
    pub fn finish(&mut self, client: &mut Client, outcome: Result<StopReason, Error>, usage: Option<Usage>) {
        let Some(key) = self.running.take() else { return };
        match outcome {
            Ok(reason) => client.prompt_done(&key, reason, usage),
            Err(error) => client.fail(&key, &error),
        }
    }

    /// Puts a prompt behind the ones before.
    pub(crate) fn enqueue(
        &mut self,
        profile: &Profile,
        key: &RequestKey,
        prompt: Vec<ContentBlock>,
    ) -> Result<(), Error> {
        let parts = prompt_parts(profile, prompt)?;
        if self.queue.len() >= MAX_QUEUE {
            let reason = format!("{MAX_QUEUE} prompts are waiting already");
            return Err(Error::invalid_request().data(json!({ "reason": reason })));
        }
        let first_line = first_line(&parts);
        self.queue.push_back((key.clone(), Prompt { parts, first_line }));
        Ok(())
    }

    /// Cancels all prompts that wait.
    pub(crate) fn cancel_queue(&mut self, client: &mut Client) {
        for (key, _) in std::mem::take(&mut self.queue) {
            client.prompt_done(&key, StopReason::Cancelled, None);
        }
    }

    /// Cancels the prompt that waits under this request. Returns `false` if there is none.
    pub(crate) fn cancel_queued(&mut self, client: &mut Client, id: &Id) -> bool {
        let index = self.queue.iter().position(|(key, _)| key.id == *id);
        let Some((key, _)) = index.and_then(|index| self.queue.remove(index)) else { return false };
        client.prompt_done(&key, StopReason::Cancelled, None);
        true
    }

    /// Refuses all prompts that wait.
    pub fn fail_queue(&mut self, client: &mut Client, error: &Error) {
        for (key, _) in std::mem::take(&mut self.queue) {
            client.fail(&key, error);
        }
    }

    /// Passes a question of the CLI on to the client.
    pub fn pass_on(&mut self, client: &mut Client, id: &str, ask: A, method: &str, params: impl Serialize) {
        let caller = Caller { session: self.id.clone(), ask: id.to_owned() };
        client.call(caller, method, Some(params));
        self.asks.insert(id.to_owned(), ask);
    }

    /// Passes a question of the CLI on as a request for permission.
    pub fn ask_permission(&mut self, client: &mut Client, id: &str, ask: A, request: PermissionRequest) {
        let PermissionRequest { call, options, reason } = request;
        let meta = (reason == AskReason::ClientRules).then(marks::allowed);
        let request = RequestPermissionRequest::new(self.id.clone(), call, options).meta(meta);
        self.pass_on(client, id, ask, "session/request_permission", request);
    }

    /// Asks the client the next question. Returns the questions once all were asked.
    pub fn ask_question<N>(
        &mut self,
        client: &mut Client,
        id: &str,
        mut questions: Questions<N>,
        ask: impl FnOnce(Questions<N>) -> A,
    ) -> Option<Questions<N>> {
        let Some(request) = questions.next_request(&client.handshake, &self.id) else {
            return Some(questions);
        };
        self.pass_on(client, id, ask(questions), request.method(), request);
        None
    }

    /// Withdraws a question that is void.
    pub fn withdraw(&mut self, client: &mut Client, id: &str) {
        if self.asks.remove(id).is_some() {
            client.withdraw(&self.id, Some(id));
        }
    }

    /// Withdraws the questions that `of` picks, which a new mode decides, and returns them.
    pub fn withdraw_where(&mut self, client: &mut Client, of: impl Fn(&A) -> bool) -> Vec<(String, A)> {
        let picked: Vec<_> = self.asks.extract_if(.., |_, ask| of(ask)).collect();
        for (id, _) in &picked {
            client.withdraw(&self.id, Some(id));
        }
        picked
    }

    /// Withdraws all questions and returns them.
    pub fn withdraw_all(&mut self, client: &mut Client) -> BTreeMap<String, A> {
        client.withdraw(&self.id, None);
        std::mem::take(&mut self.asks)
    }

    /// Reports a change of the session to the client.
    pub fn update(&self, client: &mut Client, update: &SessionUpdate) {
        client.update(&self.id, update);
    }

    /// Reports a tool call of the history with its result.
    pub fn replay_call(&self, client: &mut Client, id: &str, described: Described, outcome: Outcome) {
        let call = described.into_call(id.to_owned()).status(ToolCallStatus::Pending);
        self.update(client, &SessionUpdate::ToolCall(call));
        self.update(client, &SessionUpdate::ToolCallUpdate(outcome.into_update(id.to_owned())));
    }

    /// Reports the slash commands.
    pub fn report_commands(&self, client: &mut Client, commands: Vec<AvailableCommand>) {
        let update = AvailableCommandsUpdate::new(commands);
        self.update(client, &SessionUpdate::AvailableCommandsUpdate(update));
    }

    /// Sets the title, and reports it if it changed.
    pub fn rename(&mut self, client: &mut Client, now: Now, name: String) {
        if self.title.as_ref() == Some(&name) {
            return;
        }
        let update = SessionInfoUpdate::new().title(name.clone()).updated_at(timestamp(now.unix));
        self.title = Some(name);
        self.update(client, &SessionUpdate::SessionInfoUpdate(update));
    }

    /// Notes that the session began earlier, so that it is not named after a prompt.
    pub fn keep_title(&mut self) {
        self.naming = Naming::Never;
    }

    /// Names a session without a title after its first prompt, unless that is a command.
    pub fn name_after(&mut self, client: &mut Client, now: Now, first_line: &str) {
        let is_unnamed = self.title.is_none() && self.naming == Naming::FirstPrompt;
        if is_unnamed && !first_line.is_empty() && !first_line.starts_with('/') {
            self.rename(client, now, first_line.to_owned());
        }
    }

    /// Reports something unknown, so that a client that knows it can use it.
    pub fn report_unknown(&mut self, client: &mut Client, mut what: Value) {
        self.unknown_lines += 1;
        tracing::warn!(session = %self.id, count = self.unknown_lines, "the CLI wrote a line that is not known");
        what["count"] = json!(self.unknown_lines);
        client.remark(&self.id, "unparsed", what);
    }

    /// Reports an unknown message of the CLI, in full unless it is long.
    pub fn report_unknown_message(&mut self, client: &mut Client, message: Value) {
        let text = message.to_string();
        let raw = if text.len() <= KEPT_LINE { message } else { Value::String(clipped(&text)) };
        self.report_unknown(client, json!({ "raw": raw }));
    }

    /// Reports a line of the CLI that cannot be read, for this reason.
    pub fn report_unreadable(&mut self, client: &mut Client, line: &[u8], reason: &str) {
        let raw = clipped(&String::from_utf8_lossy(line));
        self.report_unknown(client, json!({ "reason": reason, "raw": raw }));
    }

    /// Reports a line that is too long to be read.
    pub fn report_overlong(&mut self, client: &mut Client, length: u64) {
        self.report_unknown(client, json!({ "reason": format!("a line of {length} bytes is too long") }));
    }

    /// Notes a request to close the session. Returns whether it is the first.
    pub(crate) fn begin_closing(&mut self, key: RequestKey, kind: CloseKind) -> bool {
        let is_first = self.is_open();
        if is_first {
            self.stage = Stage::Closing { closes: Vec::new(), deletes: Vec::new() };
        }
        if let Stage::Closing { closes, deletes } = &mut self.stage {
            match kind {
                CloseKind::Close => closes.push(key),
                CloseKind::Delete => deletes.push(key),
            }
        }
        is_first
    }

    /// Answers the requests to close the session, and returns those that also delete it.
    pub fn close(&mut self, client: &mut Client) -> Vec<RequestKey> {
        let Stage::Closing { closes, deletes } = &mut self.stage else { return Vec::new() };
        let (closes, deletes) = (std::mem::take(closes), std::mem::take(deletes));
        self.stage = Stage::Closed;
        for key in closes {
            client.reply(&key, CloseSessionResponse::new());
        }
        deletes
    }

    /// Drops a session that could not be opened. Requests to close it still wait for [`Conversation::close`].
    pub fn discard(&mut self) {
        if self.is_open() {
            self.stage = Stage::Closed;
        }
    }
}

/// Cuts an unknown line to the length that is reported.
pub fn clipped(line: &str) -> String {
    line.chars().take(KEPT_LINE).collect()
}
