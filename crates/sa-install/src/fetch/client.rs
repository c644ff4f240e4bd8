//! Sends requests: through the mirror, with timeouts, redirects and a few attempts.

use super::address::{local_path, shown, through};
use super::answer::{broken, harmless, redirect_of, refusal, too_long};
use super::retry::Failure;
use crate::error::{Result, SourceError};
use crate::limits::{CONNECT_TIMEOUT, FIRST_PAUSE, MAX_DOCUMENT_BYTES, MAX_REDIRECTS, SILENCE_TIMEOUT};
use reqwest::header::HeaderMap;
use reqwest::{ClientBuilder, Response, StatusCode};
use sa_disk::on_disk;
use sa_net::{Clients, certificates_in, reason};
use serde::de::DeserializeOwned;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Options of outgoing requests.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Asked instead of every host; `file:` for a directory of this machine.
    pub mirror: Option<Url>,
    /// A file with certificates to trust, in addition to the common ones.
    pub certificates: Option<PathBuf>,
    /// Timeout for a host that sends nothing.
    pub silence_timeout: Duration,
    /// The pause after a first failed attempt; each further one is twice as long.
    pub first_pause: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self { mirror: None, certificates: None, silence_timeout: SILENCE_TIMEOUT, first_pause: FIRST_PAUSE }
    }
}

impl ClientOptions {
    fn configure(&self, builder: ClientBuilder) -> ClientBuilder {
        let builder = builder.connect_timeout(CONNECT_TIMEOUT).read_timeout(self.silence_timeout);
        match self.certificates.as_deref().map(|file| (file, certificates_in(file))) {
            Some((_, Ok(certificates))) => builder.tls_certs_merge(certificates),
            // npm ignores a file that is missing. One that cannot be read is ignored, too: the connection that needs it
            // fails with a clearer reason.
            Some((file, Err(reason))) => {
                tracing::warn!(file = %file.display(), reason, "npm's cafile is ignored");
                builder
            }
            None => builder,
        }
    }
}

/// Asks addresses. Clones share their connections.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    options: ClientOptions,
    connections: Arc<Clients>,
}

impl Client {
    pub(crate) fn new(options: ClientOptions) -> Self {
        Self { options, connections: Arc::default() }
    }

    /// Returns a client that sends everything through this mirror.
    pub(crate) fn with_mirror(&self, mirror: Url) -> Self {
        let options = ClientOptions { mirror: Some(mirror), ..self.options.clone() };
        Self { options, connections: Arc::clone(&self.connections) }
    }

    /// Returns a small document, as text.
    pub(crate) async fn text(&self, url: &Url, headers: &HeaderMap) -> Result<String> {
        let bytes = self.document(url, headers).await?;
        String::from_utf8(bytes).map_err(|_| self.nonsense(url, "is not text"))
    }

    /// Returns a small document, as JSON.
    pub(crate) async fn json<T: DeserializeOwned>(&self, url: &Url, headers: &HeaderMap) -> Result<T> {
        let bytes = self.document(url, headers).await?;
        serde_json::from_slice(&bytes)
            .map_err(|error| self.nonsense(url, format!("is not what was expected: {error}")))
    }

    async fn document(&self, url: &Url, headers: &HeaderMap) -> Result<Vec<u8>> {
        let mut failed = 0;
        loop {
            let failure = match self.document_once(url, headers).await {
                Ok(bytes) => return Ok(bytes),
                Err(failure) => failure,
            };
            failed += 1;
            let Some(pause) = failure.pause(failed, self.options.first_pause) else {
                return Err(failure.error);
            };
            tracing::debug!(error = %failure.error, ?pause, "asking again");
            tokio::time::sleep(pause).await;
        }
    }

    async fn document_once(&self, url: &Url, headers: &HeaderMap) -> Result<Vec<u8>, Failure> {
        let asked = self.address(url);
        if asked.scheme() == "file" {
            return Ok(on_disk(move || read_document(&asked)).await?);
        }
        let mut response = self.get(url, headers).await?;
        if !response.status().is_success() {
            return Err(refusal(&response));
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(broken(&asked))? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
                return Err(too_long(&asked).into());
            }
        }
        Ok(bytes)
    }

    /// Makes one attempt and returns the answer at the end of the redirects. The headers stay with the host they were
    /// made for.
    pub(super) async fn get(&self, url: &Url, headers: &HeaderMap) -> Result<Response, Failure> {
        let mut asked = self.address(url);
        for _ in 0..=MAX_REDIRECTS {
            let sent = if asked.origin() == url.origin() { headers.clone() } else { harmless(headers) };
            let request = self.connection(&asked)?.get(asked.clone()).headers(sent);
            let response = request.send().await.map_err(broken(&asked))?;
            let Some(next) = redirect_of(&asked, &response) else { return Ok(response) };
            let next = self.address(&next.map_err(Failure::fatal)?);
            if asked.scheme() == "https" && next.scheme() != "https" {
                let reason = "redirects to an address that is not encrypted";
                return Err(SourceError::nonsense(&asked, reason).into());
            }
            asked = next;
        }
        Err(SourceError::nonsense(&asked, "redirects too often").into())
    }

    fn connection(&self, url: &Url) -> Result<&reqwest::Client> {
        let client = self.connections.get(url, |builder| self.options.configure(builder));
        client.map_err(|error| {
            SourceError::unreachable(url, format!("cannot set up HTTPS: {}", reason(&error)))
        })
    }

    /// Returns where an address is really asked.
    pub(crate) fn address(&self, url: &Url) -> Url {
        match &self.options.mirror {
            Some(mirror) => through(mirror, url),
            None => url.clone(),
        }
    }

    /// That an address answered something that makes no sense.
    fn nonsense(&self, url: &Url, reason: impl Into<String>) -> SourceError {
        SourceError::nonsense(&self.address(url), reason)
    }

    pub(super) fn first_pause(&self) -> Duration {
        self.options.first_pause
    }
}

fn read_document(url: &Url) -> Result<Vec<u8>> {
    let path = local_path(url)?;
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&path).map_err(local_failure(url))?;
    opened.take(MAX_DOCUMENT_BYTES + 1).read_to_end(&mut bytes).map_err(local_failure(url))?;
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES { Err(too_long(url)) } else { Ok(bytes) }
}

/// Describes a failure of this machine's disk. A missing file is what a web server would answer with 404.
pub(super) fn local_failure(url: &Url) -> impl Fn(std::io::Error) -> SourceError {
    move |error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
            SourceError::Status { url: shown(url), status: StatusCode::NOT_FOUND.as_u16() }
        }
        _ => SourceError::unreachable(url, error.to_string()),
    }
}
