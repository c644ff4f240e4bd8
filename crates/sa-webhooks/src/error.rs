//! Why a webhook is not accepted.

/// The reason why a webhook is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The address cannot be read.
    #[error("the webhook's address is not a URL: {0}")]
    Unreadable(String),
    /// The address is neither `http` nor `https`, or names no host.
    #[error("the webhook's address must begin with http:// or https:// and name a host")]
    Scheme,
    /// The secret is empty, so everybody could sign with it.
    #[error("the webhook's secret must not be empty; leave it out to have no signature")]
    EmptySecret,
    /// No event has that name, so nothing would ever be sent for it.
    #[error("the webhook asks for {0:?}, and no event has that name")]
    UnknownEvent(String),
}
