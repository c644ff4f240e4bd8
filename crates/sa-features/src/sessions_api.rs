//! `/v1/sessions` behind the interface of ACP: requests of a body become requests for universal sessions, and events
//! of a session become ACP again. So one suite covers both APIs, and the conversion between them.

mod asked;
mod events;
mod requests;

use crate::api::Api;
use crate::log::{Entry, Log};
use crate::subject::Subject;
use anyhow::{Context, Result};
use asked::Asked;
use futures_util::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use sa_api::sessions::{EventData, UniversalEvent};
use sa_testkit::{DEADLINE, Daemon, Http, Sse, within};
use sa_universal::testing::Projector;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Time without any event after which a reader ends; bodies have shorter deadlines.
const PATIENCE: Duration = Duration::from_secs(600);

/// Universal sessions behind the interface of ACP.
pub(crate) struct SessionsApi {
    inner: Arc<Inner>,
    readers: Mutex<Vec<JoinHandle<()>>>,
}

struct Inner {
    http: Http,
    subject: &'static Subject,
    /// The agent and its version, as the body of a request that makes a session.
    agent: Value,
    /// Begins the ids of its sessions.
    prefix: String,
    log: Arc<Log>,
    take: Box<dyn Fn(Value) + Send + Sync>,
    sessions: AtomicU64,
    state: Mutex<State>,
    /// Notified of each event that was passed on.
    passed: Notify,
}

#[derive(Default)]
struct State {
    /// The ids of the prompts that wait, by turn.
    prompts: HashMap<String, Value>,
    /// Turns that ended before their prompt was known to be one.
    ended: HashMap<String, Value>,
    faults: HashMap<String, Value>,
    /// The newest event of each session that was passed on.
    passed: HashMap<String, u64>,
    /// Open requests of the agents.
    asked: HashMap<String, Asked>,
}

impl SessionsApi {
    /// Creates a api, and what an agent would have said of itself.
    pub(crate) fn open(
        daemon: &Daemon,
        prefix: &str,
        subject: &'static Subject,
        query: &str,
        log: Arc<Log>,
        take: impl Fn(Value) + Send + Sync + 'static,
    ) -> (Self, Value) {
        let inner = Inner {
            http: daemon.http().clone(),
            subject,
            agent: named(query),
            prefix: prefix.to_owned(),
            log,
            take: Box::new(take),
            sessions: AtomicU64::new(0),
            state: Mutex::default(),
            passed: Notify::new(),
        };
        let can = json!({
            "loadSession": false,
            "promptCapabilities": { "image": true, "embeddedContext": true },
            "sessionCapabilities": { "fork": {} },
        });
        let hello = json!({ "protocolVersion": 1, "agentCapabilities": can, "authMethods": [] });
        let answer = json!({ "jsonrpc": "2.0", "id": 0, "result": hello });
        (Self { inner: Arc::new(inner), readers: Mutex::default() }, answer)
    }

    /// Passes on the events of a session from its beginning. A copy begins where it was made: earlier events are in
    /// its log, but an agent that forks a session does not repeat them.
    fn follow(&self, session: String, settled: u64, copy: bool) {
        let inner = Arc::clone(&self.inner);
        let reader = tokio::spawn(async move {
            if let Err(error) = inner.read(&session, settled, copy).await {
                inner.log.blame(format!("the events of {session} broke: {error:#}"));
            }
        });
        self.readers.lock().push(reader);
    }

    async fn take(&self, message: Value) -> Result<()> {
        let Some(method) = message["method"].as_str() else { return self.inner.answer(&message).await };
        let outcome = match method {
            "session/new" | "session/fork" => {
                let (opened, settled) = self.inner.open_session(method, &message["params"]).await?;
                if let Some(session) = opened["result"]["sessionId"].as_str() {
                    self.follow(session.to_owned(), settled, method == "session/fork");
                }
                opened
            }
            "session/prompt" => return self.inner.prompt(&message).await,
            _ => self.inner.request(method, &message["params"]).await?,
        };
        if message.get("id").is_some() {
            self.inner.respond(&message["id"], &outcome);
        }
        Ok(())
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    fn next_session(&self) -> String {
        format!("{}-{}", self.prefix, self.sessions.fetch_add(1, Ordering::Relaxed))
    }

    /// Waits until the events up to that one were passed on: in ACP an answer comes after what led to it.
    async fn catch_up(&self, session: &str, event: u64) -> Result<()> {
        within("the events that led to an answer", DEADLINE, async {
            loop {
                let passed = self.passed.notified();
                if self.state().passed.get(session).is_some_and(|newest| *newest >= event) {
                    return;
                }
                passed.await;
            }
        })
        .await
    }

    /// Answers a request of the body's with a result or an error.
    fn respond(&self, id: &Value, outcome: &Value) {
        let mut answer = json!({ "jsonrpc": "2.0", "id": id });
        if let (Some(answer), Some(outcome)) = (answer.as_object_mut(), outcome.as_object()) {
            answer.extend(outcome.clone());
        }
        (self.take)(answer);
    }

    async fn read(&self, session: &str, settled: u64, copy: bool) -> Result<()> {
        let path = format!("/v1/sessions/{session}/events/sse?offset=0");
        let mut stream = Sse::open(self.http.get(&path)).await?;
        let (mut projector, mut expected, mut begun) = (Projector::default(), 1, !copy);
        while let Some(event) = stream.next_within(PATIENCE).await? {
            anyhow::ensure!(event.event == "message", "an event of the stream: {event:?}");
            let told: UniversalEvent =
                serde_json::from_str(&event.data).with_context(|| format!("an event: {}", event.data))?;
            anyhow::ensure!(told.id == expected, "event {} came where {expected} was next", told.id);
            expected += 1;
            let id = told.id;
            begun |= matches!(&told.data, EventData::Started(started) if started.forked_from.is_some());
            if begun {
                self.tell(session, &mut projector, settled, told);
            }
            self.state().passed.insert(session.to_owned(), id);
            self.passed.notify_waiters();
        }
        self.log.push(Entry::Fact { name: "end".to_owned(), data: json!({}) });
        Ok(())
    }
}

/// Returns the members of a query as those of an object.
fn named(query: &str) -> Value {
    let pairs = query.trim_start_matches('?').split('&').filter_map(|pair| pair.split_once('='));
    Value::Object(pairs.map(|(name, value)| (name.to_owned(), json!(value))).collect())
}

impl Api for SessionsApi {
    fn send(&self, message: Value) -> BoxFuture<'_, Result<()>> {
        Box::pin(self.take(message))
    }

    fn shut(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

impl Drop for SessionsApi {
    fn drop(&mut self) {
        for reader in self.readers.lock().drain(..) {
            reader.abort();
        }
    }
}
