//! The operations on universal sessions.

use crate::client::{EVENT_STREAM, JSON};
use crate::{Client, ClientError, Download, EventStream, SessionEvents, Upload};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, RequestBuilder};
use sa_api::sessions::{
    CancelResult, CreateSession, EventPage, EventType, ForkSession, MessageAccepted, PermissionReply,
    PostMessage, QuestionReply, QueueOrder, Session, SessionPatch, TranscriptOrder, TranscriptPage,
};
use serde::Serialize;

const LINES: &str = "application/x-ndjson";

/// The events to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventQuery {
    pub(crate) after: u64,
    limit: Option<usize>,
    types: Vec<EventType>,
    without_deltas: bool,
}

impl EventQuery {
    /// All events after this one; 0 for those from the beginning.
    pub fn after(id: u64) -> Self {
        Self { after: id, ..Self::default() }
    }

    /// At most so many on a page.
    #[must_use]
    pub fn limit(self, limit: usize) -> Self {
        Self { limit: Some(limit), ..self }
    }

    /// Only events of these types; of all types if there are none.
    #[must_use]
    pub fn types(self, types: impl IntoIterator<Item = EventType>) -> Self {
        Self { types: types.into_iter().collect(), ..self }
    }

    /// Without the pieces of messages.
    #[must_use]
    pub fn without_deltas(self) -> Self {
        Self { without_deltas: true, ..self }
    }

    /// Returns whether some events are left out.
    pub(crate) fn is_filtered(&self) -> bool {
        !self.types.is_empty() || self.without_deltas
    }

    fn selection(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if !self.types.is_empty() {
            let names: Vec<&str> = self.types.iter().map(|one| one.name()).collect();
            pairs.push(("types", names.join(",")));
        }
        if self.without_deltas {
            pairs.push(("deltas", "false".to_owned()));
        }
        pairs
    }

    fn page(&self) -> Vec<(&'static str, String)> {
        let mut pairs = self.selection();
        pairs.push(("after", self.after.to_string()));
        pairs.extend(self.limit.map(|limit| ("limit", limit.to_string())));
        pairs
    }
}

/// The messages of a transcript to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct TranscriptQuery {
    /// `next` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// At most so many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    pub order: TranscriptOrder,
}

impl Client {
    /// Creates a session with an id that the client chooses, and starts its agent.
    pub async fn create_session(&self, id: &str, session: &CreateSession) -> Result<Session, ClientError> {
        self.post_json(&["v1", "sessions", id], session).await
    }

    /// Creates a session with an id that the daemon chooses, and starts its agent. With a key the same request can be sent again
    /// without creating a second session.
    pub async fn create_new_session(
        &self,
        session: &CreateSession,
        key: Option<&str>,
    ) -> Result<Session, ClientError> {
        let request = self.request(Method::POST, &["v1", "sessions"], JSON)?;
        self.ask(with_key(request.json(session), key)?).await
    }

    pub async fn get_session(&self, id: &str) -> Result<Session, ClientError> {
        self.get_json(&["v1", "sessions", id]).await
    }

    /// Changes a session.
    pub async fn patch_session(&self, id: &str, patch: &SessionPatch) -> Result<Session, ClientError> {
        self.ask(self.request(Method::PATCH, &["v1", "sessions", id], JSON)?.json(patch)).await
    }

    /// Deletes a session. Succeeds also if it does not exist.
    pub async fn delete_session(&self, id: &str) -> Result<(), ClientError> {
        self.send(self.request(Method::DELETE, &["v1", "sessions", id], JSON)?).await.map(drop)
    }

    /// Ends a session and keeps its history.
    pub async fn terminate_session(&self, id: &str) -> Result<Session, ClientError> {
        self.ask(self.request(Method::POST, &["v1", "sessions", id, "terminate"], JSON)?).await
    }

    /// Continues with messages that are held since a restart, or starts the agent of an interrupted session again.
    pub async fn resume_session(&self, id: &str) -> Result<Session, ClientError> {
        self.ask(self.request(Method::POST, &["v1", "sessions", id, "resume"], JSON)?).await
    }

    /// Creates a session that continues from another one's conversation.
    pub async fn fork_session(&self, id: &str, fork: &ForkSession) -> Result<Session, ClientError> {
        self.post_json(&["v1", "sessions", id, "fork"], fork).await
    }

    /// Sends a message. With a key it can be sent again without being doubled.
    pub async fn post_message(
        &self,
        id: &str,
        message: &PostMessage,
        key: Option<&str>,
    ) -> Result<MessageAccepted, ClientError> {
        let request = self.request(Method::POST, &["v1", "sessions", id, "messages"], JSON)?;
        self.ask(with_key(request.json(message), key)?).await
    }

