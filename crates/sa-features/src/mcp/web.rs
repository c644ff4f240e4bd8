//! The server over HTTP, in the current form (`/mcp`, one answer for each POST) and in the older one (`/sse` and `/messages`).

use super::protocol::answer;
use anyhow::Result;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::{Stream, StreamExt as _, stream};
use parking_lot::Mutex;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;

/// The header that a client has to send, so that headers are known to arrive.
const SECRET: &str = "x-suite-secret";

/// Answers that wait for the listener to take them.
const QUEUE: usize = 16;

/// A running server, until it is dropped.
pub(crate) struct WebServer {
    url: String,
    task: JoinHandle<()>,
}

#[derive(Clone)]
struct Shared {
    greeting: Arc<str>,
    secret: Arc<str>,
    /// The channel for answers to posted messages, in the older form.
    listener: Arc<Mutex<Option<mpsc::Sender<Value>>>>,
}

impl WebServer {
    /// Starts a server that greets clients that send `secret` in the header with `greeting`.
    pub(crate) async fn start(greeting: &str, secret: &str) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Shared { greeting: greeting.into(), secret: secret.into(), listener: Arc::default() };
        let router = Router::new()
            .route("/mcp", post(posted).get(|| async { StatusCode::METHOD_NOT_ALLOWED }))
            .route("/sse", get(listened))
            .route("/messages", post(sent))
            .with_state(shared);
        let task = tokio::spawn(async move {
            // Ends with the task.
            let _served = axum::serve(listener, router).await;
        });
        Ok(Self { url, task })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn is_known(shared: &Shared, headers: &HeaderMap) -> bool {
    headers.get(SECRET).is_some_and(|value| value.as_bytes() == shared.secret.as_bytes())
}

async fn posted(State(shared): State<Shared>, headers: HeaderMap, Json(message): Json<Value>) -> Response {
    if !is_known(&shared, &headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    match answer(&message, &shared.greeting) {
        Some(answer) => Json(answer).into_response(),
        None => StatusCode::ACCEPTED.into_response(),
    }
}

async fn listened(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    if !is_known(&shared, &headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let (sender, receiver) = mpsc::channel::<Value>(QUEUE);
    *shared.listener.lock() = Some(sender);
    Sse::new(events(receiver)).into_response()
}

fn events(answers: mpsc::Receiver<Value>) -> impl Stream<Item = std::result::Result<Event, Infallible>> {
    let first = stream::iter([Ok(Event::default().event("endpoint").data("/messages"))]);
    let answers = ReceiverStream::new(answers);
    first.chain(answers.map(|answer| Ok(Event::default().event("message").data(answer.to_string()))))
}

async fn sent(State(shared): State<Shared>, Json(message): Json<Value>) -> StatusCode {
    let listener = shared.listener.lock().clone();
    if let (Some(listener), Some(answer)) = (listener, answer(&message, &shared.greeting)) {
        // Nobody listens any more if this fails.
        let _gone = listener.send(answer).await;
    }
    StatusCode::ACCEPTED
}
