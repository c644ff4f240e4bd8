//! The HTTP side: one call, and what its answer means.

use crate::WebhookLimits;
use crate::signature::signature;
use crate::source::TraceHeaders;
use crate::target::Target;
use reqwest::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode};
use sa_api::Timestamp;
use sa_net::{Clients, reason, retry_after};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// Connections to receivers, shared by all deliveries. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Client {
    clients: Arc<Clients>,
}

/// The result of a call.
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
    /// Creates no connection yet.
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
        let client = match self.clients.get(&target.url, |builder| builder) {
            Ok(client) => client,
            Err(error) => return Outcome::failed(format!("no connection can be made: {}", reason(&error))),
        };
        let timestamp = Timestamp::now().as_millis() / 1000;
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
            Err(error) => Outcome::failed(format!("the call failed: {}", reason(&error))),
        }
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

/// Reads an answer to its end, which leaves the connection usable; a long one is not worth it.
async fn drain(mut response: Response, limit: usize) {
    let mut read = 0;
    while let Ok(Some(chunk)) = response.chunk().await {
        read += chunk.len();
        if read > limit {
            return;
        }
    }
}
