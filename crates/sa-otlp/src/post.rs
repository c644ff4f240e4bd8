//! The HTTP side: one request to a collector, and what its answer means.

use crate::config::{ConfigError, Target};
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Certificate, StatusCode, Url, redirect};
use std::error::Error;
use std::io::Write;
use std::sync::Once;
use std::time::{Duration, SystemTime};

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
            Err(error) => later(cause(&error)),
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
        | StatusCode::GATEWAY_TIMEOUT => Outcome::Later { reason: reason(), pause: asked_pause(headers) },
        _ => Outcome::Refused(reason()),
    }
}

/// The pause that a collector asks for, in seconds or until a date.
fn asked_pause(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    match text.parse() {
        Ok(seconds) => Some(Duration::from_secs(seconds)),
        Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok(),
    }
}

fn compressed(body: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok()
}

fn build(target: &Target) -> Result<reqwest::Client, ConfigError> {
    install_tls_provider();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("sandbox-agent/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the headers, which hold credentials, to wherever it points.
        .redirect(redirect::Policy::none())
        .tls_certs_merge(trusted_certificates());
    if is_loopback(&target.url) {
        builder = builder.no_proxy();
    }
    if let Some(path) = &target.certificate {
        let refused = |why: String| ConfigError::certificate(path, &why);
        let pem = std::fs::read(path).map_err(|error| refused(error.to_string()))?;
        let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| refused(cause(&error)))?;
        builder = builder.tls_certs_merge(certificates);
    }
    builder.build().map_err(|error| ConfigError::client(&cause(&error)))
}

/// The innermost reason, which names no address.
fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    if std::ptr::addr_eq(inner, error) { "the request failed".to_owned() } else { inner.to_string() }
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
