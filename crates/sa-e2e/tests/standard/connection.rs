//! A connection as a client sees it.

use anyhow::Result;
use sa_e2e::{notification, request};
use sa_testkit::{DEADLINE, Daemon, Http, Reply, Request, Sse};
use serde_json::Value;

/// The address for connections to the puppet.
pub(crate) const PUPPET: &str = "/acp?agent=puppet";

/// A connection that was opened with `initialize`.
pub(crate) struct Connection {
    http: Http,
    path: String,
    pub(crate) id: String,
}

impl Connection {
    pub(crate) async fn open(daemon: &Daemon, path: &str) -> Result<Self> {
        let reply = initialize(daemon.http(), path).await?.expect_status(200)?;
        Ok(Self {
            http: daemon.http().clone(),
            path: path.to_owned(),
            id: reply.header("acp-connection-id").to_owned(),
        })
    }

    fn named(&self, request: Request, session: Option<&str>) -> Request {
        let request = request.header("acp-connection-id", &self.id);
        match session {
            Some(session) => request.header("acp-session-id", session),
            None => request,
        }
    }

    pub(crate) fn posting(&self, session: Option<&str>, message: String) -> Request {
        self.named(self.http.post(&self.path).json(message), session)
    }

    pub(crate) async fn post(&self, session: Option<&str>, message: String) -> Result<()> {
        let reply = self.posting(session, message).send().await?.expect_status(202)?;
        assert!(reply.body.is_empty());
        Ok(())
    }

    /// Makes the agent say something about a session, or about none.
    pub(crate) async fn say(&self, session: Option<&str>, label: &str) -> Result<()> {
        let session = session.map(|session| format!(r#""sessionId":"{session}","#)).unwrap_or_default();
        let line = notification("session/update", &format!(r#"{{{session}"label":"{label}"}}"#)) + "\n";
        self.post(None, notification("raw", &sa_e2e::write(line))).await
    }

    pub(crate) fn listening(&self, session: Option<&str>) -> Request {
        self.named(self.http.get(&self.path).header("accept", "text/event-stream"), session)
    }

    pub(crate) async fn stream(&self, session: Option<&str>) -> Result<Sse> {
        Sse::open(self.listening(session)).await
    }

    /// Reads a stream up to these bytes and leaves it. Returns once the daemon has let go of the reader: what is said
    /// to one that is still leaving counts as delivered.
    pub(crate) async fn read_and_leave(&self, session: Option<&str>, end: &str) -> Result<String> {
        let mut reader = self.listening(session).send_and_never_read().await?;
        let read = reader.read_until(end.as_bytes(), DEADLINE).await?;
        reader.finish_writing().await?;
        reader.read_to_end(DEADLINE).await?;
        Ok(String::from_utf8(read)?)
    }

    pub(crate) async fn delete(&self) -> Result<Reply> {
        self.named(self.http.delete(&self.path), None).send().await
    }
}

pub(crate) async fn initialize(http: &Http, path: &str) -> Result<Reply> {
    http.post(path).json(request(0, "initialize", r#"{"protocolVersion":1}"#)).send().await
}

/// Returns the label that [`Connection::say`] gave the next message.
pub(crate) async fn label(stream: &mut Sse) -> Result<String> {
    let message: Value = stream.event().await?.json()?;
    Ok(message["params"]["label"].as_str().unwrap_or_default().to_owned())
}
