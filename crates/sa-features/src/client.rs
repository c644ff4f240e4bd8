//! An ACP client with a user behind it: asks, listens, answers.

use crate::api::{AcpApi, Api};
use crate::host::{self, Host};
use crate::log::{Entry, Log};
use crate::policy::{Policy, Reply};
use crate::schema;
use crate::session::Session;
use crate::sessions_api::SessionsApi;
use crate::subject::Subject;
use crate::way::Way;
use anyhow::{Context, Result, bail};
use parking_lot::Mutex;
use sa_testkit::Daemon;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// One connection to an agent.
pub(crate) struct Client {
    inner: Arc<Inner>,
    /// The agent's answer to `initialize`.
    pub(crate) hello: Value,
    /// The directory of sessions unless a body sets another.
    cwd: PathBuf,
    ids: AtomicU64,
}

/// The parts that listening and answering need.
struct Inner {
    log: Arc<Log>,
    api: OnceLock<Box<dyn Api>>,
    policy: Mutex<Policy>,
    host: Host,
    /// The methods of the requests that were sent, by id.
    sent: Mutex<HashMap<u64, String>>,
}

impl Inner {
    /// Takes a message of the agent: checks it, keeps it, and answers it if it asks something.
    fn take(self: &Arc<Self>, message: Value) {
        if let Err(error) = self.check(&message) {
            self.log.blame(format!("{error:#}"));
        }
        self.log.push(Entry::Message(message.clone()));
        if message["method"].is_string() && message.get("id").is_some() {
            self.answer(message);
        }
    }

    fn check(&self, message: &Value) -> Result<()> {
        if message["method"].is_string() {
            return schema::check_message(message);
        }
        let id = message["id"].as_u64().with_context(|| format!("an answer to nothing: {message}"))?;
        let method = self.sent.lock().get(&id).cloned();
        schema::check_answer(&method.with_context(|| format!("an answer to nothing: {message}"))?, message)
    }

    fn answer(self: &Arc<Self>, request: Value) {
        let method = request["method"].as_str().unwrap_or_default().to_owned();
        let mut reply = Reply::None;
        if !host::concerns(&method) {
            reply = self.policy.lock().reply(&request);
        }
        let inner = Arc::clone(self);
        tokio::spawn(async move {
            let answer = match reply {
                Reply::Result(result) => json!({ "result": result }),
                Reply::Fault(fault) => return inner.log.blame(fault),
                Reply::None if host::concerns(&method) => {
                    match inner.host.serve(&method, &request["params"]).await {
                        Ok(result) => json!({ "result": result }),
                        Err(error) => json!({ "error": { "code": -32603, "message": format!("{error:#}") } }),
                    }
                }
                Reply::None => return,
            };
            let mut message = json!({ "jsonrpc": "2.0", "id": request["id"] });
            if let (Some(message), Some(answer)) = (message.as_object_mut(), answer.as_object()) {
                message.extend(answer.clone());
            }
            let Some(api) = inner.api.get() else { return };
            if let Err(error) = api.send(message).await {
                inner.log.blame(format!("an answer was not taken: {error:#}"));
            }
        });
    }
}

