//! The handle of one session: what callers can ask of it.

use crate::command::{Command, NativeSession, Pending, Posted, Reply, Withdrawal};
use crate::error::Result;
use crate::log::{EventLine, Reader};
use crate::shared::Shared;
use crate::transcript::{self, Transcript};
use crate::{AgentFailure, EventFilter, SessionError};
use base64::prelude::{BASE64_STANDARD, Engine};
use futures_util::future::{self, Either};
use sa_api::sessions::{
    CancelResult, FileSource, MessageAccepted, MessagePart, PermissionReply, PostMessage, QuestionReply,
    QueueOrder, Session, SessionPatch, SessionState, TranscriptOrder,
};
use sa_otlp::TraceContext;
use sa_store::StoreError;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::pin::pin;
use std::sync::Arc;

/// Longest `Idempotency-Key`.
const LONGEST_KEY: usize = 255;

/// Events that a request looks at, and bytes that it collects, before it answers with what it has found.
const MOST_EVENTS: usize = 20_000;
const MOST_BYTES: usize = 1 << 20;

/// Events of a session that pass a filter.
#[derive(Debug)]
pub struct EventSlice {
    /// The events.
    pub lines: Vec<EventLine>,
    /// The id of the first event that was looked at.
    pub first: Option<u64>,
    /// The id of the last event that was looked at, to continue after.
    pub next: u64,
    /// True if more events pass, or may pass because the search was cut short.
    pub has_more: bool,
}

/// One session. Cloning gives another handle on the same one.
#[derive(Clone)]
pub struct SessionHandle(pub(crate) Arc<Shared>);

impl SessionHandle {
    /// Returns the session's id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// Returns the session as clients see it.
    pub fn describe(&self) -> Session {
        self.0.describe()
    }

    /// True if it was terminated.
    pub fn is_ended(&self) -> bool {
        self.describe().state == SessionState::Ended
    }

    /// Puts a message into the log; it is given to the agent when its turn has come. The same message under the same
    /// key is accepted once.
    pub async fn post(
        &self,
        message: PostMessage,
        key: Option<String>,
        trace: Option<TraceContext>,
    ) -> Result<MessageAccepted> {
        check_key(key.as_deref())?;
        let body = serde_json::to_vec(&message).unwrap_or_default();
        let digest = Sha256::digest(&body).into();
        let delivery = message.delivery;
        let posted = Posted { parts: parts_of(message)?, delivery, key, digest, trace };
        self.command(|reply| Command::Post { message: Box::new(posted), reply }).await
    }

    /// Changes it.
    pub async fn patch(&self, patch: SessionPatch) -> Result<Session> {
        self.command(|reply| Command::Patch { patch: Box::new(patch), reply }).await?;
        Ok(self.describe())
    }

    /// Stops the turn that runs and takes back the messages that wait.
    pub async fn cancel(&self) -> Result<CancelResult> {
        self.command(|reply| Command::Cancel { reply }).await
    }

    /// Takes a message out of the queue. It is no mistake if it does not wait, unless its turn has begun.
    pub async fn withdraw(&self, message_id: &str) -> Result<()> {
        let id = message_id.to_owned();
        let begun = || SessionError::Begun(message_id.to_owned());
        match self.command(|reply| Command::Withdraw { message_id: id, reply }).await {
            Ok(Withdrawal::Withdrawn) => Ok(()),
            Ok(Withdrawal::Running) => Err(begun()),
            // Looked up here, so that the session does not have to wait for it.
            Ok(Withdrawal::NotWaiting) | Err(SessionError::Ended) => {
                if self.0.log.has_begun_turn(message_id).await? { Err(begun()) } else { Ok(()) }
            }
            Err(error) => Err(error),
        }
    }

