//! The body of an event stream.

use crate::state::AppState;
use crate::timers::{Alarm, Timers};
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::{HeaderName, header};
use http_body::{Body as HttpBody, Frame};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Instant;

/// Frames below this size are gathered into one write.
const GATHER_BELOW: usize = 16 * 1024;
/// The size at which gathering stops.
const GATHER_UP_TO: usize = 64 * 1024;

/// The frames of an event stream, in order.
pub(crate) trait Frames: Unpin + Send + 'static {
    /// Polls for the next bytes; `None` ends the stream.
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>>;
}

impl Frames for BoxStream<'static, Bytes> {
    fn poll_frames(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.poll_next_unpin(context)
    }
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

/// Returns the response that streams these frames.
pub(crate) fn response(state: &AppState, frames: impl Frames) -> Response {
    let pause = Duration::from_millis(state.options.limits.heartbeat_ms);
    let body = EventBody { frames, heartbeat: Timers::default().sleep(pause), pause, next: None };
    // Reverse proxies that buffer would hold events back.
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), "no");
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache"), unbuffered];
    (headers, Body::new(body)).into_response()
}
