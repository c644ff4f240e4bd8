//! The operations on ACP servers.

use crate::client::{EVENT_STREAM, JSON, LAST_EVENT_ID, broken_answer, with_headers};
use crate::operations::operations;
use crate::{Client, EventStream, ReconnectingStream, Result};
use bytes::Bytes;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderName};
use sa_api::AcpServerList;

const PREFER: HeaderName = HeaderName::from_static("prefer");

/// Options of sending a message.
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
    /// The response to a request, in the agent's own bytes.
    Answered(Bytes),
    /// Nothing: the message needs no answer, or the answer comes on the stream.
    Accepted,
}

operations! {
    /// Lists the ACP servers that exist.
    list_acp_servers() -> AcpServerList = GET ["v1", "acp"];
    /// Stops the agent and forgets the server.
    delete_acp(server_id: &str) = DELETE ["v1", "acp", server_id];
}

impl Client {
    /// Sends one JSON-RPC message. The first message to a new `server_id` needs the agent.
    pub async fn post_acp(
        &self,
        server_id: &str,
        options: PostOptions<'_>,
        message: impl Into<Bytes>,
    ) -> Result<Posted> {
        let request = self
            .request(Method::POST, &["v1", "acp", server_id], JSON)?
            .header(CONTENT_TYPE, JSON)
            .query(&[("agent", options.agent), ("agentVersion", options.agent_version)])
            .body(message.into());
        let preference = match options {
            PostOptions { respond_async: true, .. } => Some("respond-async"),
            PostOptions { wait: true, .. } => Some("wait"),
            _ => None,
        };
        let response = self.send(with_headers(request, [(PREFER, preference)])?).await?;
        let mut body = response.bytes().await.map_err(broken_answer)?;
        // While the agent works the daemon sends white space ahead of the answer, to keep the connection alive.
        let padding = body.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let answer = body.split_off(padding);
        Ok(if answer.is_empty() { Posted::Accepted } else { Posted::Answered(answer) })
    }

    /// The agent's messages from now on, or after `last_event_id`.
    pub async fn stream_acp(&self, server_id: &str, last_event_id: Option<&str>) -> Result<EventStream> {
        let request = self.request(Method::GET, &["v1", "acp", server_id], EVENT_STREAM)?;
        EventStream::new(self.send(with_headers(request, [(LAST_EVENT_ID, last_event_id)])?).await?)
    }

    /// The same, and connects again by itself, continuing where it broke.
    pub async fn follow_acp(
        &self,
        server_id: &str,
        last_event_id: Option<&str>,
    ) -> Result<ReconnectingStream> {
        let stream = self.stream_acp(server_id, last_event_id).await?;
        Ok(ReconnectingStream::new(self.clone(), server_id, last_event_id, stream))
    }
}
