//! `/v1/acp/{server_id}` as a client sees it.

use crate::http::{Http, Reply};
use crate::request::Request;
use crate::sse::Sse;
use crate::ws::WsRequest;
use anyhow::{Context, Result};
use bytes::Bytes;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One ACP server of the daemon.
#[derive(Debug, Clone)]
pub struct Acp {
    http: Http,
    server: String,
    ids: Arc<AtomicU64>,
}

impl Acp {
    /// Returns the server of this id, which need not exist yet.
    pub fn new(http: &Http, server: &str) -> Self {
        Self { http: http.clone(), server: server.to_owned(), ids: Arc::default() }
    }

    /// Returns the server's path; `query` starts with `?` or is empty.
    pub fn path(&self, query: &str) -> String {
        format!("/v1/acp/{}{query}", self.server)
    }

    /// Returns a POST of one message, to be changed or sent.
    pub fn posting(&self, json: impl Into<Bytes>) -> Request {
        self.http.post(&self.path("")).json(json)
    }

    /// Returns a POST with `?agent=`, which starts the server if needed.
    pub fn posting_to(&self, agent: &str, json: impl Into<Bytes>) -> Request {
        self.http.post(&self.path(&format!("?agent={agent}"))).json(json)
    }

    /// Posts one message and waits for the whole answer.
    pub async fn post(&self, json: impl Into<Bytes>) -> Result<Reply> {
        self.posting(json).send().await
    }

    /// Posts one message, starting the agent if need be.
    pub async fn post_to(&self, agent: &str, json: impl Into<Bytes>) -> Result<Reply> {
        self.posting_to(agent, json).send().await
    }

    /// Posts one message with `Prefer: respond-async`.
    pub async fn post_async(&self, json: impl Into<Bytes>) -> Result<Reply> {
        self.posting(json).header("prefer", "respond-async").send().await
    }

    /// Starts the server with this agent, by a request that `sa-puppet` answers with its pid.
    pub async fn start(&self, agent: &str) -> Result<u32> {
        let reply = self.post_to(agent, self.envelope("pid", "{}")).await?;
        let pid = result(reply)?.as_u64().context("a pid")?;
        Ok(u32::try_from(pid)?)
    }

    /// Sends a request, params as JSON text, and gives the result; an error answer is an error.
    pub async fn call(&self, method: &str, params: &str) -> Result<Value> {
        let reply = self.post(self.envelope(method, params)).await?;
        result(reply).with_context(|| format!("calling {method}"))
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: &str) -> Result<()> {
        let message = format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{params}}}"#);
        self.post(message).await?.expect_status(202)?;
        Ok(())
    }

    /// Returns a request with an id that this client has not used yet.
    pub fn envelope(&self, method: &str, params: &str) -> String {
        let id = self.ids.fetch_add(1, Ordering::Relaxed) + 1;
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
    }

    /// Returns the GET of its events, to be changed and then opened with `Sse::open`.
    pub fn listening(&self) -> Request {
        self.http.get(&self.path("")).header("accept", "text/event-stream")
    }

    /// Opens its events: what the agent waits for, then live.
    pub async fn events(&self) -> Result<Sse> {
        Sse::open(self.listening()).await
    }

    pub async fn events_after(&self, last: u64) -> Result<Sse> {
        Sse::open(self.listening().header("last-event-id", &last.to_string())).await
    }

    /// Returns a WebSocket to it; `query` starts with `?` or is empty.
    pub fn ws(&self, query: &str) -> WsRequest {
        self.http.ws(&self.path(query))
    }

    /// Ends and forgets it.
    pub async fn delete(&self) -> Result<Reply> {
        self.http.delete(&self.path("")).send().await
    }

    /// Returns the server's entry in the list of servers, if it has one.
    pub async fn listed(&self) -> Result<Option<Value>> {
        let list = Self::list(&self.http).await?;
        Ok(list.into_iter().find(|entry| entry.get("serverId") == Some(&Value::from(self.server.as_str()))))
    }

    /// Returns all servers, as `GET /v1/acp` lists them.
    pub async fn list(http: &Http) -> Result<Vec<Value>> {
        let mut list = http.get("/v1/acp").send().await?.expect_status(200)?.json()?;
        match list.get_mut("servers").map(Value::take) {
            Some(Value::Array(servers)) => Ok(servers),
            _ => anyhow::bail!("no list of servers: {list}"),
        }
    }
}

fn result(reply: Reply) -> Result<Value> {
    let mut answer = reply.expect_status(200)?.json()?;
    let result = answer.get_mut("result").map(Value::take);
    result.with_context(|| format!("no result: {answer}"))
}
