//! Delivers a session's events to its webhook: in order, at least once, signed.
//!
//! A [`Source`] supplies the events and keeps how far delivery came. One task for each webhook, [`run`], reads a
//! page, sends it, has the source store that, and continues. Failed deliveries are retried at growing intervals.

mod backoff;
mod batch;
mod client;
mod delivery;
mod error;
mod limits;
mod signature;
mod source;
mod target;

pub use client::Client;
pub use delivery::run;
pub use error::WebhookError;
pub use limits::WebhookLimits;
pub use source::{BoxFuture, Source, TraceHeaders};
pub use target::{check, fresh_status, redacted};
