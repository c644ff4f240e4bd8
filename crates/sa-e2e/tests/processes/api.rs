//! A client of processes that shows what comes back as it is.

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sa_testkit::{DEADLINE, Daemon, Http, Reply, Sse, Ws, WsRequest, within};
use serde_json::{Value, json};

/// Processes of one daemon.
pub(crate) struct Api<'a> {
    http: &'a Http,
}

impl<'a> Api<'a> {
    pub(crate) fn of(daemon: &'a Daemon) -> Self {
        Self { http: daemon.http() }
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Reply> {
        self.http.get(&format!("/v1/processes{path}")).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Reply> {
        self.http.post(&format!("/v1/processes{path}")).json(body.to_string()).send().await
    }

    pub(crate) async fn delete(&self, id: &str) -> Result<Reply> {
        self.http.delete(&format!("/v1/processes/{id}")).send().await
    }

    /// Runs a command to its end.
    pub(crate) async fn run(&self, body: Value) -> Result<Value> {
        self.post("/run", &body).await?.expect_status(200)?.json()
    }

    /// Starts a process; its id.
    pub(crate) async fn create(&self, body: Value) -> Result<String> {
        let info = self.post("", &body).await?.expect_status(201)?.json()?;
        Ok(info["id"].as_str().context("an id")?.to_owned())
    }

    /// Returns a shell script, with more fields of the request.
    pub(crate) async fn script(&self, text: &str, more: Value) -> Result<String> {
        let mut body = script(text);
        body.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        self.create(body).await
    }

    pub(crate) async fn info(&self, id: &str) -> Result<Value> {
        self.get(&format!("/{id}")).await?.expect_status(200)?.json()
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&self, id: &str) -> Result<Value> {
        sa_e2e::poll("the process to end", async || {
            let info = self.info(id).await?;
            Ok((info["status"] == json!("exited")).then_some(info))
        })
        .await
    }

    pub(crate) async fn logs(&self, id: &str, query: &str) -> Result<Value> {
        self.get(&format!("/{id}/logs{query}")).await?.expect_status(200)?.json()
    }

    /// Returns the output so far.
    pub(crate) async fn text(&self, id: &str) -> Result<String> {
        let logs = self.logs(id, "").await?;
        let entries = logs["entries"].as_array().context("entries")?;
        let bytes: Vec<u8> = entries.iter().flat_map(|entry| bytes(entry).unwrap()).collect();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Waits until it has written that; all it has written by then.
    pub(crate) async fn printed(&self, id: &str, what: &str) -> Result<String> {
        sa_e2e::poll(&format!("{what:?} to be printed"), async || {
            let text = self.text(id).await?;
            Ok(text.contains(what).then_some(text))
        })
        .await
    }

    pub(crate) async fn follow(&self, id: &str, query: &str) -> Result<Sse> {
        Sse::open(self.http.get(&format!("/v1/processes/{id}/logs/sse{query}"))).await
    }

    pub(crate) async fn kill(&self, id: &str) -> Result<Value> {
        self.http.post(&format!("/v1/processes/{id}/kill")).send().await?.expect_status(200)?.json()
    }

    pub(crate) fn terminal(&self, id: &str, query: &str) -> WsRequest {
        self.http.ws(&format!("/v1/processes/{id}/terminal/ws{query}"))
    }
}

/// Returns a command that a shell reads.
pub(crate) fn script(text: &str) -> Value {
    json!({"command": "/bin/sh", "args": ["-c", text]})
}

/// Returns the bytes of a log entry.
pub(crate) fn bytes(entry: &Value) -> Result<Vec<u8>> {
    assert_eq!(entry["encoding"], "base64");
    Ok(STANDARD.decode(entry["data"].as_str().context("data")?)?)
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A terminal's socket: what was printed on it, and what was said about it.
pub(crate) struct Viewer {
    pub(crate) socket: Ws,
    pub(crate) printed: Vec<u8>,
    /// Text messages since they were last looked at.
    pub(crate) said: Vec<Value>,
}

impl Viewer {
    /// Connects; the first message is `ready`.
    pub(crate) async fn connect(request: WsRequest) -> Result<Self> {
        let mut viewer = Self { socket: request.connect().await?, printed: Vec::new(), said: Vec::new() };
        viewer.next().await?;
        assert_eq!(viewer.said.remove(0)["type"], "ready");
        assert!(viewer.printed.is_empty(), "ready comes first");
        Ok(viewer)
    }

    /// Takes the next message; false when the socket is closed.
    pub(crate) async fn next(&mut self) -> Result<bool> {
        let Some(frame) = self.socket.frame_within(DEADLINE).await? else { return Ok(false) };
        if frame.is_text() {
            self.said.push(serde_json::from_str(frame.to_text()?)?);
        } else if frame.is_binary() {
            self.printed.extend(frame.into_data());
        }
        Ok(true)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.printed).into_owned()
    }

    /// Reads until that was printed.
    pub(crate) async fn until(&mut self, what: &str) -> Result<()> {
        let printed = async {
            while !self.text().contains(what) {
                ensure!(self.next().await?, "the socket was closed");
            }
            Ok(())
        };
        let outcome = within(what, DEADLINE, printed).await.flatten();
        outcome.with_context(|| format!("{what:?} was not printed: {:?} {:?}", self.text(), self.said))
    }

    /// Reads until the socket is closed; the last thing said.
    pub(crate) async fn end(&mut self) -> Result<Value> {
        while self.next().await? {}
        self.said.last().cloned().context("nothing was said")
    }

    /// Reads until something was said, and takes it.
    pub(crate) async fn saying(&mut self) -> Result<Value> {
        while self.said.is_empty() {
            let more = self.next().await?;
            assert!(more, "closed: {:?}", self.text());
        }
        Ok(self.said.remove(0))
    }

    pub(crate) async fn send(&mut self, frame: Value) -> Result<()> {
        self.socket.send(&frame.to_string()).await
    }
}