    /// Changes the order of messages that wait.
    pub async fn reorder(&self, order: QueueOrder) -> Result<Session> {
        let message_ids = order.message_ids;
        let distinct: HashSet<&String> = message_ids.iter().collect();
        if distinct.len() < message_ids.len() {
            return Err(SessionError::Invalid("`messageIds` names a message twice".to_owned()));
        }
        self.command(|reply| Command::Reorder { message_ids, reply }).await?;
        Ok(self.describe())
    }

    /// Continues with messages that are held, and starts an agent again that has ended.
    pub async fn resume(&self) -> Result<Session> {
        self.command(|reply| Command::Resume { reply }).await?;
        Ok(self.describe())
    }

    /// Stops its owner, unless the session has begun.
    pub(crate) async fn relinquish(&self) -> Result<()> {
        self.command(|reply| Command::Relinquish { reply }).await
    }

    /// Ends it and keeps its history. Ending it twice is no mistake.
    pub async fn terminate(&self) -> Result<Session> {
        self.end(NativeSession::Keep).await
    }

    /// Ends it, and has the agent keep or delete its own session.
    pub(crate) async fn end(&self, native: NativeSession) -> Result<Session> {
        match self.command(|reply| Command::Terminate { native, reply }).await {
            Ok(()) | Err(SessionError::Ended) => Ok(self.describe()),
            Err(error) => Err(error),
        }
    }

    /// Answers a question; without answers it is rejected.
    pub async fn answer(&self, id: &str, answers: Option<QuestionReply>) -> Result<()> {
        let answered = self.command(|reply| Command::Question { id: id.to_owned(), answers, reply }).await;
        self.or_verdict(answered).await
    }

    /// Decides on a permission.
    pub async fn decide(&self, id: &str, decision: PermissionReply) -> Result<()> {
        let decided = self.command(|reply| Command::Permission { id: id.to_owned(), decision, reply }).await;
        self.or_verdict(decided).await
    }

    /// Looks in the log for what the owner does not remember; here, so that the session does not have to wait for it.
    async fn or_verdict(&self, outcome: Result<()>) -> Result<()> {
        let Err(SessionError::NotAsked(id)) = outcome else { return outcome };
        match self.0.log.find_verdict(&id).await? {
            Some(verdict) => Err(SessionError::Resolved(Box::new(verdict))),
            None => Err(SessionError::NotAsked(id)),
        }
    }

    /// Returns events after that id that pass a filter, at most `limit`. Looking for them is bounded, so there may be fewer.
    pub async fn events(&self, after: u64, limit: usize, filter: &EventFilter) -> Result<EventSlice> {
        let last = self.0.log.ends().last;
        let mut slice = EventSlice { lines: Vec::new(), first: None, next: after, has_more: false };
        let (mut seen, mut bytes) = (0, 0);
        while slice.next < last && seen < MOST_EVENTS && bytes < MOST_BYTES {
            let wanted = if filter.is_open() { limit - slice.lines.len() } else { MOST_EVENTS };
            let lines = self.0.log.read(slice.next, wanted).await?;
            if lines.is_empty() {
                return Ok(slice);
            }
            slice.first = slice.first.or(lines.first().map(|line| line.id));
            for line in lines.into_iter().filter(|line| line.id <= last) {
                seen += 1;
                let id = line.id;
                if filter.wants(&line) {
                    if slice.lines.len() >= limit {
                        slice.has_more = true;
                        return Ok(slice);
                    }
                    bytes += line.json.len();
                    slice.lines.push(line);
                }
                slice.next = id;
            }
            if filter.is_open() {
                break;
            }
        }
        slice.has_more = slice.next < last;
        Ok(slice)
    }

    /// Returns a page of the transcript: the messages after a cursor in that order, at most `limit`.
    pub async fn transcript(
        &self,
        after: Option<u64>,
        order: TranscriptOrder,
        limit: usize,
    ) -> Result<Transcript> {
        let turn = || {
            let record = self.0.record();
            record.turn.map(|turn| (turn.turn_id, record.turn_after))
        };
        transcript::read(&self.0.log, turn, after, order, limit).await
    }

