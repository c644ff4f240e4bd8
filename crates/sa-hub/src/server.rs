//! The handle of one ACP server: what callers can ask of it.

use crate::command::{Reply, ServerCommand};
use crate::shared::Shared;
use crate::streams::Streams;
use crate::{Attachment, CallError, Reader, ReaderKind, ServerId, StreamError};
use bytes::Bytes;
use sa_api::{AcpServer, Timestamp};
use sa_jsonrpc::Message;
use sa_relay::Caller;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// The start of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// With the agent's open questions, then what comes from now on.
    Now,
    /// For a server's first reader with what this run of the agent has said so far, less what is settled. For later
    /// readers the same as `Now`.
    Fresh,
    After(u64),
}

/// The handling of a message for an agent that does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenStopped {
    Start,
    Refuse,
}

/// An agent's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The message, under the caller's own id.
    pub bytes: Bytes,
    pub is_error: bool,
}

/// One ACP server. Cloning gives another handle on the same one.
#[derive(Debug, Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    id: ServerId,
    agent: String,
    /// The version that was asked for; the current one if none was.
    version: Option<String>,
    created_at_ms: u64,
    commands: mpsc::Sender<ServerCommand>,
    shared: Arc<Shared>,
    /// Cancelled to end the server.
    stop: CancellationToken,
    /// Cancelled when it has ended.
    ended: CancellationToken,
    sockets: AtomicU32,
    streams: Arc<Streams>,
}

/// A socket that is open as long as this lives.
#[derive(Debug)]
pub struct OpenSocket {
    number: u32,
    shared: Arc<Shared>,
}

impl OpenSocket {
    /// Returns the socket's number, which is unique for its server.
    pub fn number(&self) -> u32 {
        self.number
    }
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.shared.sockets().remove(&self.number);
    }
}

/// Wakes the owner when a caller leaves without its answer.
struct Leaving<'a> {
    shared: &'a Shared,
    is_answered: bool,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if !self.is_answered {
            self.shared.journal.nudge();
        }
    }
}

/// The parts of a handle that its owner task is given too.
pub(crate) struct Links {
    pub(crate) commands: mpsc::Receiver<ServerCommand>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) stop: CancellationToken,
    pub(crate) ended: CancellationToken,
}

/// Commands that may wait for an owner. Each caller sends one and waits for its answer.
const COMMANDS: usize = 64;

impl Server {
    pub(crate) fn new(
        id: ServerId,
        agent: &str,
        version: Option<&str>,
        created_at_ms: u64,
        shared: Shared,
    ) -> (Self, Links) {
        let (sender, commands) = mpsc::channel(COMMANDS);
        let shared = Arc::new(shared);
        let (stop, ended) = (CancellationToken::new(), CancellationToken::new());
        let links = Links { commands, shared: shared.clone(), stop: stop.clone(), ended: ended.clone() };
        let sockets = AtomicU32::new(1);
        let inner = Inner {
            id,
            agent: agent.to_owned(),
            version: version.map(str::to_owned),
            created_at_ms,
            commands: sender,
            shared,
            stop,
            ended,
            sockets,
            streams: Arc::default(),
        };
        (Self { inner: Arc::new(inner) }, links)
    }

    pub fn id(&self) -> &ServerId {
        &self.inner.id
    }

    /// Returns the agent it is bound to.
    pub fn agent(&self) -> &str {
        &self.inner.agent
    }

    /// Returns the version that was asked for when it was made.
    pub fn asked_version(&self) -> Option<&str> {
        self.inner.version.as_deref()
    }

    /// Returns whether both are handles to the same server.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Returns the server's entry in the list of servers.
    pub fn describe(&self) -> AcpServer {
        let state = self.inner.shared.state().clone();
        AcpServer {
            server_id: self.inner.id.to_string(),
            agent: self.inner.agent.clone(),
            agent_version: state.version,
            created_at: Timestamp::from_millis(self.inner.created_at_ms),
            created_at_ms: self.inner.created_at_ms,
            status: state.status,
            pid: state.pid,
            exit: state.exit,
            pending_requests: state.pending_requests,
            last_event_id: self.inner.shared.journal.ring().newest(),
            session_ids: Vec::new(),
        }
    }

    /// Registers an open socket. The answers to its requests are addressed to its number.
    pub fn open_socket(&self) -> OpenSocket {
        let number = self.inner.sockets.fetch_add(1, Ordering::Relaxed);
        self.inner.shared.sockets().insert(number);
        OpenSocket { number, shared: Arc::clone(&self.inner.shared) }
    }

