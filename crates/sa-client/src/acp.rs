//! The operations on ACP servers.

use crate::client::{EVENT_STREAM, JSON, broken_answer};
use crate::{Client, ClientError, EventStream, ReconnectingStream};
use bytes::Bytes;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use sa_api::AcpServerList;

/// How a message is sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct PostOptions<'a> {
    /// The agent to start, if it does not run.
    pub agent: Option<&'a str>,
    /// The version of it to start; the current one by default.
    pub agent_version: Option<&'a str>,
    /// Do not wait for the answer of a request: it comes on the stream.
    pub respond_async: bool,
    /// Have the daemon send its status with the answer, so that a failure is an error however late it comes.
    pub wait: bool,
}

/// Result of sending a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Posted {
    /// It was a request, and this is its response, in the agent's own bytes.
    Answered(Bytes),
    /// It was passed on; there is nothing to answer, or the answer comes on the stream.
    Accepted,
}

impl Client {
    /// The ACP servers that exist.
    pub async fn list_acp_servers(&self) -> Result<AcpServerList, ClientError> {
        self.get_json(&["v1", "acp"]).await
    }

    /// Sends one JSON-RPC message. The first message to a new `server_id` needs the agent.
    pub async fn post_acp(
        &self,
        server_id: &str,
        options: PostOptions<'_>,
        message: impl Into<Bytes>,
    ) -> Result<Posted, ClientError> {
        let mut request = self
            .request(Method::POST, &["v1", "acp", server_id], JSON)?
            .header(CONTENT_TYPE, JSON)
            .body(message.into());
        if let Some(agent) = options.agent {
            request = request.query(&[("agent", agent)]);
        }
        if let Some(version) = options.agent_version {
            request = request.query(&[("agentVersion", version)]);
        }
        if options.respond_async {
            request = request.header("prefer", "respond-async");
        } else if options.wait {
            request = request.header("prefer", "wait");
        }
        let response = self.send(request).await?;
        let mut body = response.bytes().await.map_err(broken_answer)?;
        // While the agent works the daemon sends white space ahead of the answer, to keep the connection alive.
        let padding = body.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let answer = body.split_off(padding);
        Ok(if answer.is_empty() { Posted::Accepted } else { Posted::Answered(answer) })
    }

    /// The agent's messages from now on, or after `last_event_id`.
    pub async fn stream_acp(
        &self,
        server_id: &str,
        last_event_id: Option<&str>,
    ) -> Result<EventStream, ClientError> {
        let mut request = self.request(Method::GET, &["v1", "acp", server_id], EVENT_STREAM)?;
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        EventStream::new(self.send(request).await?)
    }

    /// The same, and connects again by itself, continuing where it broke.
    pub async fn follow_acp(
        &self,
        server_id: &str,
        last_event_id: Option<&str>,
    ) -> Result<ReconnectingStream, ClientError> {
        let stream = self.stream_acp(server_id, last_event_id).await?;
        Ok(ReconnectingStream::new(self.clone(), server_id, last_event_id, stream))
    }

    /// Stops the agent and forgets the server.
    pub async fn delete_acp(&self, server_id: &str) -> Result<(), ClientError> {
        self.send(self.request(Method::DELETE, &["v1", "acp", server_id], JSON)?).await.map(drop)
    }
}
