//! The operations on connections of the standard ACP transport, at either of its addresses.

use crate::client::{EVENT_STREAM, JSON, LAST_EVENT_ID, broken_answer, with_headers};
use crate::{Client, EventStream, Result};
use bytes::Bytes;
use reqwest::header::{CONTENT_TYPE, HeaderName};
use reqwest::{Method, RequestBuilder};

const CONNECTION_HEADER: HeaderName = HeaderName::from_static("acp-connection-id");
const SESSION_HEADER: HeaderName = HeaderName::from_static("acp-session-id");

/// The address of the standard ACP transport.
#[derive(Debug, Clone, Copy)]
pub enum AcpRoute<'a> {
    /// `/acp`; a new connection names its agent in the query.
    Standard {
        /// The agent to start.
        agent: Option<&'a str>,
    },
    /// `/v1/agents/{agent}/acp`.
    OfAgent(&'a str),
}

/// A message for a connection, and its options.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectionPost<'a> {
    /// The connection; without it, the message opens one.
    pub connection: Option<&'a str>,
    /// The session that the message is about.
    pub session: Option<&'a str>,
    /// The version of the agent to start.
    pub agent_version: Option<&'a str>,
}

/// The outcome of sending a message on a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionPosted {
    /// A connection was opened, and the agent answered `initialize`.
    Opened {
        /// The connection's id.
        connection: String,
        /// The agent's answer, in its own bytes.
        answer: Bytes,
    },
    /// The message was passed on; an answer comes on a stream.
    Accepted,
}

impl AcpRoute<'_> {
    fn request(self, client: &Client, method: Method, accept: &'static str) -> Result<RequestBuilder> {
        match self {
            Self::Standard { agent } => {
                Ok(client.request(method, &["acp"], accept)?.query(&agent.map(|agent| [("agent", agent)])))
            }
            Self::OfAgent(agent) => client.request(method, &["v1", "agents", agent, "acp"], accept),
        }
    }
}

impl Client {
    /// Sends one JSON-RPC message on a connection, or opens one with `initialize`.
    pub async fn post_connection(
        &self,
        route: AcpRoute<'_>,
        options: ConnectionPost<'_>,
        message: impl Into<Bytes>,
    ) -> Result<ConnectionPosted> {
        let request = route
            .request(self, Method::POST, JSON)?
            .header(CONTENT_TYPE, JSON)
            .query(&options.agent_version.map(|version| [("agentVersion", version)]))
            .body(message.into());
        let headers = [(CONNECTION_HEADER, options.connection), (SESSION_HEADER, options.session)];
        let response = self.send(with_headers(request, headers)?).await?;
        let opened = response.headers().get(CONNECTION_HEADER).and_then(|id| id.to_str().ok());
        let opened = opened.filter(|_| options.connection.is_none()).map(str::to_owned);
        let body = response.bytes().await.map_err(broken_answer)?;
        Ok(match opened {
            Some(connection) => ConnectionPosted::Opened { connection, answer: body },
            None => ConnectionPosted::Accepted,
        })
    }

    /// Streams the messages of a connection, or of one of its sessions.
    pub async fn stream_connection(
        &self,
        route: AcpRoute<'_>,
        connection: &str,
        session: Option<&str>,
        last_event_id: Option<&str>,
    ) -> Result<EventStream> {
        let request = route.request(self, Method::GET, EVENT_STREAM)?;
        let headers = [
            (CONNECTION_HEADER, Some(connection)),
            (SESSION_HEADER, session),
            (LAST_EVENT_ID, last_event_id),
        ];
        EventStream::new(self.send(with_headers(request, headers)?).await?)
    }

    /// Stops the agent of a connection and ends its streams.
    pub async fn close_connection(&self, route: AcpRoute<'_>, connection: &str) -> Result<()> {
        let request = route.request(self, Method::DELETE, JSON)?.header(CONNECTION_HEADER, connection);
        self.send(request).await.map(drop)
    }
}
