//! Traces, metrics and logs, as an OpenTelemetry collector gets them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod collector;
mod examples;
mod failures;
mod metrics;
mod propagation;
mod scene;
mod spans;
mod wire;
