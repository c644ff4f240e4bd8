//! What every part of the machine writes to: the client, its open requests, the processes of the CLI.

use super::launch::Launch;
use super::limits::Limits;
use super::native::line::Line;
use agent_client_protocol_schema::v1::{
    Error, ListSessionsResponse, Meta, SessionId, SessionInfoUpdate, SessionUpdate,
};
use sa_acp::{
    Calls, Handshake, Now, RequestKey, write_error, write_notification, write_request, write_result,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A process of the CLI. Numbers are never used twice, so that the last words of one are not taken for another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChildId(pub u64);

/// Something to do besides writing to the client.
#[derive(Debug)]
pub enum Effect {
    /// Start the CLI.
    Start {
        /// What it is called from now on.
        child: ChildId,
        /// How.
        launch: Box<Launch>,
    },
    /// Write a line, its end included, to its standard input; also before it is known to run.
    Write {
        /// Which process.
        child: ChildId,
        /// The line.
        line: Vec<u8>,
    },
    /// Close its standard input, and end it if it does not end by itself within `farewell`.
    End {
        /// Which process.
        child: ChildId,
        /// How long to wait before it is ended.
        farewell: Duration,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Default)]
pub struct Ended {
    /// Why it could not be started at all.
    pub not_started: Option<String>,
    /// Its exit code, if it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// The last that it wrote to standard error.
    pub stderr: String,
}

/// The files that the machine needs to know of, and must not touch itself.
pub trait Disk: Send {
    /// Whether there is a directory at that path.
    fn is_directory(&self, path: &Path) -> bool;

    /// A page of the stored sessions.
    fn list(&self, cwd: Option<&Path>, cursor: Option<&str>) -> Result<ListSessionsResponse, Error>;

    /// What was said in a stored session; `None` if there is none of that id.
    fn read(&self, session: &str, cwd: &Path) -> Result<Option<Vec<SessionUpdate>>, Error>;

    /// The permission mode that a stored session was in last.
    fn mode(&self, session: &str, cwd: &Path) -> Option<String>;

    /// Removes a stored session; none of that id is fine, too.
    fn delete(&self, session: &str) -> Result<(), Error>;
}

/// What the machine needs from outside.
pub struct Host {
    /// Makes the id of a new session or message: a UUID.
    pub new_id: Box<dyn FnMut() -> String + Send>,
    /// See there.
    pub disk: Box<dyn Disk>,
    /// Where the CLI writes plans to: the only files that change in plan mode.
    pub plans: PathBuf,
    /// Whether a client may switch to the mode that never asks.
    pub allow_bypass: bool,
    /// Whether the CLI is run by the superuser.
    pub is_root: bool,
    /// Whether a client may choose models that the CLI does not list.
    pub any_model: bool,
    /// See there.
    pub limits: Limits,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// Whom the answer of the client concerns.
#[derive(Debug)]
pub(super) struct Caller {
    pub(super) session: SessionId,
    /// The question of the CLI, by its own id, that was passed on.
    pub(super) ask: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Update<'a> {
    session_id: &'a SessionId,
    update: &'a SessionUpdate,
}

/// See the module's comment.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) now: Now,
    pub(super) client: Handshake,
    pub(super) calls: Calls<Caller>,
    pub(super) host: Host,
    pub(super) outbox: Vec<u8>,
    pub(super) effects: VecDeque<Effect>,
    last_child: u64,
}

impl Core {
    pub(super) fn new(host: Host) -> Self {
        Self {
            now: Now::default(),
            client: Handshake::default(),
            calls: Calls::new(),
            host,
            outbox: Vec::new(),
            effects: VecDeque::new(),
            last_child: 0,
        }
    }

    /// Answers a request.
    pub(super) fn reply(&mut self, key: &RequestKey, result: impl Serialize) {
        write_result(&mut self.outbox, &key.text, result);
    }

    /// Refuses a request.
    pub(super) fn fail(&mut self, key: &RequestKey, error: &Error) {
        write_error(&mut self.outbox, &key.text, error);
    }

    /// Tells the client something about a session.
    pub(super) fn update(&mut self, session_id: &SessionId, update: &SessionUpdate) {
        write_notification(&mut self.outbox, "session/update", Some(Update { session_id, update }));
    }

    /// Tells the client something that the protocol has no place for.
    pub(super) fn remark(&mut self, session_id: &SessionId, name: &str, value: Value) {
        let update = SessionInfoUpdate::new().meta(meta(json!({ name: value })));
        self.update(session_id, &SessionUpdate::SessionInfoUpdate(update));
    }

    /// Asks the client something on behalf of the CLI.
    pub(super) fn call(&mut self, caller: Caller, method: &str, params: impl Serialize) -> i64 {
        let id = self.calls.open(caller);
        write_request(&mut self.outbox, id, method, Some(params));
        id
    }

    /// Takes back one question, or all of a session.
    pub(super) fn withdraw(&mut self, session: &SessionId, ask: Option<&str>) {
        let of = |caller: &Caller| caller.session == *session && ask.is_none_or(|ask| caller.ask == ask);
        for id in self.calls.withdraw(of) {
            write_notification(&mut self.outbox, "$/cancel_request", Some(json!({ "requestId": id })));
        }
    }

    /// Starts a process.
    pub(super) fn start(&mut self, launch: Launch) -> ChildId {
        self.last_child += 1;
        let child = ChildId(self.last_child);
        self.effects.push_back(Effect::Start { child, launch: Box::new(launch) });
        child
    }

    /// Writes a line to a process.
    pub(super) fn write(&mut self, child: ChildId, line: &Line<'_>) {
        self.effects.push_back(Effect::Write { child, line: line.to_bytes() });
    }

    /// Ends a process, at once if nothing is to be waited for.
    pub(super) fn end(&mut self, child: ChildId, farewell: Duration) {
        self.effects.push_back(Effect::End { child, farewell });
    }
}

/// What is told beside the protocol: `value` under the agent's own name.
pub(super) fn meta(value: Value) -> Meta {
    Meta::from_iter([("claudeCode".to_owned(), value)])
}

/// An error of the CLI or of the model behind it. `kind` is for programs.
pub(super) fn failure(message: impl Into<String>, kind: &str) -> Error {
    let mut error = Error::internal_error().data(json!({ "errorKind": kind }));
    error.message = message.into();
    error
}

/// The error that asks for credentials.
pub(super) fn auth_required(message: impl Into<String>) -> Error {
    let mut error = Error::auth_required().data(json!({ "errorKind": "authentication_failed" }));
    error.message = message.into();
    error
}

/// The error for a request that makes no sense.
pub(super) fn invalid(reason: impl Into<String>) -> Error {
    Error::invalid_params().data(json!({ "reason": reason.into() }))
}
