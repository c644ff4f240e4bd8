//! The client of an agent: its handshake, its requests, the requests sent to it, and all that is written to it.

use crate::protocol::calls::Calls;
use crate::protocol::handshake::Handshake;
use crate::protocol::incoming::{RequestKey, answer, params, refusal};
use crate::protocol::outgoing::{write_error, write_notification, write_request, write_result};
use crate::protocol::profile::Profile;
use crate::protocol::request::{Form, How, Request, SetRequest};
use crate::session::answers::Reply;
use crate::tools::terminal::without_output;
use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandsUpdate, CancelNotification, CompactionStatus, CompactionUpdate,
    ConfigOptionUpdate, ContentBlock, ContentChunk, CurrentModeUpdate, Error, ForkSessionResponse,
    LoadSessionResponse, MessageId, Meta, NewSessionResponse, ResumeSessionResponse, SessionConfigOption,
    SessionId, SessionInfoUpdate, SessionModeState, SessionUpdate, SetSessionConfigOptionResponse,
    SetSessionModeResponse, TextContent,
};
use sa_jsonrpc::{Id, Kind, Message};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// The client of an agent. `T` identifies the receiver of a reply.
#[derive(Debug)]
pub struct Client<T = Caller> {
    pub handshake: Handshake,
    pub outbox: Vec<u8>,
    /// Requests under way that the client cancelled.
    pub(crate) cancelled: Vec<Id>,
    profile: &'static Profile,
    calls: Calls<T>,
}

/// The question of a CLI that the client was asked.
#[derive(Debug)]
pub struct Caller {
    pub session: SessionId,
    /// The question, by the CLI's own id.
    pub ask: String,
}

#[derive(Debug)]
pub enum ClientMessage<T> {
    /// A request, which has to be answered, now or later.
    Request(RequestKey, Request),
    /// All prompts of that session are to end.
    Cancel(SessionId),
    /// The request of that id is to end.
    CancelRequest(Id),
    /// A question is answered.
    Reply {
        id: i64,
        /// Whom it concerns.
        caller: T,
        reply: Reply,
    },
}

/// The kind of a text of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkKind {
    /// A part of a message to the user.
    Message,
    /// A part of the model's reasoning.
    Thought,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    session_id: &'a SessionId,
    update: &'a SessionUpdate,
}

impl<T> Client<T> {
    /// Returns a client that has sent nothing yet.
    pub fn new(profile: &'static Profile) -> Self {
        Self {
            handshake: Handshake::default(),
            outbox: Vec::new(),
            cancelled: Vec::new(),
            profile,
            calls: Calls::new(),
        }
    }

    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// Reads a line of the client, without its end. Answers messages that make no sense, and `initialize`.
    pub fn read(&mut self, line: &[u8]) -> Option<ClientMessage<T>> {
        let message = match Message::read(line) {
            Ok(message) => message,
            Err(invalid) => {
                self.fail(&RequestKey::unknown(), &refusal(&invalid));
                return None;
            }
        };
        let method = message.method().unwrap_or_default();
        match message.shape.kind {
            Kind::Request => {
                let key = RequestKey::of(&message);
                match self.requested(&key, &method, message.params()) {
                    Ok(request) => request.map(|request| ClientMessage::Request(key, request)),
                    Err(error) => {
                        self.fail(&key, &error);
                        None
                    }
                }
            }
            Kind::Notification => notified(&method, message.params()),
            Kind::Response => {
                let (id, caller) = self.calls.answered(message.shape.id.as_ref()?)?;
                Some(ClientMessage::Reply { id, caller, reply: answer(line) })
            }
        }
    }

    fn requested(
        &mut self,
        key: &RequestKey,
        method: &str,
        text: Option<&str>,
    ) -> Result<Option<Request>, Error> {
        if method == "initialize" {
            let version = self.handshake.greet(text)?;
            self.reply(key, self.profile.greeting(version));
            return Ok(None);
        }
        self.handshake.require()?;
        Request::read(self.profile, method, text).map(Some)
    }

    /// Takes note of a line of the client that was too long to be kept.
    pub fn overlong(&mut self, length: u64) {
        let reason = format!("a line of {length} bytes is too long");
        self.fail(&RequestKey::unknown(), &Error::invalid_request().data(json!({ "reason": reason })));
    }

    pub fn reply(&mut self, key: &RequestKey, result: impl Serialize) {
        write_result(&mut self.outbox, &key.text, result);
    }

    pub fn fail(&mut self, key: &RequestKey, error: &Error) {
        self.was_cancelled(&key.id);
        write_error(&mut self.outbox, &key.text, error);
    }

    /// Answers a request to open a session: it is open as `id`.
    pub fn opened(
        &mut self,
        key: &RequestKey,
        how: &How,
        id: &SessionId,
        modes: SessionModeState,
        options: Vec<SessionConfigOption>,
    ) {
        let id = id.clone();
        match how {
            How::New => self.reply(key, NewSessionResponse::new(id).modes(modes).config_options(options)),
            How::Loaded(_) => {
                self.reply(key, LoadSessionResponse::new().modes(modes).config_options(options));
            }
            How::Resumed(_) => {
                self.reply(key, ResumeSessionResponse::new().modes(modes).config_options(options));
            }
            How::Forked(_) => {
                self.reply(key, ForkSessionResponse::new(id).modes(modes).config_options(options));
            }
        }
    }

