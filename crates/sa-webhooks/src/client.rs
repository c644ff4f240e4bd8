//! The HTTP side: one call, and what its answer means.

use crate::WebhookLimits;
use crate::backoff::asked_pause;
use crate::signature::signature;
use crate::source::TraceHeaders;
use crate::target::Target;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Certificate, Response, StatusCode, Url, redirect};
use std::error::Error;
use std::sync::{Arc, Once, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use uuid::Uuid;

/// Connections to receivers, shared by all deliveries. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Client {
    clients: Arc<Clients>,
}

/// Made when they are first needed: most daemons never have a webhook.
#[derive(Debug, Default)]
struct Clients {
    /// As the environment's proxies say.
    ordinary: OnceLock<reqwest::Client>,
    /// For receivers on this machine, which no proxy reaches.
    direct: OnceLock<reqwest::Client>,
}

/// What became of a call.
#[derive(Debug)]
pub(crate) enum Outcome {
    Delivered,
    /// The receiver wants no more.
    Gone,
    Failed {
        reason: String,
        retry_after: Option<Duration>,
    },
}

impl Outcome {
    fn failed(reason: impl Into<String>) -> Self {
        Self::Failed { reason: reason.into(), retry_after: None }
    }
}

impl Client {
    /// No connection yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends a body once.
    pub(crate) async fn post(
        &self,
        target: &Target,
        delivery: Uuid,
        body: Vec<u8>,
        trace: Option<&TraceHeaders>,
        limits: &WebhookLimits,
    ) -> Outcome {
        let client = match self.client_for(&target.url) {
            Ok(client) => client,
            Err(error) => return Outcome::failed(format!("no connection can be made: {}", cause(&error))),
        };
        let timestamp = seconds_since_1970();
        let mut request = client
            .post(target.url.clone())
            .timeout(limits.request_timeout)
            .header(CONTENT_TYPE, "application/json")
            .header("X-Sandbox-Agent-Delivery", delivery.to_string())
            .header("X-Sandbox-Agent-Timestamp", timestamp.to_string());
        if let Some(trace) = trace {
            request = request.header("traceparent", &trace.traceparent);
            request =
                request.headers(trace.tracestate.as_deref().and_then(state_header).into_iter().collect());
        }
        if let Some(secret) = &target.secret {
            let Some(signature) = signature(secret, timestamp, &body) else {
                return Outcome::failed("the delivery cannot be signed with this secret");
            };
            request = request.header("X-Sandbox-Agent-Signature", signature);
        }
        match request.body(body).send().await {
            Ok(response) => judge(response, limits).await,
            Err(error) if error.is_timeout() => {
                Outcome::failed(format!("no answer within {:?}", limits.request_timeout))
            }
            Err(error) => Outcome::failed(format!("the call failed: {}", cause(&error))),
        }
    }

    fn client_for(&self, url: &Url) -> Result<reqwest::Client, reqwest::Error> {
        let direct = is_loopback(url);
        let cell = if direct { &self.clients.direct } else { &self.clients.ordinary };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let made = build(direct)?;
        Ok(cell.get_or_init(|| made).clone())
    }
}

fn state_header(state: &str) -> Option<(HeaderName, HeaderValue)> {
    Some((HeaderName::from_static("tracestate"), HeaderValue::from_str(state).ok()?))
}

async fn judge(response: Response, limits: &WebhookLimits) -> Outcome {
    let status = response.status();
    let retry_after = retry_after(response.headers());
    drain(response, limits.answer_bytes).await;
    match status {
        status if status.is_success() => Outcome::Delivered,
        StatusCode::GONE => Outcome::Gone,
        status => Outcome::Failed { reason: format!("the receiver answered {status}"), retry_after },
    }
}

/// An answer that was read to its end leaves the connection usable; a long one is not worth it.
async fn drain(mut response: Response, limit: usize) {
    let mut read = 0;
    while let Ok(Some(chunk)) = response.chunk().await {
        read += chunk.len();
        if read > limit {
            return;
        }
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    asked_pause(headers.get(RETRY_AFTER)?.to_str().ok()?, SystemTime::now())
}

fn seconds_since_1970() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// The innermost reason, which names no address.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    if std::ptr::addr_eq(inner, error) { "no reason is known".to_owned() } else { inner.to_string() }
}

fn build(direct: bool) -> Result<reqwest::Client, reqwest::Error> {
    install_tls_provider();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("sandbox-agent/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the events, and their signature, to wherever it points.
        .redirect(redirect::Policy::none())
        .tls_certs_merge(trusted_certificates());
    if direct {
        builder = builder.no_proxy();
    }
    builder.build()
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Minimal images ship no certificates.
fn trusted_certificates() -> impl Iterator<Item = Certificate> {
    webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().filter_map(|der| Certificate::from_der(der).ok())
}

fn install_tls_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Refused only when the program has installed another one, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
