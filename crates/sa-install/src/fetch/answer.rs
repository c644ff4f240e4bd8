//! Classifies answers and failed connections.

use super::address::shown;
use super::retry::{Failure, Remedy};
use crate::error::{Result, SourceError};
use crate::limits::MAX_DOCUMENT_BYTES;
use reqwest::header::{ACCEPT, HeaderMap, IF_RANGE, LOCATION, RANGE};
use reqwest::{Response, StatusCode};
use url::Url;

/// Classifies an answer that is no success.
pub(super) fn refusal(response: &Response) -> Failure {
    let status = response.status();
    let error = SourceError::Status { url: shown(response.url()), status: status.as_u16() };
    let transient = status.is_server_error()
        || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
    let remedy =
        if transient { Remedy::Retry(sa_net::retry_after(response.headers())) } else { Remedy::None };
    Failure { error, remedy }
}

/// Classifies a failed connection.
pub(super) fn broken(url: &Url) -> impl Fn(reqwest::Error) -> Failure {
    move |error| {
        let remedy = if error.is_connect() { Remedy::Reconnect } else { Remedy::Retry(None) };
        Failure { error: SourceError::unreachable(url, sa_net::reason(&error)), remedy }
    }
}

pub(super) fn redirect_of(asked: &Url, response: &Response) -> Option<Result<Url>> {
    let moved = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| moved)?;
    let target = location.to_str().ok().and_then(|text| asked.join(text).ok());
    let target = target.filter(|target| matches!(target.scheme(), "http" | "https"));
    Some(target.ok_or_else(|| SourceError::nonsense(asked, "redirects to something that is no address")))
}

/// Returns the headers that may be sent to a host they were not made for.
pub(super) fn harmless(headers: &HeaderMap) -> HeaderMap {
    let told = headers.iter().filter(|(name, _)| [ACCEPT, RANGE, IF_RANGE].contains(name));
    told.map(|(name, value)| (name.clone(), value.clone())).collect()
}

pub(super) fn too_long(url: &Url) -> SourceError {
    SourceError::nonsense(url, format!("is longer than {} MiB", MAX_DOCUMENT_BYTES >> 20))
}
