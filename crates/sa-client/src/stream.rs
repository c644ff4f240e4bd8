//! Event streams: one connection, and the helper that connects again.

use crate::client::broken_answer;
use crate::{Client, ClientError, Result, SseEvent, SseParser};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// An agent's line may have 64 MiB, and its event repeats it with some escaping.
const EVENT_BYTES: usize = 256 * 1024 * 1024;
/// The daemon sends a heartbeat every 15 s; a connection without a byte for this long is dead. A large event may take
/// much longer than that to arrive as a whole.
const SILENCE: Duration = Duration::from_secs(60);
/// The pause before the next attempt, unless the stream asked for another one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Whatever the stream asks for: a loop without a pause would be an attack.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The events of one connection.
#[derive(Debug)]
pub struct EventStream {
    response: Response,
    parser: SseParser,
}

impl EventStream {
    pub(crate) fn new(response: Response) -> Result<Self> {
        let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        match content_type {
            Some(kind) if kind.starts_with("text/event-stream") => {
                Ok(Self { response, parser: SseParser::new(EVENT_BYTES) })
            }
            other => Err(ClientError::protocol(format!("{} is no event stream", other.unwrap_or("this")))),
        }
    }

    /// Returns the next event, or none when the daemon ended the stream. Fails when not a single byte comes for a minute.
    /// Nothing is lost when the call is dropped.
    pub async fn next(&mut self) -> Result<Option<SseEvent>> {
        loop {
            let event = self.parser.next_event().map_err(|error| ClientError::protocol(error.to_string()))?;
            if event.is_some() {
                return Ok(event);
            }
            let chunk = timeout(SILENCE, self.response.chunk());
            match chunk.await.map_err(|_| ClientError::Silent(SILENCE))?.map_err(broken_answer)? {
                Some(bytes) => self.parser.push(&bytes),
                None => return Ok(None),
            }
        }
    }

    /// The id to continue after.
    pub fn last_event_id(&self) -> Option<&str> {
        self.parser.last_id()
    }
}

/// A connection that is opened again after it was lost, with pauses that grow.
#[derive(Debug)]
pub(crate) struct Reconnection {
    stream: Option<EventStream>,
    pause: Duration,
}

impl Reconnection {
    pub(crate) fn new(stream: EventStream) -> Self {
        Self { stream: Some(stream), pause: FIRST_PAUSE }
    }

    /// Drops a connection that ended or broke.
    pub(crate) fn lose(&mut self) {
        if let Some(stream) = self.stream.take() {
            self.pause = stream.parser.retry().unwrap_or(FIRST_PAUSE).max(SHORTEST_PAUSE);
        }
    }

    /// Returns the connection. One that was lost is opened again, after a pause. Returns nothing if nothing is left to
    /// connect to. An error is final.
    pub(crate) async fn stream(
        &mut self,
        open: impl AsyncFn() -> Result<EventStream>,
    ) -> Result<Option<&mut EventStream>> {
        while self.stream.is_none() {
            sleep(self.pause).await;
            self.pause = (self.pause * 2).min(LONGEST_PAUSE);
            match open().await {
                Ok(stream) => self.stream = Some(stream),
                Err(error) if error.problem_status() == Some(404) => return Ok(None),
                Err(error) if error.is_temporary() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.stream.as_mut())
    }
}

/// The events of one ACP server, over as many connections as it takes.
#[derive(Debug)]
pub struct ReconnectingStream {
    client: Client,
    server_id: String,
    last_event_id: Option<String>,
    connection: Reconnection,
}

impl ReconnectingStream {
    pub(crate) fn new(
        client: Client,
        server_id: &str,
        last_event_id: Option<&str>,
        stream: EventStream,
    ) -> Self {
        let (server_id, last_event_id) = (server_id.to_owned(), last_event_id.map(str::to_owned));
        Self { client, server_id, last_event_id, connection: Reconnection::new(stream) }
    }

    /// Returns the next event; none when the ACP server does not exist any more. An error is final: the daemon refuses, or
    /// something else answers in its place.
    pub async fn next(&mut self) -> Result<Option<SseEvent>> {
        loop {
            let open = async || self.client.stream_acp(&self.server_id, self.last_event_id.as_deref()).await;
            let Some(stream) = self.connection.stream(open).await? else { return Ok(None) };
            let outcome = stream.next().await;
            if let Some(id) = stream.last_event_id() {
                self.last_event_id = Some(id.to_owned());
            }
            match outcome {
                Ok(Some(event)) => return Ok(Some(event)),
                Err(error) if !error.is_temporary() => return Err(error),
                Ok(None) | Err(_) => self.connection.lose(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use bytes::Bytes;
    use futures_util::stream::{self, Stream, StreamExt};
    use std::io;

    /// A connection that sends a piece every so often, on the test's own clock.
    fn connection(pieces: Vec<&'static str>, pause: Duration) -> EventStream {
        let body = stream::iter(pieces).then(move |piece| async move {
            sleep(pause).await;
            Ok(Bytes::from_static(piece.as_bytes()))
        });
        open(body)
    }

    fn open(body: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> EventStream {
        let response = http::Response::builder().header(CONTENT_TYPE, "text/event-stream");
        let response = response.body(reqwest::Body::wrap_stream(body)).unwrap();
        EventStream::new(Response::from(response)).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_may_take_longer_than_silence_may_last() {
        let pieces = vec!["id: 7\ndata: a", "b", "c", "d", "e\n\n"];
        let event = connection(pieces, SILENCE / 2).next().await.unwrap().unwrap();
        assert_eq!((event.data.as_str(), event.event.as_str()), ("abcde", "message"));
    }

    #[tokio::test(start_paused = true)]
    async fn heartbeats_keep_a_quiet_connection_open() {
        let mut pieces = vec![":heartbeat\n\n"; 40];
        pieces.push("data: x\n\n");
        let event = connection(pieces, Duration::from_secs(15)).next().await.unwrap().unwrap();
        assert_eq!(event.data, "x");
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_byte_is_dead() {
        let error = open(stream::pending()).next().await.unwrap_err();
        assert!(matches!(error, ClientError::Silent(_)) && error.is_temporary(), "{error}");
    }
}
