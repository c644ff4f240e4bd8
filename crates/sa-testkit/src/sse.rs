//! A reader of event streams.

mod parser;

pub use parser::{Event, SseParser};

use crate::http::{OpenReply, Reply};
use crate::pace::Pace;
use crate::request::Request;
use crate::wait::{DEADLINE, within};
use anyhow::{Context, Result, bail, ensure};
use http::HeaderMap;
use std::time::Duration;

/// An open event stream. Dropping it closes the connection.
pub struct Sse {
    reply: OpenReply,
    parser: SseParser,
}

impl Sse {
    /// Opens the stream that a request asks for; any other answer is an error.
    pub async fn open(request: Request) -> Result<Self> {
        match Self::attempt(request).await? {
            Ok(stream) => Ok(stream),
            Err(reply) => bail!("no event stream but {}: {}", reply.status, reply.text()),
        }
    }

    /// Opens the stream, or reads the answer that is none.
    pub async fn attempt(request: Request) -> Result<Result<Self, Reply>> {
        let reply = request.header("accept", "text/event-stream").open().await?;
        let kind = reply.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if reply.status == 200 && kind.starts_with("text/event-stream") {
            return Ok(Ok(Self { reply, parser: SseParser::default() }));
        }
        Ok(Err(reply.finish(DEADLINE).await?))
    }

    pub fn headers(&self) -> &HeaderMap {
        &self.reply.headers
    }

    /// Returns the next event; nothing when the server ended the stream. A cut connection or none by then is an
    /// error.
    pub async fn next_event(&mut self) -> Result<Option<Event>> {
        self.next_within(DEADLINE).await
    }

    /// Returns the next event before another deadline.
    pub async fn next_within(&mut self, deadline: Duration) -> Result<Option<Event>> {
        within("an event", deadline, async {
            loop {
                if let Some(event) = self.parser.next_event()? {
                    return Ok(Some(event));
                }
                match self.reply.chunk(deadline).await? {
                    Some(chunk) => self.parser.push(&chunk),
                    None => return Ok(None),
                }
            }
        })
        .await?
    }

    /// Returns the next event, which must come.
    pub async fn event(&mut self) -> Result<Event> {
        self.next_event().await?.context("the stream ended instead of the next event")
    }

    pub async fn find(&mut self, what: &str, mut fits: impl FnMut(&Event) -> bool) -> Result<Event> {
        loop {
            let event = self.event().await.with_context(|| format!("looking for {what}"))?;
            if fits(&event) {
                return Ok(event);
            }
        }
    }

    /// Makes sure that nothing comes for so long. Only for what a contract says must never come: it takes its time.
    pub async fn expect_silence(&mut self, pause: Duration) -> Result<()> {
        match tokio::time::timeout(pause, self.next_event()).await {
            Err(_) => Ok(()),
            Ok(event) => bail!("silence was expected, not {:?}", event?),
        }
    }

    /// Waits until so many comments have come in all; events that come meanwhile are kept.
    pub async fn wait_for_comments(&mut self, count: usize) -> Result<()> {
        while self.parser.comments() < count {
            let chunk = self.reply.chunk(DEADLINE).await?;
            ensure!(chunk.is_some(), "the stream ended after {} comments", self.parser.comments());
            self.parser.push(&chunk.unwrap_or_default());
            self.parser.digest()?;
        }
        Ok(())
    }

    /// Returns the number of comments so far.
    pub fn comments(&self) -> usize {
        self.parser.comments()
    }

    /// Returns the reconnection time that the server asked for.
    pub fn retry(&self) -> Option<Duration> {
        self.parser.retry()
    }

    /// Reads like this from now on; stalled, the server finds its socket full after the kernel's buffers.
    pub fn set_pace(&self, pace: Pace) {
        self.reply.pace().set(pace);
    }
}
