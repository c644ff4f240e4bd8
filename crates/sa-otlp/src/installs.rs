//! The span of an installation.

use crate::attributes as name;
use crate::context::TraceContext;
use crate::exporter::Exporter;
use crate::span::{Attribute, Span, SpanId, SpanKind, SpanStatus};
use uuid::Uuid;

/// An installation that has ended.
#[derive(Debug, Clone)]
pub struct Installation {
    pub agent: String,
    /// The turn that waited for it.
    pub parent: Option<TraceContext>,
    /// The beginning, in milliseconds since 1970.
    pub start_ms: u64,
    pub end_ms: u64,
    /// The version that is there now, or the kind of failure.
    pub outcome: Result<String, String>,
}

impl Exporter {
    /// Hands over the span of an installation.
    pub fn installation(&self, installation: Installation) {
        let Installation { agent, parent, start_ms, end_ms, outcome } = installation;
        let random = Uuid::new_v4().into_bytes();
        let trace_id = parent.as_ref().map_or(random, |parent| parent.trace_id);
        if !self.sampler().takes(&trace_id, parent.as_ref()) {
            return;
        }
        let [span_id @ .., _, _, _, _, _, _, _, _] = Uuid::new_v4().into_bytes();
        let mut attributes = vec![Attribute::text(name::AGENT, agent.as_str())];
        let status = match outcome {
            Ok(version) => {
                attributes.push(Attribute::text(name::INSTALLED_VERSION, version));
                attributes.push(Attribute::text(name::OUTCOME, "installed"));
                SpanStatus::Unset
            }
            Err(kind) => {
                attributes.push(Attribute::text(name::OUTCOME, "failed"));
                attributes.push(Attribute::text(name::ERROR_TYPE, kind));
                SpanStatus::Error(String::new())
            }
        };
        let parent_id = parent.as_ref().map(|parent| parent.span_id);
        let state = parent.and_then(|parent| parent.state);
        let context = TraceContext { trace_id, span_id: SpanId(span_id), sampled: true, state };
        let (name, kind) = (format!("install {agent}"), SpanKind::Client);
        self.span(Span { context, parent: parent_id, name, kind, start_ms, end_ms, attributes, status });
    }
}
