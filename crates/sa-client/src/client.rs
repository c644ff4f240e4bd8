//! The client itself: where the daemon is, how to ask it, how to read what it answers.

use crate::ClientError;
use crate::Result;
use crate::operations::operations;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use sa_api::{Health, Info, Problem, Ticket, TicketRequest};
use serde::de::DeserializeOwned;
use std::time::Duration;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const KEEPALIVE: Duration = Duration::from_secs(30);
/// Characters that an error message quotes of an answer that is not ours.
const QUOTED_CHARS: usize = 200;

pub(crate) const JSON: &str = "application/json";
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// A daemon to call. Clones share its connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    endpoint: Url,
}

operations! {
    /// Returns the state of the daemon.
    health() -> Health = GET ["v1", "health"];
    /// Returns name, version and links.
    info() -> Info = GET [];
    /// Creates a ticket: for one stream until it expires, or for any stream, once.
    create_ticket(request: &TicketRequest) -> Ticket = POST ["v1", "tickets"], json request;
    /// Revokes a ticket.
    revoke_ticket(ticket: &str) = DELETE ["v1", "tickets", ticket];
}

impl Client {
    /// The daemon at `endpoint` (`http://host:port`, behind a gateway also with a path), called with its token.
    pub fn new(endpoint: &str, token: Option<&str>) -> Result<Self> {
        let endpoint = parse_endpoint(endpoint)?;
        let mut headers = HeaderMap::new();
        if let Some(token) = token {
            let mut bearer = HeaderValue::try_from(format!("Bearer {token}"))
                .map_err(|_| ClientError::Argument("the token cannot be sent in a header".to_owned()))?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let http = sa_net::client_for(&endpoint)
            .default_headers(headers)
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_keepalive(KEEPALIVE)
            .build()
            .map_err(transport("cannot set up an HTTP client".to_owned()))?;
        Ok(Self { http, endpoint })
    }

    /// The OpenAPI document, as text.
    pub async fn openapi(&self) -> Result<String> {
        self.get_text(&["v1", "openapi.json"], JSON).await
    }

    /// The metrics, in the Prometheus text format.
    pub async fn metrics(&self) -> Result<String> {
        self.get_text(&["metrics"], "*/*").await
    }

    /// The answer to a request, read as JSON.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T> {
        decode(&self.fetch(request).await?)
    }

    /// Sends a request and returns the body of its answer. Boxed like [`Self::send`].
    fn fetch(&self, request: RequestBuilder) -> BoxFuture<'_, Result<Bytes>> {
        async { self.send(request).await?.bytes().await.map_err(broken_answer) }.boxed()
    }

    async fn get_text(&self, path: &[&str], accept: &'static str) -> Result<String> {
        let response = self.send(self.request(Method::GET, path, accept)?).await?;
        response.text().await.map_err(broken_answer)
    }

    /// A request of one operation; each part of the path is escaped.
    pub(crate) fn request(
        &self,
        method: Method,
        path: &[&str],
        accept: &'static str,
    ) -> Result<RequestBuilder> {
        if let Some(part) = path.iter().find(|part| matches!(**part, "" | "." | "..")) {
            return Err(ClientError::Argument(format!("'{part}' is not an id")));
        }
        let mut url = self.endpoint.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        Ok(self.http.request(method, url).header(ACCEPT, accept))
    }

    /// Sends a request; an answer of another status becomes an error.
    pub(crate) async fn send_for(&self, status: StatusCode, request: RequestBuilder) -> Result<Response> {
        let response = self.respond(request).await?;
        if response.status() == status { Ok(response) } else { Err(refusal(response).await) }
    }

    /// Sends a request; an answer that is not a success becomes an error. Boxed, so that the future of each operation does
    /// not contain all of this again.
    pub(crate) fn send(&self, request: RequestBuilder) -> BoxFuture<'_, Result<Response>> {
        let sent = async {
            let response = self.respond(request).await?;
            if response.status().is_success() { Ok(response) } else { Err(refusal(response).await) }
        };
        sent.boxed()
    }

    async fn respond(&self, request: RequestBuilder) -> Result<Response> {
        request.send().await.map_err(transport(format!("no answer from {}", self.endpoint)))
    }
}

/// Adds the headers that have a value.
pub(crate) fn with_headers<const N: usize>(
    mut request: RequestBuilder,
    headers: [(HeaderName, Option<&str>); N],
) -> Result<RequestBuilder> {
    for (name, value) in headers {
        let Some(text) = value else { continue };
        let unfit = |_| ClientError::Argument(format!("'{text}' cannot be sent in the header {name}"));
        let value = HeaderValue::from_str(text).map_err(unfit)?;
        request = request.header(name, value);
    }
    Ok(request)
}

pub(crate) async fn read_json<T: DeserializeOwned>(response: Response) -> Result<T> {
    decode(&response.bytes().await.map_err(broken_answer)?)
}

fn decode<T: DeserializeOwned>(body: &Bytes) -> Result<T> {
    serde_json::from_slice(body).map_err(|error| ClientError::protocol(format!("{error} in {}", quote(body))))
}

/// The error for an answer that ended before its time.
pub(crate) fn broken_answer(source: reqwest::Error) -> ClientError {
    transport("the answer broke off".to_owned())(source)
}

fn transport(context: String) -> impl FnOnce(reqwest::Error) -> ClientError {
    // The context names the address, where it matters.
    move |source| ClientError::Transport { context, source: source.without_url() }
}

async fn refusal(response: Response) -> ClientError {
    let status = response.status();
    if status.is_redirection() {
        let target =
            response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("nowhere");
        return unexpected(status, &format!("a redirect to {target}"));
    }
    let is_problem = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.to_str().is_ok_and(|value| value.starts_with("application/problem+json")));
    let body = match response.bytes().await {
        Ok(body) => body,
        Err(error) => return broken_answer(error),
    };
    match serde_json::from_slice::<Problem>(&body) {
        Ok(problem) if is_problem => {
            ClientError::Problem { status: status.as_u16(), problem: Box::new(problem) }
        }
        _ => unexpected(status, &quote(&body)),
    }
}

fn unexpected(status: StatusCode, what: &str) -> ClientError {
    ClientError::Protocol { status: Some(status.as_u16()), detail: format!("HTTP {status}, {what}") }
}

fn quote(body: &Bytes) -> String {
    if body.is_empty() {
        return "an empty body".to_owned();
    }
    format!("{:?}", String::from_utf8_lossy(body).chars().take(QUOTED_CHARS).collect::<String>())
}

fn parse_endpoint(text: &str) -> Result<Url> {
    let refused =
        || ClientError::Argument(format!("'{text}' is not an address such as http://127.0.0.1:2468"));
    let mut url = Url::parse(text).map_err(|_| refused())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refused());
    }
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}
