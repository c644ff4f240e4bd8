//! A session's events over as many connections as it takes, without loss and without repeats.

use crate::stream::Reconnection;
use crate::{Client, ClientError, EventQuery, EventStream, Result, SseEvent};
use sa_api::sessions::{SessionState, UniversalEvent};
use sa_api::{Gap, Problem};

/// The events of one session.
#[derive(Debug)]
pub struct SessionEvents {
    client: Client,
    id: String,
    query: EventQuery,
    /// Events came on the connection that there is.
    has_moved: bool,
    connection: Reconnection,
}

/// An item of a session's stream.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionStep {
    /// An event, and its JSON as it came.
    Event(Box<UniversalEvent>, String),
    /// Events are no longer kept; the next one is the oldest there is.
    Gap(Gap),
}

impl SessionEvents {
    pub(crate) fn new(client: Client, id: &str, query: EventQuery, stream: EventStream) -> Self {
        let id = id.to_owned();
        Self { client, id, query, has_moved: false, connection: Reconnection::new(stream) }
    }

    /// Returns the next item; nothing when the session has ended or does not exist any more. An error is final: the daemon
    /// refuses, or something else answers in its place.
    pub async fn next(&mut self) -> Result<Option<SessionStep>> {
        loop {
            let open = async || self.client.stream_events(&self.id, &self.query).await;
            let Some(stream) = self.connection.stream(open).await? else { return Ok(None) };
            match stream.next().await {
                Ok(Some(event)) => {
                    self.has_moved = true;
                    return self.read(&event).map(Some);
                }
                Ok(None) if self.is_over().await? => return Ok(None),
                Err(error) if !error.is_temporary() => return Err(error),
                Ok(None) | Err(_) => {
                    self.connection.lose();
                    self.has_moved = false;
                }
            }
        }
    }

    fn read(&mut self, event: &SseEvent) -> Result<SessionStep> {
        let broken =
            |error: serde_json::Error| ClientError::protocol(format!("event {}: {error}", event.event));
        match event.event.as_str() {
            "message" => {
                let read = UniversalEvent::from_json(event.data.as_bytes()).map_err(broken)?;
                self.query.after = read.id;
                Ok(SessionStep::Event(Box::new(read), event.data.clone()))
            }
            "gap" => {
                let gap: Gap = serde_json::from_slice(event.data.as_bytes()).map_err(broken)?;
                self.query.after = gap.oldest.saturating_sub(1);
                Ok(SessionStep::Gap(gap))
            }
            "failure" => {
                let problem: Problem = serde_json::from_slice(event.data.as_bytes()).map_err(broken)?;
                Err(problem.into())
            }
            other => Err(ClientError::protocol(format!("there is no event '{other}'"))),
        }
    }

    /// A stream also ends when the daemon does; then there is more to come.
    async fn is_over(&self) -> Result<bool> {
        match self.client.get_session(&self.id).await {
            Ok(session) => {
                // With a filter the newest event may never come; a whole connection without any has shown that.
                let is_read = session.last_event_id <= self.query.after
                    || (self.query.is_filtered() && !self.has_moved);
                Ok(session.state == SessionState::Ended && is_read)
            }
            Err(error) if error.problem_status() == Some(404) => Ok(true),
            Err(error) if error.is_temporary() => Ok(false),
            Err(error) => Err(error),
        }
    }
}
