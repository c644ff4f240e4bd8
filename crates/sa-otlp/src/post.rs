//! The HTTP side: one request to a collector, and what its answer means.

use crate::config::{ConfigError, Target};
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use sa_net::{reason, retry_after};
use std::io::Write;
use std::time::Duration;

/// A collector for one signal.
#[derive(Debug)]
pub(crate) struct Post {
    client: reqwest::Client,
    target: Target,
}

/// The outcome of a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Delivered,
    /// The collector will never take this.
    Refused(String),
    /// The collector may take it later, maybe not before a pause.
    Later {
        reason: String,
        pause: Option<Duration>,
    },
}

impl Post {
    pub(crate) fn new(target: Target) -> Result<Self, ConfigError> {
        let client = build(&target)?;
        Ok(Self { client, target })
    }

    pub(crate) async fn send(&self, body: &[u8]) -> Outcome {
        let mut request = self
            .client
            .post(self.target.url.clone())
            .timeout(self.target.timeout)
            .headers(self.target.headers.clone())
            .header(CONTENT_TYPE, "application/x-protobuf");
        request = match self.target.compressed.then(|| compressed(body)).flatten() {
            Some(packed) => request.header(CONTENT_ENCODING, "gzip").body(packed),
            None => request.body(body.to_vec()),
        };
        match request.send().await {
            Ok(response) => judge(response.status(), response.headers()),
            Err(error) if error.is_timeout() => {
                later(format!("no answer within {} ms", self.target.timeout.as_millis()))
            }
            Err(error) => later(reason(&error)),
        }
    }
}

fn later(reason: String) -> Outcome {
    Outcome::Later { reason, pause: None }
}

fn judge(status: StatusCode, headers: &HeaderMap) -> Outcome {
    let reason = || format!("the collector answered {status}");
    match status {
        status if status.is_success() => Outcome::Delivered,
        StatusCode::TOO_MANY_REQUESTS
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => Outcome::Later { reason: reason(), pause: retry_after(headers) },
        _ => Outcome::Refused(reason()),
    }
}

fn compressed(body: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok()
}
fn build(target: &Target) -> Result<reqwest::Client, ConfigError> {
    let mut builder = sa_net::client_for(&target.url);
    if let Some(path) = &target.certificate {
        let certificates = sa_net::certificates_in(path);
        builder = builder.tls_certs_merge(certificates.map_err(|why| ConfigError::certificate(path, &why))?);
    }
    builder.build().map_err(|error| ConfigError::client(&reason(&error)))
}
