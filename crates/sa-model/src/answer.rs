//! Turns what a player does into HTTP answers: streams, documents, errors, broken connections.

use crate::api::Api;
use crate::conversation::unique;
use crate::player::{Action, Player};
use crate::script::Failure;
use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use bytes::Bytes;
use futures_util::stream;
use serde_json::Value;
use std::collections::VecDeque;
use std::io;
use std::time::Duration;

/// Time that a connection is held after its last bytes before it is cut, so that these get out.
const BEFORE_CUT: Duration = Duration::from_millis(20);

/// The answer as server-sent events.
pub(crate) fn stream(player: Player) -> Response<Body> {
    let events = stream::unfold(Some((player, VecDeque::new())), next);
    let mut response = Response::new(Body::from_stream(events));
    set(&mut response, header::CONTENT_TYPE, "text/event-stream; charset=utf-8");
    set(&mut response, header::CACHE_CONTROL, "no-cache");
    name(&mut response);
    response
}

type Telling = (Player, VecDeque<Bytes>);

/// The next bytes of a stream. An error makes the server drop the connection.
async fn next(telling: Option<Telling>) -> Option<(io::Result<Bytes>, Option<Telling>)> {
    let (mut player, mut ready) = telling?;
    loop {
        if let Some(bytes) = ready.pop_front() {
            return Some((Ok(bytes), Some((player, ready))));
        }
        match player.next()? {
            Action::Send(event) | Action::Garble(event) => return Some((Ok(event.0), Some((player, ready)))),
            Action::Break { events, .. } => ready.extend(events.into_iter().map(|event| event.0)),
            Action::Wait(pause) => tokio::time::sleep(pause).await,
            Action::Hang => std::future::pending().await,
            Action::Cut => {
                tokio::time::sleep(BEFORE_CUT).await;
                return Some((Err(io::ErrorKind::ConnectionReset.into()), None));
            }
        }
    }
}

/// The answer as one document.
pub(crate) async fn document(mut player: Player, api: Api) -> Response<Body> {
    let mut garbage = None;
    for action in player.by_ref() {
        match action {
            Action::Send(_) => {}
            Action::Wait(pause) => tokio::time::sleep(pause).await,
            Action::Garble(event) => garbage = Some(event.0),
            Action::Hang => std::future::pending().await,
            Action::Cut => return cut(),
            Action::Break { kind, message, .. } => {
                return json(500, &api.error(500, kind.as_deref(), &message));
            }
        }
    }
    let mut response = json(200, &player.message());
    if let Some(garbage) = garbage {
        *response.body_mut() = Body::from(garbage);
    }
    response
}

/// No answer: the connection breaks before anything of it is sent.
fn cut() -> Response<Body> {
    let broken = stream::once(async { Err::<Bytes, _>(io::Error::from(io::ErrorKind::ConnectionReset)) });
    Response::new(Body::from_stream(broken))
}

/// The error that a script prescribes.
pub(crate) fn failure(failure: &Failure, api: Api) -> Response<Body> {
    let message = failure.message.as_deref().unwrap_or("scripted failure");
    let mut response = json(failure.status, &api.error(failure.status, failure.kind.as_deref(), message));
    if let Some(seconds) = failure.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// A JSON document.
pub(crate) fn json(status: u16, body: &Value) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, body.to_string()).into_response();
    set(&mut response, header::CONTENT_TYPE, "application/json");
    name(&mut response);
    response
}

/// Gives an answer the ids that vendors give theirs.
fn name(response: &mut Response<Body>) {
    let id = format!("req_{}", unique());
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("request-id", value.clone());
        response.headers_mut().insert("x-request-id", value);
    }
}

fn set(response: &mut Response<Body>, name: header::HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}
