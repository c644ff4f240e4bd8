//! Where events come from and where the progress of their delivery is kept: the side of the session.

use bytes::Bytes;
pub use futures_util::future::BoxFuture;
use sa_api::sessions::WebhookStatus;

/// The headers that name a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceHeaders {
    /// The value of `traceparent`.
    pub traceparent: String,
    /// The value of `tracestate`, if there is one.
    pub tracestate: Option<String>,
}

/// A session's log, as far as its webhook needs it.
pub trait Source: Send + Sync + 'static {
    /// Returns a page of events after this id, in order, each with its id and its JSON. Empty: there are none yet.
    fn events(&self, after: u64) -> BoxFuture<'_, Result<Vec<(u64, Bytes)>, String>>;

    /// Returns `true` when there may be events after this id, `false` when there will be no more than there are.
    fn wait(&self, after: u64) -> BoxFuture<'_, bool>;

    /// Resolves when the source is about to go: [`wait`](Self::wait) no longer waits, and each delivery that fails is tried once
    /// more, at once.
    fn last_look(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }

    /// Returns the trace that the newest events belong to.
    fn trace(&self) -> Option<TraceHeaders> {
        None
    }

    /// Keeps, durably, that everything up to `delivered` was delivered or was of no interest, and how the webhook stands.
    fn store<'a>(&'a self, delivered: u64, status: &'a WebhookStatus) -> BoxFuture<'a, ()>;
}