impl Client {
    /// Starts an agent. `query` names it; `more` lists capabilities of the client in addition to files and commands.
    pub(crate) async fn connect(
        daemon: &Daemon,
        server: &str,
        (subject, way): (&'static Subject, Way),
        query: &str,
        more: &Value,
        cwd: PathBuf,
    ) -> Result<Self> {
        let mut capabilities = host::capabilities();
        if let (Some(capabilities), Some(more)) = (capabilities.as_object_mut(), more.as_object()) {
            capabilities.extend(more.clone());
        }
        let hello = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": { "protocolVersion": 1, "clientCapabilities": capabilities },
        });
        let log = Arc::new(Log::new());
        let inner = Arc::new(Inner {
            log: Arc::clone(&log),
            api: OnceLock::new(),
            policy: Mutex::new(Policy::Silence),
            host: Host::default(),
            sent: Mutex::default(),
        });
        // The reader must not keep alive what it belongs to.
        let weak: Weak<Inner> = Arc::downgrade(&inner);
        let take = move |message| {
            if let Some(inner) = weak.upgrade() {
                inner.take(message);
            }
        };
        let (api, answer): (Box<dyn Api>, Value) = match way {
            Way::Acp => {
                let (api, answer) = AcpApi::open(daemon, server, query, &hello, log, take).await?;
                (Box::new(api), answer)
            }
            Way::Sessions => {
                let (api, answer) = SessionsApi::open(daemon, server, subject, query, log, take);
                (Box::new(api), answer)
            }
        };
        schema::check_answer("initialize", &answer)?;
        let hello = answer.get("result").cloned().with_context(|| format!("no hello: {answer}"))?;
        // Nothing else sets it.
        let _first = inner.api.set(api);
        Ok(Self { inner, hello, cwd, ids: AtomicU64::new(1) })
    }

    /// Starts over as a client that has heard nothing and answers nothing.
    pub(crate) fn start_over(&self) {
        self.answer_with(Policy::Silence);
        self.inner.log.clear();
    }

    pub(crate) fn log(&self) -> &Log {
        &self.inner.log
    }

    pub(crate) fn host(&self) -> &Host {
        &self.inner.host
    }

    /// Sets the policy for requests from now on.
    pub(crate) fn answer_with(&self, policy: Policy) {
        *self.inner.policy.lock() = policy;
    }

    /// Answers a question that was left standing.
    pub(crate) async fn reply(&self, question: &Value, policy: &Policy) -> Result<()> {
        match policy.reply(question) {
            Reply::Result(result) => {
                let message = json!({ "jsonrpc": "2.0", "id": question["id"], "result": result });
                self.api()?.send(message).await
            }
            Reply::Fault(fault) => bail!("{fault}"),
            Reply::None => Ok(()),
        }
    }

    fn api(&self) -> Result<&dyn Api> {
        Ok(self.inner.api.get().context("a connection")?.as_ref())
    }

    /// Sends a request and gives its id.
    pub(crate) async fn send(&self, method: &str, params: &Value) -> Result<u64> {
        let id = self.ids.fetch_add(1, Ordering::Relaxed);
        self.inner.sent.lock().insert(id, method.to_owned());
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.api()?.send(message).await?;
        Ok(id)
    }

    /// Waits for the answer to a request.
    pub(crate) async fn answer_to(&self, id: u64) -> Result<Value> {
        let is_answer = |message: &&Value| message["id"] == id && !message["method"].is_string();
        let what = format!("the answer to {:?}", self.inner.sent.lock().get(&id));
        let look = |entries: &[Entry]| entries.iter().filter_map(Entry::message).find(is_answer).cloned();
        self.log().find(&what, 0, look).await
    }

    /// Sends a request and waits for its result; an error is an error.
    pub(crate) async fn call(&self, method: &str, params: &Value) -> Result<Value> {
        let answer = self.attempt(method, params).await?;
        answer.get("result").cloned().with_context(|| format!("{method} failed: {}", answer["error"]))
    }

    /// Sends a request and waits for its answer, whatever it is.
    pub(crate) async fn attempt(&self, method: &str, params: &Value) -> Result<Value> {
        let id = self.send(method, params).await?;
        self.answer_to(id).await
    }

    pub(crate) async fn notify(&self, method: &str, params: &Value) -> Result<()> {
        self.api()?.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await
    }

    pub(crate) async fn session(&self) -> Result<Session<'_>> {
        self.session_with(&json!([])).await
    }

    /// Returns a new session with MCP servers.
    pub(crate) async fn session_with(&self, servers: &Value) -> Result<Session<'_>> {
        let opened = self.call("session/new", &json!({ "cwd": self.cwd, "mcpServers": servers })).await?;
        let id = opened["sessionId"].as_str().context("the id of a session")?.to_owned();
        Ok(Session { client: self, id, opened })
    }

    /// Opens a session that exists: by `session/load`, `session/resume` or `session/fork`.
    pub(crate) async fn reopen(&self, how: &str, id: &str) -> Result<Session<'_>> {
        let params = json!({ "sessionId": id, "cwd": self.cwd, "mcpServers": [] });
        let opened = self.call(how, &params).await?;
        let id = opened["sessionId"].as_str().unwrap_or(id).to_owned();
        Ok(Session { client: self, id, opened })
    }

    /// Ends the agent.
    pub(crate) async fn shut(&self) -> Result<()> {
        self.api()?.shut().await
    }
}