    /// A reader of the events after that id.
    pub fn reader(&self, after: u64) -> Reader {
        Reader::new(Arc::clone(&self.0.log), after)
    }

    pub(crate) async fn start(&self) -> Result<(), AgentFailure> {
        self.command(|reply| Command::Start { reply }).await.map_err(|error| match error {
            SessionError::Agent(failure) => failure,
            other => AgentFailure::Machine(other.to_string()),
        })
    }

    /// Returns the owner's answer, or why it cannot give any soon.
    async fn command<T: Send + 'static>(&self, command: impl FnOnce(Reply<T>) -> Command) -> Result<T> {
        let (reply, Pending { answer, fate }) = Reply::channel();
        let command = command(reply);
        let inbox = if command.can_wait() { &self.0.commands } else { &self.0.urgent };
        inbox.send(command).await.map_err(|_| self.gone())?;
        let answer = match future::select(answer, pin!(self.stalled())).await {
            Either::Left((answer, _)) => answer,
            Either::Right((error, _)) if fate.claim() => return Err(error.into()),
            // It is being stored after all.
            Either::Right((_, answer)) => answer.await,
        };
        answer.unwrap_or_else(|_| Err(self.gone()))
    }

    /// Returns the reason nothing can be stored, as soon as there is one.
    async fn stalled(&self) -> StoreError {
        let mut stalled = self.0.stalled.subscribe();
        match stalled.wait_for(Option::is_some).await.map(|stalled| stalled.clone()) {
            Ok(Some(error)) => error,
            // The sender lives as long as this handle, so this is never reached.
            _ => std::future::pending().await,
        }
    }

    /// Returns the reason the owner does not answer.
    fn gone(&self) -> SessionError {
        let given_up = self.0.stalled.borrow().clone();
        match given_up {
            Some(error) => error.into(),
            None if self.is_ended() => SessionError::Ended,
            None => SessionError::ShuttingDown,
        }
    }
}

/// Refuses an `Idempotency-Key` of the wrong length.
pub(crate) fn check_key(key: Option<&str>) -> Result<()> {
    if key.is_none_or(|key| (1..=LONGEST_KEY).contains(&key.len())) {
        return Ok(());
    }
    Err(SessionError::Invalid(format!("Idempotency-Key must have 1 to {LONGEST_KEY} characters")))
}

/// The content of a message.
fn parts_of(message: PostMessage) -> Result<Vec<MessagePart>> {
    let parts = match (message.message, message.parts) {
        (Some(text), None) => vec![MessagePart::Text { text }],
        (None, Some(parts)) => parts,
        _ => return Err(SessionError::Invalid("a message has either `message` or `parts`".to_owned())),
    };
    let empty = parts.iter().all(|part| matches!(part, MessagePart::Text { text } if text.trim().is_empty()));
    if empty {
        return Err(SessionError::Invalid("the message is empty".to_owned()));
    }
    for (index, part) in parts.iter().enumerate() {
        check_part(part).map_err(|reason| SessionError::Invalid(format!("part {}: {reason}", index + 1)))?;
    }
    Ok(parts)
}

fn check_part(part: &MessagePart) -> Result<(), &'static str> {
    let source = match part {
        MessagePart::Text { .. } => return Ok(()),
        MessagePart::File { diff: Some(_), .. } => {
            return Err("a message cannot contain the change of a file");
        }
        MessagePart::File { source, .. } => source.as_ref(),
        MessagePart::Image { source: FileSource::Text { .. }, .. } => return Err("text is no image"),
        MessagePart::Image { source, .. } => Some(source),
        _ => return Err("a message consists of text, files and images"),
    };
    match source {
        Some(FileSource::Base64 { data }) if BASE64_STANDARD.decode(data).is_err() => {
            Err("its data is not base64")
        }
        _ => Ok(()),
    }
}
