//! Answering a POST that waits for its agent: at once where possible, kept alive where a turn takes long.

use crate::handler::{ApiError, ApiResult, Body, HeaderValue, IntoResponse, Response, header};
use crate::problem::rpc_error;
use crate::timers::Timers;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use sa_hub::CallError;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::Interval;

/// White space need not come more often than this, however early the status is sent.
const FASTEST_PULSE: Duration = Duration::from_millis(250);
/// Nor less often, however late it is sent.
const SLOWEST_PULSE: Duration = Duration::from_secs(10);

type Call = Pin<Box<dyn Future<Output = Result<sa_hub::Response, CallError>> + Send>>;

/// Result of a call in its first seconds.
pub(crate) enum CallOutcome {
    /// The agent answered.
    Done(sa_hub::Response),
    /// Not yet: the response is under way, with the answer to follow.
    Later(Response),
}

/// Waits for the call with that id. After `patience` without an answer the status is sent and white space follows until the
/// answer comes, so that neither client nor gateway gives up; a failure is then a JSON-RPC error in the body. With no time at
/// all that is so from the beginning, for clients that do not survive another status than 200. Without an end to its patience
/// the status always comes with the answer. Whatever the call holds is dropped with the response, if the client does not wait
/// for it.
pub(crate) async fn wait(
    id: String,
    call: impl Future<Output = Result<sa_hub::Response, CallError>> + Send + 'static,
    patience: Option<Duration>,
    timers: &Timers,
) -> ApiResult<CallOutcome> {
    let mut call: Call = Box::pin(call);
    let Some(patience) = patience else {
        return call.await.map(CallOutcome::Done).map_err(ApiError::from);
    };
    if !patience.is_zero()
        && let Some(answer) = within(patience, call.as_mut(), timers).await
    {
        return answer.map(CallOutcome::Done).map_err(ApiError::from);
    }
    let pulse = tokio::time::interval(patience.clamp(FASTEST_PULSE, SLOWEST_PULSE));
    let body = LateBody { call: Some(call), pulse, id };
    let mut response = json(Body::new(body));
    // A reverse proxy that buffers would hold back the very bytes that keep it patient.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(CallOutcome::Later(response))
}

/// Returns the outcome of the call unless that takes too long.
async fn within(
    patience: Duration,
    mut call: Pin<&mut (dyn Future<Output = Result<sa_hub::Response, CallError>> + Send)>,
    timers: &Timers,
) -> Option<Result<sa_hub::Response, CallError>> {
    let mut alarm = pin!(timers.sleep(patience));
    poll_fn(|context| match call.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending => alarm.as_mut().poll(context).map(|()| None),
    })
    .await
}

pub(crate) fn json(body: Body) -> Response {
    let mut response = body.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// White space until the answer is there; leading white space is legal in front of JSON.
struct LateBody {
    call: Option<Call>,
    pulse: Interval,
    id: String,
}

impl HttpBody for LateBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(call) = &mut self.call else { return Poll::Ready(None) };
        let bytes = match call.as_mut().poll(context) {
            Poll::Ready(answer) => {
                self.call = None;
                match answer {
                    Ok(response) => response.bytes,
                    Err(error) => rpc_error(&error).response(&self.id).into(),
                }
            }
            Poll::Pending => {
                std::task::ready!(self.pulse.poll_tick(context));
                Bytes::from_static(b" ")
            }
        };
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }
}
