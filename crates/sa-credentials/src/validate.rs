//! Checks that a provider accepts a credential: one cheap call, which goes to one address and nowhere else.

use crate::providers::{Probe, Scheme, probe};
use crate::{Host, Kind, Secret};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode, Url};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// Timeout for a provider's answer.
pub const VALIDATION_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes of an answer that are read for the provider's reason.
const LONGEST_ANSWER: usize = 64 << 10;
const LONGEST_CODE: usize = 64;

/// A provider's verdict on a credential.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "camelCase")]
pub enum Validity {
    /// The provider accepts it.
    Valid,
    /// The provider refuses it.
    Invalid {
        /// The HTTP status that says so.
        status: Option<u16>,
        /// The provider's reason, or ours when the credential could not even be sent.
        reason: String,
    },
    /// The provider cannot be reached or has failed, or there is no call to check with.
    Unknown { reason: String },
}

/// Returns the variable by which agents are sent to another address of this provider.
pub(crate) fn base_variable(provider: &str) -> Option<&'static str> {
    probe(provider)?.base_variable
}

/// Returns the address at which agents with this environment call the provider.
pub fn address_of(provider: &str, host: &Host) -> Option<String> {
    let probe = probe(provider)?;
    let elsewhere = probe.base_variable.and_then(|name| host.variable(name));
    Some(elsewhere.unwrap_or(probe.base).to_owned())
}

/// Asks the provider, at `base_url` if it is not at its usual address. Ends within [`VALIDATION_TIMEOUT`]. The secret
/// is in no error, and no redirect is followed with it.
pub async fn validate(provider: &str, kind: Kind, secret: &Secret, base_url: Option<&str>) -> Validity {
    let Some(probe) = probe(provider) else {
        return unknown(format!("there is no call to ask {provider} with"));
    };
    let Some((_, scheme)) = probe.schemes.iter().find(|(known, _)| *known == kind) else {
        return unknown(format!("there is no call to ask {provider} with for this kind"));
    };
    let Some(headers) = headers(probe, *scheme, secret) else {
        return Validity::Invalid {
            status: None,
            reason: "it holds characters that cannot be sent".to_owned(),
        };
    };
    let Some(url) = address(base_url.unwrap_or(probe.base), probe.path) else {
        return unknown("the base URL is not an HTTP address".to_owned());
    };
    let asked = tokio::time::timeout(VALIDATION_TIMEOUT, ask(probe, &url, headers)).await;
    let too_late = || unknown(format!("no answer within {} s", VALIDATION_TIMEOUT.as_secs()));
    asked.unwrap_or_else(|_| too_late()).without(secret)
}

impl Validity {
    /// Removes the secret, which a server may quote in its error.
    fn without(mut self, secret: &Secret) -> Self {
        if let Self::Invalid { reason, .. } | Self::Unknown { reason } = &mut self
            && reason.contains(secret.expose())
        {
            *reason = "the answer quotes the secret".to_owned();
        }
        self
    }
}

async fn ask(probe: &Probe, url: &Url, headers: HeaderMap) -> Validity {
    let client = match sa_net::client_for(url).timeout(VALIDATION_TIMEOUT).build() {
        Ok(client) => client,
        Err(error) => return unknown(sa_net::reason(&error)),
    };
    let request = match probe.body {
        Some(body) => client.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body),
        None => client.get(url.clone()),
    };
    match request.headers(headers).send().await {
        Ok(response) => judge(probe, response).await,
        Err(error) => unknown(format!("no answer from {}: {}", host(url), sa_net::reason(&error))),
    }
}

async fn judge(probe: &Probe, response: Response) -> Validity {
    let status = response.status();
    let answer = answer(response).await;
    let code = code(&answer);
    let reason = || match &code {
        Some(code) => format!("{}: {code}", words(status)),
        None => words(status),
    };
    // Amp says no in an answer that is a success.
    let denied = answer.get("ok") == Some(&Value::Bool(false));
    let about_access = code.as_deref().is_some_and(|code| code.contains("auth"));
    if probe.refusals.contains(&status.as_u16()) || (denied && about_access) {
        return Validity::Invalid { status: Some(status.as_u16()), reason: reason() };
    }
    match status {
        _ if status.is_success() && !denied => Validity::Valid,
        _ if status.is_redirection() => unknown(format!("{}, which is not followed", words(status))),
        _ => unknown(reason()),
    }
}

/// Returns the answer, as far as it is JSON and not too long to be one.
async fn answer(mut response: Response) -> Value {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > LONGEST_ANSWER {
            break;
        }
    }
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Returns the provider's own name for the error. Its words are left out: some quote the key.
fn code(answer: &Value) -> Option<String> {
    let named = ["/error/code", "/error/status", "/error/type"].into_iter();
    let mut texts = named.filter_map(|pointer| answer.pointer(pointer)?.as_str());
    let is_name = |text: &&str| {
        text.len() <= LONGEST_CODE && text.chars().all(|c| c.is_ascii_alphabetic() || "_-".contains(c))
    };
    texts.find(is_name).map(str::to_owned)
}

fn words(status: StatusCode) -> String {
    format!("HTTP {status}")
}

fn unknown(reason: String) -> Validity {
    Validity::Unknown { reason }
}

fn headers(probe: &Probe, scheme: Scheme, secret: &Secret) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for &(name, value) in probe.headers {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let (name, value) = match scheme {
        Scheme::Header(name) => (HeaderName::from_static(name), secret.expose().to_owned()),
        Scheme::Bearer | Scheme::AnthropicLogin => (AUTHORIZATION, format!("Bearer {}", secret.expose())),
    };
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    headers.insert(name, value);
    if matches!(scheme, Scheme::AnthropicLogin) {
        headers.insert("anthropic-beta", HeaderValue::from_static("oauth-2025-04-20"));
    }
    Some(headers)
}

fn address(base: &str, path: &str) -> Option<Url> {
    let url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).ok()?;
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Returns the host of an address, without its other parts.
fn host(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}