    /// Sends a message; what comes of it, up to the end of its turn.
    pub async fn post_message_stream(
        &self,
        id: &str,
        message: &PostMessage,
        key: Option<&str>,
    ) -> Result<EventStream, ClientError> {
        let path = ["v1", "sessions", id, "messages", "stream"];
        let request = self.request(Method::POST, &path, EVENT_STREAM)?.json(message);
        EventStream::new(self.send(with_key(request, key)?).await?)
    }

    /// Withdraws a message that waits for its turn.
    pub async fn withdraw_message(&self, id: &str, message_id: &str) -> Result<(), ClientError> {
        let path = ["v1", "sessions", id, "messages", message_id];
        self.send(self.request(Method::DELETE, &path, JSON)?).await.map(drop)
    }

    /// Changes the order of messages that wait.
    pub async fn reorder_queue(&self, id: &str, order: &QueueOrder) -> Result<Session, ClientError> {
        self.ask(self.request(Method::PUT, &["v1", "sessions", id, "queue"], JSON)?.json(order)).await
    }

    /// Stops the turn that runs.
    pub async fn cancel_turn(&self, id: &str) -> Result<CancelResult, ClientError> {
        self.ask(self.request(Method::POST, &["v1", "sessions", id, "cancel"], JSON)?).await
    }

    /// Returns a page of a session's messages, each in its newest state.
    pub async fn get_messages(
        &self,
        id: &str,
        query: TranscriptQuery,
    ) -> Result<TranscriptPage, ClientError> {
        self.ask(self.request(Method::GET, &["v1", "sessions", id, "messages"], JSON)?.query(&query)).await
    }

    /// Returns a page of a session's events.
    pub async fn get_events(&self, id: &str, query: &EventQuery) -> Result<EventPage, ClientError> {
        let request = self.request(Method::GET, &["v1", "sessions", id, "events"], JSON)?;
        self.ask(request.query(&query.page())).await
    }

    /// Streams a session's events on one connection.
    pub async fn stream_events(&self, id: &str, query: &EventQuery) -> Result<EventStream, ClientError> {
        let request = self.request(Method::GET, &["v1", "sessions", id, "events", "sse"], EVENT_STREAM)?;
        let request = request.query(&query.selection()).header("last-event-id", query.after);
        EventStream::new(self.send(request).await?)
    }

    /// Streams a session's events, and reconnects where the stream broke.
    pub async fn follow_events(&self, id: &str, query: EventQuery) -> Result<SessionEvents, ClientError> {
        let stream = self.stream_events(id, &query).await?;
        Ok(SessionEvents::new(self.clone(), id, query, stream))
    }

    /// Answers a question.
    pub async fn reply_to_question(
        &self,
        id: &str,
        question_id: &str,
        reply: &QuestionReply,
    ) -> Result<(), ClientError> {
        let path = ["v1", "sessions", id, "questions", question_id, "reply"];
        self.send(self.request(Method::POST, &path, JSON)?.json(reply)).await.map(drop)
    }

    pub async fn reject_question(&self, id: &str, question_id: &str) -> Result<(), ClientError> {
        let path = ["v1", "sessions", id, "questions", question_id, "reject"];
        self.send(self.request(Method::POST, &path, JSON)?).await.map(drop)
    }

    /// Decides on a permission.
    pub async fn reply_to_permission(
        &self,
        id: &str,
        permission_id: &str,
        reply: &PermissionReply,
    ) -> Result<(), ClientError> {
        let path = ["v1", "sessions", id, "permissions", permission_id, "reply"];
        self.send(self.request(Method::POST, &path, JSON)?.json(reply)).await.map(drop)
    }

    /// A session as lines of JSON.
    pub async fn export_session(&self, id: &str) -> Result<Download, ClientError> {
        let request = self.request(Method::GET, &["v1", "sessions", id, "export"], LINES)?;
        self.send(request).await.map(Download::new)
    }

    /// Makes a session out of an export, under the id it had or under another.
    pub async fn import_session(&self, lines: Upload, id: Option<&str>) -> Result<Session, ClientError> {
        let request = self.request(Method::POST, &["v1", "sessions", "import"], JSON)?;
        let request = request.header(CONTENT_TYPE, LINES).query(&id.map(|id| [("sessionId", id)]));
        self.ask(lines.attach(request)).await
    }
}

fn with_key(request: RequestBuilder, key: Option<&str>) -> Result<RequestBuilder, ClientError> {
    let Some(key) = key else { return Ok(request) };
    let value = HeaderValue::from_str(key)
        .map_err(|_| ClientError::Argument("the idempotency key cannot be sent in a header".to_owned()))?;
    Ok(request.header("idempotency-key", value))
}
