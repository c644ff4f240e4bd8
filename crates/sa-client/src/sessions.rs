//! The operations on universal sessions.

use crate::client::{EVENT_STREAM, JSON, with_headers};
use crate::operations::operations;
use crate::{Client, Download, EventStream, Result, SessionEvents, Upload};
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName};
use sa_api::sessions::{
    CancelResult, CreateSession, EventPage, EventType, ForkSession, MessageAccepted, PermissionReply,
    PostMessage, QuestionReply, QueueOrder, Session, SessionPatch, TranscriptOrder, TranscriptPage,
};
use serde::Serialize;

/// The key that makes a repeated request safe.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
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
        let names: Vec<&str> = self.types.iter().map(|one| one.name()).collect();
        let types = (!names.is_empty()).then(|| ("types", names.join(",")));
        let deltas = self.without_deltas.then(|| ("deltas", "false".to_owned()));
        types.into_iter().chain(deltas).collect()
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
    pub after: Option<u64>,
    /// At most so many.
    pub limit: Option<usize>,
    pub order: TranscriptOrder,
}

operations! {
    /// Creates a session with an id that the daemon chooses, and starts its agent. With a key the same request can be sent again
    /// without creating a second session.
    create_new_session(session: &CreateSession, key: Option<&str>) -> Session =
        POST ["v1", "sessions"], json session, headers [(IDEMPOTENCY_KEY, key)];
    /// Creates a session with an id that the client chooses, and starts its agent.
    create_session(id: &str, session: &CreateSession) -> Session = POST ["v1", "sessions", id], json session;
    get_session(id: &str) -> Session = GET ["v1", "sessions", id];
    /// Changes a session.
    patch_session(id: &str, patch: &SessionPatch) -> Session = PATCH ["v1", "sessions", id], json patch;
    /// Deletes a session. Succeeds also if it does not exist.
    delete_session(id: &str) = DELETE ["v1", "sessions", id];
    /// Ends a session and keeps its history.
    terminate_session(id: &str) -> Session = POST ["v1", "sessions", id, "terminate"];
    /// Continues with messages that are held since a restart, or starts the agent of an interrupted session again.
    resume_session(id: &str) -> Session = POST ["v1", "sessions", id, "resume"];
    /// Creates a session that continues from another one's conversation.
    fork_session(id: &str, fork: &ForkSession) -> Session = POST ["v1", "sessions", id, "fork"], json fork;
    /// Sends a message. With a key it can be sent again without being doubled.
    post_message(id: &str, message: &PostMessage, key: Option<&str>) -> MessageAccepted =
        POST ["v1", "sessions", id, "messages"], json message, headers [(IDEMPOTENCY_KEY, key)];
    /// Withdraws a message that waits for its turn.
    withdraw_message(id: &str, message_id: &str) = DELETE ["v1", "sessions", id, "messages", message_id];
    /// Changes the order of messages that wait.
    reorder_queue(id: &str, order: &QueueOrder) -> Session = PUT ["v1", "sessions", id, "queue"], json order;
    /// Stops the turn that runs.
    cancel_turn(id: &str) -> CancelResult = POST ["v1", "sessions", id, "cancel"];
    /// Returns a page of a session's messages, each in its newest state.
    get_messages(id: &str, query: TranscriptQuery) -> TranscriptPage =
        GET ["v1", "sessions", id, "messages"], query query;
    /// Returns a page of a session's events.
    get_events(id: &str, query: &EventQuery) -> EventPage =
        GET ["v1", "sessions", id, "events"], query query.page();
    /// Answers a question.
    reply_to_question(id: &str, question_id: &str, reply: &QuestionReply) =
        POST ["v1", "sessions", id, "questions", question_id, "reply"], json reply;
    reject_question(id: &str, question_id: &str) =
        POST ["v1", "sessions", id, "questions", question_id, "reject"];
    /// Decides on a permission.
    reply_to_permission(id: &str, permission_id: &str, reply: &PermissionReply) =
        POST ["v1", "sessions", id, "permissions", permission_id, "reply"], json reply;
}

impl Client {
    /// Sends a message; what comes of it, up to the end of its turn.
    pub async fn post_message_stream(
        &self,
        id: &str,
        message: &PostMessage,
        key: Option<&str>,
    ) -> Result<EventStream> {
        let path = ["v1", "sessions", id, "messages", "stream"];
        let request = self.request(Method::POST, &path, EVENT_STREAM)?.json(message);
        EventStream::new(self.send(with_headers(request, [(IDEMPOTENCY_KEY, key)])?).await?)
    }

    /// Streams a session's events on one connection.
    pub async fn stream_events(&self, id: &str, query: &EventQuery) -> Result<EventStream> {
        let request = self.request(Method::GET, &["v1", "sessions", id, "events", "sse"], EVENT_STREAM)?;
        let request = request.query(&query.selection()).header("last-event-id", query.after);
        EventStream::new(self.send(request).await?)
    }

    /// Streams a session's events, and reconnects where the stream broke.
    pub async fn follow_events(&self, id: &str, query: EventQuery) -> Result<SessionEvents> {
        let stream = self.stream_events(id, &query).await?;
        Ok(SessionEvents::new(self.clone(), id, query, stream))
    }

    /// A session as lines of JSON.
    pub async fn export_session(&self, id: &str) -> Result<Download> {
        let request = self.request(Method::GET, &["v1", "sessions", id, "export"], LINES)?;
        self.send(request).await.map(Download::new)
    }

    /// Makes a session out of an export, under the id it had or under another.
    pub async fn import_session(&self, lines: Upload, id: Option<&str>) -> Result<Session> {
        let request = self.request(Method::POST, &["v1", "sessions", "import"], JSON)?;
        let request = request.header(CONTENT_TYPE, LINES).query(&id.map(|id| [("sessionId", id)]));
        self.ask(lines.attach(request)).await
    }
}