    /// Returns whether the socket of that number is open.
    pub fn has_socket(&self, number: u32) -> bool {
        self.inner.shared.sockets().contains(&number)
    }

    /// Returns the number of the newest record.
    pub(crate) fn newest(&self) -> u64 {
        self.inner.shared.journal.ring().newest()
    }

    /// Takes a stream of the standard transport for one reader: the session's, or the connection's.
    pub fn attach(
        &self,
        session: Option<&str>,
        last_event_id: Option<u64>,
        limit: usize,
    ) -> Result<Attachment, StreamError> {
        self.inner.streams.attach(session, last_event_id, self.before_log(), limit)
    }

    /// Returns the scope under which the standard transport asks for the answer to a request about that session.
    pub fn answer_scope(&self, session: Option<&str>, limit: usize) -> u32 {
        self.inner.streams.answer_scope(session, self.before_log(), limit)
    }

    /// Returns the number before the oldest record that is left.
    fn before_log(&self) -> u64 {
        let log = self.inner.shared.journal.ring();
        log.oldest().checked_sub(1).unwrap_or(log.newest())
    }

    /// Starts the agent if it does not run.
    pub async fn start(&self) -> Result<(), CallError> {
        self.ask(|reply| ServerCommand::Start { reply }).await
    }

    /// Sends a request and waits for its answer, however long the agent takes as long as it is not silent. Dropping the future changes nothing for the agent: the
    /// answer then goes to the streams.
    pub async fn call(
        &self,
        message: Message<Bytes>,
        when_stopped: WhenStopped,
    ) -> Result<Response, CallError> {
        // The owner looks who still waits when somebody leaves. It knows of those that it answers.
        let mut leaving = Leaving { shared: &self.inner.shared, is_answered: false };
        let answer = self.ask(|reply| ServerCommand::Call { message, when_stopped, reply }).await;
        leaving.is_answered = true;
        answer
    }

    /// Sends a message; an answer goes to where `caller` says. Returns when the message is on its way.
    pub async fn send(
        &self,
        message: Message<Bytes>,
        when_stopped: WhenStopped,
        caller: Caller,
    ) -> Result<(), CallError> {
        self.ask(|reply| ServerCommand::Send { message, when_stopped, caller, reply }).await
    }

    pub async fn subscribe(&self, from: Position, kind: ReaderKind) -> Result<Reader, CallError> {
        self.ask(|reply| ServerCommand::Subscribe { from, kind, reply }).await
    }

    /// Ends the server and waits until nothing of it is left.
    pub(crate) async fn end(&self) {
        self.inner.stop.cancel();
        self.inner.ended.cancelled().await;
    }

    async fn ask<T>(&self, command: impl FnOnce(Reply<T>) -> ServerCommand) -> Result<T, CallError> {
        let (reply, answer) = oneshot::channel();
        let gone = || self.inner.shared.failure.get().cloned().unwrap_or(CallError::Deleted);
        self.inner.commands.send(command(reply)).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::{Hub, HubOptions, Limits};
    use sa_agents::Catalog;
    use sa_install::ClientOptions;
    use sa_install::testing::launcher;
    use sa_supervisor::{BaseEnv, Supervisor, SupervisorOptions};
    use std::path::PathBuf;
    use std::time::Duration;

    /// Returns a hub that starts no agent.
    fn hub() -> Hub {
        let launcher = launcher(PathBuf::from("/nonexistent"), ClientOptions::default());
        let env = BaseEnv::Clean(Vec::new());
        let supervisor = Supervisor::start(SupervisorOptions { env, guardian: None }).unwrap();
        let catalog = Catalog::shipped().unwrap();
        Hub::new(HubOptions { catalog, limits: Limits::default(), launcher, numbers_after: 0 }, supervisor)
    }

    #[tokio::test]
    async fn a_command_that_was_on_its_way_when_the_server_ended_is_answered() {
        let hub = hub();
        let id = ServerId::parse("one").unwrap();
        let server = hub.open(&id, Some("demo"), None).unwrap();
        // The place in the queue is taken, the command is not there yet.
        let place = server.inner.commands.reserve().await.unwrap();
        let closing = tokio::spawn(async move { hub.close(&id).await });
        server.inner.commands.closed().await;
        let (reply, answer) = oneshot::channel();
        place.send(ServerCommand::Start { reply });
        let answered = tokio::time::timeout(Duration::from_secs(20), answer).await;
        assert!(matches!(answered.expect("nobody answers"), Ok(Err(CallError::Deleted))));
        assert!(closing.await.unwrap());
    }
}
