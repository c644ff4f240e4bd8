//! Traces, metrics and logs for OpenTelemetry collectors, as OTLP over HTTP with protobuf.
//!
//! ```text
//! session's events ──► TurnTracer (pure) ──┐
//! installations ───────────────────────────┼─► Exporter: a bounded queue for each signal ──► a task each ──► collector
//! the daemon's log ────────────────────────┘             full: counted and dropped
//! readings of /metrics, every minute ────────────────────┘
//! ```
//!
//! Nothing here waits for a collector but its own tasks. The encoder is written for the few messages that the daemon sends: the
//! OpenTelemetry crates would add more to the binary than everything else in this crate together.

mod attributes;
mod config;
mod content;
mod context;
mod encode;
mod exporter;
mod installs;
mod logs;
mod metrics;
mod post;
mod proto;
mod sampler;
mod span;
mod turns;
mod worker;

pub use config::{Config, ConfigError, Flags};
pub use content::Content;
pub use context::TraceContext;
pub use exporter::{ExportCounts, Exporter};
pub use installs::Installation;
pub use logs::{LogLayer, LogRecord};
pub use metrics::{Histogram, Point, Reading, ReadingKind, Value as MetricValue};
pub use span::{Attribute, Span, SpanId, SpanKind, SpanStatus, Value};
pub use turns::{Conversation, TurnTracer};
