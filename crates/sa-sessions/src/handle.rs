//! The handle of one session: what callers can ask of it.

use crate::command::{Command, Posted, Urgent};
use crate::log::{Line, Reader};
use crate::shared::Shared;
use crate::{AgentFailure, SessionError};
use sa_api::sessions::{
    CancelResult, MessageAccepted, MessagePart, PermissionReply, PostMessage, Session, SessionPatch,
    SessionState,
};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Longest `Idempotency-Key`.
const LONGEST_KEY: usize = 255;

/// One session. Cloning gives another handle on the same one.
#[derive(Clone)]
pub struct SessionHandle(pub(crate) Arc<Shared>);

impl SessionHandle {
    /// Its id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// What clients are told of it.
    pub fn describe(&self) -> Session {
        self.0.describe()
    }

    /// Whether it was terminated.
    pub fn is_ended(&self) -> bool {
        self.describe().state == SessionState::Ended
    }

    /// Puts a message into the log; it is given to the agent when its turn has come. The same message under the same
    /// key is accepted once.
    pub async fn post(
        &self,
        message: PostMessage,
        key: Option<String>,
    ) -> Result<MessageAccepted, SessionError> {
        if let Some(key) = &key
            && !(1..=LONGEST_KEY).contains(&key.len())
        {
            return Err(SessionError::Invalid(format!(
                "an Idempotency-Key has 1 to {LONGEST_KEY} characters"
            )));
        }
        let body = serde_json::to_vec(&message).unwrap_or_default();
        let digest = Sha256::digest(&body).into();
        let delivery = message.delivery;
        let posted = Posted { parts: parts_of(message)?, delivery, key, digest };
        self.command(|reply| Command::Post { message: Box::new(posted), reply }).await
    }

    /// Changes it.
    pub async fn patch(&self, patch: SessionPatch) -> Result<Session, SessionError> {
        self.command(|reply| Command::Patch { patch: Box::new(patch), reply }).await?;
        Ok(self.describe())
    }

    /// Stops the turn that runs and takes back the messages that wait.
    pub async fn cancel(&self) -> Result<CancelResult, SessionError> {
        self.urgent(|reply| Urgent::Cancel { reply }).await
    }

    /// Ends it and keeps its history. Ending it twice is no mistake.
    pub async fn terminate(&self) -> Result<Session, SessionError> {
        // What is being started need not be waited for.
        if let Err(error) = self.cancel().await {
            tracing::debug!(session = %self.0.id, %error, "nothing was cancelled before the end");
        }
        match self.command(|reply| Command::Terminate { reply }).await {
            Ok(()) | Err(SessionError::Ended) => Ok(self.describe()),
            Err(error) => Err(error),
        }
    }

    /// Answers a question; without answers it is rejected.
    pub async fn answer(&self, id: &str, answers: Option<Vec<Vec<String>>>) -> Result<(), SessionError> {
        self.urgent(|reply| Urgent::Question { id: id.to_owned(), answers, reply }).await
    }

    /// Decides on a permission.
    pub async fn decide(&self, id: &str, decision: PermissionReply) -> Result<(), SessionError> {
        self.urgent(|reply| Urgent::Permission { id: id.to_owned(), decision, reply }).await
    }

    /// Events after that id, at most `limit`, and whether there are more.
    pub async fn events(&self, after: u64, limit: usize) -> Result<(Vec<Line>, bool), SessionError> {
        let last = self.0.log.ends().last;
        let lines = if after < last { self.0.log.read(after, limit).await? } else { Vec::new() };
        let seen = lines.last().map_or(after, |line| line.id);
        Ok((lines, seen < last))
    }

    /// A reader of the events after that id.
    pub fn reader(&self, after: u64) -> Reader {
        Reader::new(Arc::clone(&self.0.log), after)
    }

    pub(crate) async fn start(&self) -> Result<(), AgentFailure> {
        let (reply, answer) = oneshot::channel();
        let gone = || AgentFailure::Surroundings("the session has ended".to_owned());
        self.0.commands.send(Command::Start { reply }).await.map_err(|_| gone())?;
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    async fn command<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, SessionError>>) -> Command,
    ) -> Result<T, SessionError> {
        let (reply, answer) = oneshot::channel();
        self.0.commands.send(command(reply)).await.map_err(|_| self.gone())?;
        answer.await.unwrap_or_else(|_| Err(self.gone()))
    }

    async fn urgent<T>(
        &self,
        urgent: impl FnOnce(oneshot::Sender<Result<T, SessionError>>) -> Urgent,
    ) -> Result<T, SessionError> {
        let (reply, answer) = oneshot::channel();
        self.0.urgent.send(urgent(reply)).await.map_err(|_| self.gone())?;
        answer.await.unwrap_or_else(|_| Err(self.gone()))
    }

    fn gone(&self) -> SessionError {
        if self.is_ended() { SessionError::Ended } else { SessionError::ShuttingDown }
    }
}

/// What a message consists of.
fn parts_of(message: PostMessage) -> Result<Vec<MessagePart>, SessionError> {
    let parts = match (message.message, message.parts) {
        (Some(text), None) => vec![MessagePart::Text { text }],
        (None, Some(parts)) => parts,
        _ => return Err(SessionError::Invalid("a message has either `message` or `parts`".to_owned())),
    };
    let empty = parts.iter().all(|part| matches!(part, MessagePart::Text { text } if text.trim().is_empty()));
    if empty {
        return Err(SessionError::Invalid("the message is empty".to_owned()));
    }
    let allowed = |part: &MessagePart| {
        matches!(part, MessagePart::Text { .. } | MessagePart::File { .. } | MessagePart::Image { .. })
    };
    if !parts.iter().all(allowed) {
        return Err(SessionError::Invalid("a message consists of text, files and images".to_owned()));
    }
    Ok(parts)
}
