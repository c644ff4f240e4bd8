//! Traces: the context that comes with a message and is passed to the agent, and the spans of turns.

use super::Effect;
use super::machine::Machine;
use super::queue::Queued;
use sa_api::sessions::{EventData, Turn};
use sa_otlp::{Content, Conversation, Exporter, TraceContext, TurnTracer};
use sa_store::StoredMessage;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The trace of a session. Without a collector, only contexts are passed on.
#[derive(Default)]
pub(crate) struct Tracing {
    collected: Option<Collected>,
    /// The context of the turn that runs.
    context: Option<TraceContext>,
}

struct Collected {
    tracer: TurnTracer,
    /// Secrets of the daemon; none if no content is exported.
    secrets: Option<Vec<String>>,
}

impl Tracing {
    /// Reports spans to a collector. Content is exported only with the secrets that are cut out of it.
    pub(crate) fn new(
        exporter: Exporter,
        conversation: Conversation,
        secrets: Option<Vec<String>>,
        env: &BTreeMap<String, String>,
    ) -> Self {
        let tracer = TurnTracer::new(exporter, conversation, content(secrets.as_ref(), env));
        Self { collected: Some(Collected { tracer, secrets }), context: None }
    }

    pub(super) fn context(&self) -> Option<TraceContext> {
        self.context.clone()
    }

    /// Takes note that the session has other variables, whose values are secrets.
    pub(super) fn refresh_secrets(&mut self, env: &BTreeMap<String, String>) {
        if let Some(Collected { tracer, secrets }) = &mut self.collected {
            tracer.set_content(content(secrets.as_ref(), env));
        }
    }
}

/// Returns what of a session's content is exported.
fn content(secrets: Option<&Vec<String>>, env: &BTreeMap<String, String>) -> Content {
    match secrets {
        Some(secrets) => Content::without(secrets.iter().chain(env.values()).cloned()),
        None => Content::Omitted,
    }
}

impl Machine {
    /// Begins the span of a turn. Without a collector, the context that came with the message is passed on unchanged.
    pub(super) fn begin_trace(&mut self, message: &Queued) {
        let parent = context_of(message);
        let context = match &mut self.tracing.collected {
            Some(Collected { tracer, .. }) => {
                Some(tracer.begin(&message.turn_id, parent.as_ref(), &message.parts, self.now.wall_ms))
            }
            None => parent,
        };
        self.tracing.context.clone_from(&context);
        self.effect(Effect::ShowTrace(context));
    }

    /// Begins the span of a turn in which an earlier daemon was killed, under the same id. A daemon that was stopped has
    /// reported its turns itself.
    pub(super) fn resume_trace(&mut self, message: &StoredMessage, turn: Option<&Turn>) {
        let Some(Collected { tracer, .. }) = &mut self.tracing.collected else { return };
        let (Ok(queued), Some(turn)) = (serde_json::from_slice::<Queued>(&message.body), turn) else {
            return;
        };
        if turn.turn_id == queued.turn_id {
            let parent = context_of(&queued);
            tracer.begin(&queued.turn_id, parent.as_ref(), &queued.parts, turn.started_at.as_millis());
        }
    }

    /// Has spans begin and end with these events.
    pub(super) fn trace_events(&mut self, events: &[EventData]) {
        if let Some(Collected { tracer, .. }) = &mut self.tracing.collected {
            let model = self.record.choices.model.as_deref().or(self.record.model.as_deref());
            events.iter().for_each(|event| tracer.event(event, model, self.now.wall_ms));
        }
        let ended = |event: &EventData| matches!(event, EventData::TurnEnded(_));
        if self.turn.is_none() && events.iter().any(ended) {
            self.tracing.context = None;
        }
    }
}

fn context_of(message: &Queued) -> Option<TraceContext> {
    TraceContext::parse(message.traceparent.as_deref()?, message.tracestate.as_deref())
}

/// Returns the context as members of `_meta`, for which the protocol reserves these names.
pub(super) fn members_of(trace: &TraceContext) -> Value {
    let mut members = Map::from_iter([("traceparent".to_owned(), trace.traceparent().into())]);
    members.extend(trace.state.clone().map(|state| ("tracestate".to_owned(), state.into())));
    Value::Object(members)
}

/// Returns the context as variables, which programs of a trace read.
pub(super) fn variables_of(trace: &TraceContext) -> BTreeMap<String, String> {
    let state = trace.state.clone().map(|state| ("TRACESTATE".to_owned(), state));
    std::iter::once(("TRACEPARENT".to_owned(), trace.traceparent())).chain(state).collect()
}
