//! Answering a POST that waits for its agent: at once where possible, kept alive where a turn takes long.

use crate::handler::{ApiResult, Body, IntoResponse, Response, header};
use crate::problem::rpc_error;
use crate::timers::Timers;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use sa_hub::CallError;
use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;

/// White space need not come more often than this, however early the status is sent.
const FASTEST_PULSE: Duration = Duration::from_millis(250);
/// Nor less often, however late it is sent.
const SLOWEST_PULSE: Duration = Duration::from_secs(10);

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
    let mut call = Box::pin(call);
    let Some(patience) = patience else { return Ok(CallOutcome::Done(call.await?)) };
    if !patience.is_zero() {
        tokio::select! {
            biased;
            answer = call.as_mut() => return Ok(CallOutcome::Done(answer?)),
            () = timers.sleep(patience) => {}
        }
    }
    let pulse = tokio::time::interval(patience.clamp(FASTEST_PULSE, SLOWEST_PULSE));
    // White space is legal in front of JSON.
    let late = stream::unfold(Some((call, pulse, id)), |waiting| async {
        let (mut call, mut pulse, id) = waiting?;
        tokio::select! {
            biased;
            answer = call.as_mut() => {
                let error = |error| rpc_error(&error).response(&id).into();
                Some((answer.map_or_else(error, |response| response.bytes), None))
            }
            _ = pulse.tick() => Some((Bytes::from_static(b" "), Some((call, pulse, id)))),
        }
    });
    let response = json(Body::from_stream(late.map(Ok::<_, Infallible>)));
    // A reverse proxy that buffers would hold back the very bytes that keep it patient.
    Ok(CallOutcome::Later(([("x-accel-buffering", "no")], response).into_response()))
}

pub(crate) fn json(body: Body) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}
