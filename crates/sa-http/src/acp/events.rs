//! Event streams: a reader as the body of a response.

use crate::timers::{Alarm, Timers};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use http::{HeaderValue, header};
use http_body::{Body as HttpBody, Frame};
use sa_api::Gap;
use sa_hub::{Past, Reader, Step};
use sa_relay::{Part, Record, event_frame};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

/// What is smaller than this is gathered into one write.
const GATHER_BELOW: usize = 16 * 1024;
/// What gathering stops at.
const GATHER_UP_TO: usize = 64 * 1024;
/// What clients should wait before they reconnect, in milliseconds.
const RETRY_MS: u64 = 500;

/// Turns a reader's steps into bytes of an event stream.
pub(crate) trait Frames: Unpin + Send + 'static {
    /// The next bytes; `None` ends the stream.
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>>;
}

/// How a stream begins. Without data this is no event, but clients note the id: one that is cut off before the first
/// event comes back with a cursor and misses nothing.
pub(crate) fn opening(cursor: u64) -> Bytes {
    Bytes::from(format!("retry: {RETRY_MS}\nid: {cursor}\n\n"))
}

/// Everything that a server's agent says, with the transport's own events.
pub(crate) struct ServerFrames {
    reader: Reader,
    opening: VecDeque<Bytes>,
}

impl ServerFrames {
    pub(crate) fn new(mut reader: Reader) -> Self {
        let questions = reader.take_questions().into_iter();
        let mut opening: VecDeque<Bytes> = questions.map(|question| question.frame).collect();
        opening.push_back(self::opening(reader.cursor()));
        Self { reader, opening }
    }
}

impl Frames for ServerFrames {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(frame) = self.opening.pop_front() {
            return Poll::Ready(Some(frame));
        }
        loop {
            match self.reader.poll_step(context) {
                Poll::Ready(Some(Step::Part(part))) => {
                    if let Some(bytes) = visible(&part, self.reader.past()) {
                        return Poll::Ready(Some(bytes));
                    }
                }
                Poll::Ready(Some(Step::Gap { oldest, newest })) => {
                    let gap = serde_json::to_string(&Gap { oldest, newest }).unwrap_or_default();
                    return Poll::Ready(Some(event_frame("gap", &gap)));
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// The frames of a part that an event stream shows: all of them, but for what was settled before a server's first reader.
fn visible(part: &Part, past: Option<&Past>) -> Option<Bytes> {
    let Some(past) = past.filter(|past| past.reaches(part.segment.first)) else {
        return Some(part.segment.frames(part.records.clone()));
    };
    let mut bytes = BytesMut::new();
    for (offset, record) in part.segment.records(part.records.start).iter().enumerate() {
        let index = part.records.start + offset;
        let number = part.segment.first + index as u64;
        if !past.is_settled(number, record.audience, &part.segment.data(index)) {
            bytes.extend_from_slice(&part.segment.frames(index..index + 1));
        }
    }
    (!bytes.is_empty()).then(|| bytes.freeze())
}

/// The frames of those records of a part that `shown` picks, given their index in the segment, as `message` events.
pub(super) fn gather_if(part: &Part, mut shown: impl FnMut(usize, &Record) -> bool) -> Option<Bytes> {
    let mut bytes = BytesMut::new();
    for (offset, record) in part.segment.records(part.records.start).iter().enumerate() {
        let index = part.records.start + offset;
        if shown(index, record) {
            bytes.extend_from_slice(&part.segment.message_frame(index));
        }
    }
    (!bytes.is_empty()).then(|| bytes.freeze())
}

/// The body of an event stream: frames, and a heartbeat while there are none.
struct EventBody<F> {
    frames: F,
    heartbeat: Alarm,
    pause: Duration,
    /// Taken while gathering, too large to be gathered itself.
    next: Option<Bytes>,
}

impl<F: Frames> EventBody<F> {
    /// Joins small frames that are there already, so that many messages make one chunk.
    fn gather(&mut self, first: Bytes, context: &mut Context<'_>) -> Bytes {
        let mut gathered = BytesMut::new();
        while first.len() + gathered.len() < GATHER_UP_TO {
            match self.frames.poll_frames(context) {
                Poll::Ready(Some(bytes)) if bytes.len() < GATHER_BELOW => {
                    if gathered.is_empty() {
                        gathered.reserve(GATHER_UP_TO);
                        gathered.extend_from_slice(&first);
                    }
                    gathered.extend_from_slice(&bytes);
                }
                Poll::Ready(Some(bytes)) => {
                    self.next = Some(bytes);
                    break;
                }
                // The end shows again at the next poll; what was pending has the waker.
                Poll::Ready(None) | Poll::Pending => break,
            }
        }
        if gathered.is_empty() { first } else { gathered.freeze() }
    }
}

impl<F: Frames> HttpBody for EventBody<F> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let this = &mut *self;
        let polled = match this.next.take() {
            Some(bytes) => Poll::Ready(Some(bytes)),
            None => this.frames.poll_frames(context),
        };
        let bytes = match polled {
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Ready(Some(bytes)) if bytes.len() < GATHER_BELOW => this.gather(bytes, context),
            Poll::Ready(Some(bytes)) => bytes,
            Poll::Pending => {
                std::task::ready!(Pin::new(&mut this.heartbeat).poll(context));
                Bytes::from_static(b": heartbeat\n\n")
            }
        };
        this.heartbeat.postpone(Instant::now() + this.pause);
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}

/// The response that streams these frames.
pub(crate) fn response(frames: impl Frames, heartbeat_ms: u64) -> Response {
    let pause = Duration::from_millis(heartbeat_ms);
    let body = EventBody { frames, heartbeat: Timers::default().sleep(pause), pause, next: None };
    let mut response = Body::new(body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Reverse proxies that buffer would hold events back.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
