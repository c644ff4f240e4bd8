//! Cross-origin requests from browsers: off unless origins are allowed.

use http::{HeaderName, HeaderValue, Method, header};
use thiserror::Error;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// The methods that the API has.
const METHODS: [Method; 6] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Cross-origin access. Without origins there is no CORS at all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CorsOptions {
    /// Origins, or `*` for every one.
    pub origins: Vec<String>,
    /// Methods; empty means those that the API has.
    pub methods: Vec<String>,
    /// Request headers; empty means those that the API reads.
    pub headers: Vec<String>,
    /// True if cookies and TLS client certificates may be sent.
    pub credentials: bool,
}

/// The options contradict themselves or cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BadCors {
    /// Browsers refuse this pair.
    #[error("credentials cannot be allowed for every origin (*): name the origins")]
    CredentialsForAll,
    /// Options that do nothing.
    #[error("--cors-allow-method, -header and -credentials require --cors-allow-origin")]
    NoOrigin,
    /// Not an origin.
    #[error("'{0}' is not an origin such as https://app.example.org")]
    Origin(String),
    /// Not a method.
    #[error("'{0}' is not an HTTP method")]
    Method(String),
    /// Not a header name.
    #[error("'{0}' is not a header name")]
    Header(String),
}

impl CorsOptions {
    /// Refuses options that cannot be served.
    pub fn check(&self) -> Result<(), BadCors> {
        self.layer().map(|_| ())
    }

    /// Returns whether this origin may call.
    pub(crate) fn allows(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin))
    }

    /// The layer that answers preflights and marks responses; `None` when CORS is off.
    pub(crate) fn layer(&self) -> Result<Option<CorsLayer>, BadCors> {
        if self.origins.is_empty() {
            let idle = self.methods.is_empty() && self.headers.is_empty() && !self.credentials;
            return if idle { Ok(None) } else { Err(BadCors::NoOrigin) };
        }
        let every = self.origins.iter().any(|origin| origin == "*");
        if every && self.credentials {
            return Err(BadCors::CredentialsForAll);
        }
        let origins: Vec<HeaderValue> = self
            .origins
            .iter()
            .filter(|origin| *origin != "*")
            .map(|origin| read_origin(origin))
            .collect::<Result<_, _>>()?;
        let origin = if every { AllowOrigin::any() } else { AllowOrigin::list(origins) };
        let layer = CorsLayer::new()
            .allow_origin(origin)
            .allow_methods(self.methods()?)
            .allow_headers(self.headers()?)
            .expose_headers(
                [
                    "acp-connection-id",
                    "acp-session-id",
                    "content-range",
                    "etag",
                    "link",
                    "preference-applied",
                    "x-request-id",
                ]
                .map(HeaderName::from_static),
            )
            .allow_credentials(self.credentials);
        Ok(Some(layer))
    }

    fn methods(&self) -> Result<Vec<Method>, BadCors> {
        if self.methods.is_empty() {
            return Ok(METHODS.to_vec());
        }
        let read =
            |text: &String| Method::from_bytes(text.as_bytes()).map_err(|_| BadCors::Method(text.clone()));
        self.methods.iter().map(read).collect()
    }

    fn headers(&self) -> Result<Vec<HeaderName>, BadCors> {
        if self.headers.is_empty() {
            let own = [
                "acp-connection-id",
                "acp-session-id",
                "idempotency-key",
                "traceparent",
                "tracestate",
                "last-event-id",
                "prefer",
                "x-request-id",
                "x-sandbox-agent-token",
            ];
            let standard = [
                header::AUTHORIZATION,
                header::CONTENT_TYPE,
                header::ACCEPT,
                header::IF_MATCH,
                header::IF_NONE_MATCH,
                header::IF_RANGE,
                header::RANGE,
            ];
            return Ok(own.map(HeaderName::from_static).into_iter().chain(standard).collect());
        }
        let read = |text: &String| text.parse().map_err(|_| BadCors::Header(text.clone()));
        self.headers.iter().map(read).collect()
    }
}

fn read_origin(text: &str) -> Result<HeaderValue, BadCors> {
    let bad = || BadCors::Origin(text.to_owned());
    let uri: http::Uri = text.parse().map_err(|_| bad())?;
    let whole =
        uri.scheme().is_some() && uri.authority().is_some() && !text.ends_with('/') && uri.path() == "/";
    if whole { text.parse().map_err(|_| bad()) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(origins: &[&str]) -> CorsOptions {
        CorsOptions { origins: origins.iter().map(|&o| o.to_owned()).collect(), ..CorsOptions::default() }
    }

    #[test]
    fn what_browsers_would_refuse_is_refused_here() {
        assert_eq!(options(&[]).check(), Ok(()));
        assert_eq!(options(&["https://a.example", "http://localhost:3000"]).check(), Ok(()));
        assert_eq!(options(&["a.example/"]).check(), Err(BadCors::Origin("a.example/".to_owned())));
        assert_eq!(
            options(&["https://a.example/x"]).check(),
            Err(BadCors::Origin("https://a.example/x".to_owned()))
        );
        let all = CorsOptions { credentials: true, ..options(&["*"]) };
        assert_eq!(all.check(), Err(BadCors::CredentialsForAll));
        let none = CorsOptions { credentials: true, ..options(&[]) };
        assert_eq!(none.check(), Err(BadCors::NoOrigin));
    }
}