    /// Does the same for an agent with slash commands. They are reported before the answer if the client knows the session:
    /// nothing of it may follow the answer. The client learns the id of a new one by the answer.
    pub fn opened_with_commands(
        &mut self,
        key: &RequestKey,
        how: &How,
        id: &SessionId,
        settings: (SessionModeState, Vec<SessionConfigOption>),
        commands: Vec<AvailableCommand>,
    ) {
        let commands = SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands));
        let is_known = how.continued().is_some();
        if is_known {
            self.update(id, &commands);
        }
        self.opened(key, how, id, settings.0, settings.1);
        if !is_known {
            self.update(id, &commands);
        }
    }

    /// Answers a request to set an option, and reports the mode if it changed. `options` are all of them as they are now.
    pub fn setting_changed(
        &mut self,
        session: &SessionId,
        request: &SetRequest,
        new_mode: Option<&str>,
        options: Vec<SessionConfigOption>,
    ) {
        match new_mode {
            Some(mode) => self.mode_changed(session, mode, options.clone()),
            None if request.setting.form != Form::Option => self.options_changed(session, options.clone()),
            None => {}
        }
        self.was_set(&request.key, request.setting.form, options);
    }

    /// Answers a request to set an option. `options` are all of them as they are now.
    pub fn was_set(&mut self, key: &RequestKey, form: Form, options: Vec<SessionConfigOption>) {
        match form {
            Form::Mode => self.reply(key, SetSessionModeResponse::new()),
            Form::Model => self.reply(key, json!({})),
            Form::Option => self.reply(key, SetSessionConfigOptionResponse::new(options)),
        }
    }

    pub fn notify(&mut self, method: &str, params: Option<impl Serialize>) {
        write_notification(&mut self.outbox, method, params);
    }

    /// Reports a change of a session.
    pub fn update(&mut self, session_id: &SessionId, update: &SessionUpdate) {
        let shortened = if self.handshake.draws_terminals() { None } else { without_output(update) };
        let update = shortened.as_ref().unwrap_or(update);
        self.notify("session/update", Some(Update { session_id, update }));
    }

    /// Reports something about a session that the protocol has no field for.
    pub fn remark(&mut self, session_id: &SessionId, name: &str, value: Value) {
        let about: Meta = self.profile.meta(json!({ name: value }));
        let update = SessionInfoUpdate::new().meta(about);
        self.update(session_id, &SessionUpdate::SessionInfoUpdate(update));
    }

    /// Reports text of the model, unless it is empty.
    pub fn say(&mut self, session_id: &SessionId, kind: ChunkKind, message: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)))
            .message_id(MessageId::new(message.to_owned()));
        let update = match kind {
            ChunkKind::Message => SessionUpdate::AgentMessageChunk(chunk),
            ChunkKind::Thought => SessionUpdate::AgentThoughtChunk(chunk),
        };
        self.update(session_id, &update);
    }

    /// Reports a change of the mode, in both forms that clients know.
    pub fn mode_changed(&mut self, session_id: &SessionId, mode: &str, options: Vec<SessionConfigOption>) {
        let update = CurrentModeUpdate::new(mode.to_owned());
        self.update(session_id, &SessionUpdate::CurrentModeUpdate(update));
        self.options_changed(session_id, options);
    }

    pub fn options_changed(&mut self, session_id: &SessionId, options: Vec<SessionConfigOption>) {
        let update = ConfigOptionUpdate::new(options);
        self.update(session_id, &SessionUpdate::ConfigOptionUpdate(update));
    }

    /// Reports the state of a compaction.
    pub fn compaction(&mut self, session_id: &SessionId, id: &str, status: CompactionStatus) {
        if self.handshake.follows_compaction() {
            let update = CompactionUpdate::new(id.to_owned(), status);
            return self.update(session_id, &SessionUpdate::CompactionUpdate(update));
        }
        self.remark(session_id, "compaction", json!({ "id": id, "status": status }));
    }

    pub fn call(&mut self, caller: T, method: &str, params: Option<impl Serialize>) -> i64 {
        let id = self.calls.open(caller);
        write_request(&mut self.outbox, id, method, params);
        id
    }

    /// Withdraws every question that `of` picks.
    pub fn withdraw_calls(&mut self, of: impl Fn(&T) -> bool) {
        for id in self.calls.withdraw(of) {
            self.notify("$/cancel_request", Some(json!({ "requestId": id })));
        }
    }

    /// Appends what is to be written to the client, whole lines in order, to `out`.
    pub fn take_output(&mut self, out: &mut Vec<u8>) {
        if out.is_empty() {
            std::mem::swap(&mut self.outbox, out);
        } else {
            out.append(&mut self.outbox);
        }
    }
}

impl Client<Caller> {
    /// Withdraws one question of a session, or all of them.
    pub fn withdraw(&mut self, session: &SessionId, ask: Option<&str>) {
        self.withdraw_calls(|caller| caller.session == *session && ask.is_none_or(|ask| caller.ask == ask));
    }
}

fn notified<T>(method: &str, text: Option<&str>) -> Option<ClientMessage<T>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancel {
        request_id: Box<RawValue>,
    }
    match method {
        "session/cancel" => {
            params::<CancelNotification>(text).ok().map(|cancel| ClientMessage::Cancel(cancel.session_id))
        }
        "$/cancel_request" => {
            let cancel = params::<Cancel>(text).ok()?;
            Id::from_json(cancel.request_id.get()).map(ClientMessage::CancelRequest)
        }
        _ => None,
    }
}
