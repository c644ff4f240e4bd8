//! Sessions of the demo agent, as far as these tests need them.

use anyhow::{Context, Result};
use sa_testkit::{Daemon, Http};
use serde_json::{Value, json};

/// A trace that a client has begun.
pub(crate) const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
/// The client's span in it.
pub(crate) const PARENT: &str = "b7ad6b7169203331";

/// The session `s`.
pub(crate) struct Session {
    http: Http,
}

impl Session {
    pub(crate) async fn create(daemon: &Daemon, more: Value) -> Result<Self> {
        let http = daemon.http().clone();
        let mut body = json!({"agent": "demo"});
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        http.post("/v1/sessions/s").json(body.to_string()).send().await?.expect_status(201)?;
        Ok(Self { http })
    }

    /// Sends a message, as part of the client's trace.
    pub(crate) async fn send(&self, text: &str) -> Result<Value> {
        let request = self.http.post("/v1/sessions/s/messages");
        let request = request.header("traceparent", &format!("00-{TRACE}-{PARENT}-01"));
        let request = request.also_header("tracestate", "vendor=kept");
        let body = json!({ "message": text }).to_string();
        request.json(body).send().await?.expect_status(202)?.json()
    }

    /// Sends a message and waits for the end of its turn; the text of its events.
    pub(crate) async fn turn(&self, text: &str) -> Result<String> {
        let body = json!({ "message": text }).to_string();
        let reply = self.http.post("/v1/sessions/s/messages/stream").json(body).send().await?;
        Ok(reply.expect_status(200)?.text())
    }

    pub(crate) async fn get(&self) -> Result<Value> {
        self.http.get("/v1/sessions/s").send().await?.expect_status(200)?.json()
    }

    /// Waits for a request of the agent and answers it.
    pub(crate) async fn answer(&self, list: &str, body: Value) -> Result<()> {
        let asked = sa_e2e::poll(list, async || {
            let session = self.get().await?;
            Ok(session[list][0]["id"].as_str().map(str::to_owned))
        })
        .await?;
        let path = format!("/v1/sessions/s/{list}/{asked}/reply");
        self.http.post(&path).json(body.to_string()).send().await?.expect_status(204)?;
        Ok(())
    }

    pub(crate) async fn idle(&self) -> Result<()> {
        sa_e2e::poll("the end of the turn", async || Ok((self.get().await?["state"] == "idle").then_some(())))
            .await
    }
}

/// Returns the value of a metric at `/metrics`, over all labels.
pub(crate) async fn metric(daemon: &Daemon, name: &str) -> Result<f64> {
    let text = daemon.http().get("/metrics").send().await?.expect_status(200)?.text();
    let of_name = |line: &&str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '{']));
    let values =
        text.lines().filter(of_name).map(|line| line.rsplit(' ').next().unwrap_or_default().parse::<f64>());
    values.sum::<Result<f64, _>>().context(text)
}
