//! Traces: the context that comes with a message and is passed to the agent, and the spans of turns.

use super::Owner;
use super::queue::Queued;
use crate::moment::now_ms;
use crate::parts::Parts;
use sa_api::sessions::{EventData, Turn};
use sa_otlp::{Content, Conversation, Exporter, TraceContext, TurnTracer};
use sa_store::StoredMessage;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Words in the names of variables that hold credentials.
const SECRET_WORDS: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Returns what makes spans of a session's events; nothing if nobody collects them.
pub(super) fn tracer(
    parts: &Parts,
    session: &str,
    agent: &str,
    env: &BTreeMap<String, String>,
) -> Option<TurnTracer> {
    let exporter = parts.telemetry.clone()?;
    let provider = parts.catalogue.get(agent).and_then(|agent| agent.token.as_ref()?.provider.clone());
    let conversation = Conversation {
        session: session.to_owned(),
        agent: agent.to_owned(),
        provider: provider.unwrap_or_else(|| agent.to_owned()),
    };
    let content = content(parts, &exporter, env);
    Some(TurnTracer::new(exporter, conversation, content))
}

/// Returns what of a session's content is exported.
fn content(parts: &Parts, exporter: &Exporter, env: &BTreeMap<String, String>) -> Content {
    if !exporter.with_content() {
        return Content::Omitted;
    }
    let is_secret = |name: &str| SECRET_WORDS.iter().any(|word| name.to_uppercase().contains(word));
    let of_daemon = parts.host.environment.iter().filter(|(name, _)| is_secret(name));
    let values = of_daemon.chain(env).map(|(_, value)| value.clone());
    Content::without(values.chain(parts.secrets.iter().cloned()))
}

impl Owner {
    /// Begins the span of a turn. Without a collector, the context that came with the message is passed on unchanged.
    pub(super) fn begin_trace(&mut self, message: &Queued) {
        let parent = context_of(message);
        self.trace = match &mut self.tracer {
            Some(tracer) => Some(tracer.begin(&message.turn_id, parent.as_ref(), &message.parts, now_ms())),
            None => parent,
        };
        self.shared.set_trace(self.trace.clone());
    }

    /// Begins the span of a turn that a daemon before this one was killed in, under the same id. A daemon that was stopped has
    /// reported its turns itself.
    pub(super) fn resume_trace(&mut self, message: &StoredMessage, turn: Option<&Turn>) {
        let Some(tracer) = self.tracer.as_mut().filter(|_| self.parts.store.was_cut_off()) else { return };
        let (Ok(queued), Some(turn)) = (serde_json::from_slice::<Queued>(&message.body), turn) else {
            return;
        };
        if turn.turn_id == queued.turn_id {
            let parent = context_of(&queued);
            tracer.begin(&queued.turn_id, parent.as_ref(), &queued.parts, turn.started_at.as_millis());
        }
    }

    /// Takes note that the session has other variables, whose values are secrets.
    pub(super) fn refresh_secrets(&mut self) {
        if let (Some(tracer), Some(exporter)) = (&mut self.tracer, &self.parts.telemetry) {
            tracer.set_content(content(&self.parts, exporter, &self.env));
        }
    }

    /// Has spans begin and end with these events.
    pub(super) fn trace_events(&mut self, events: &[EventData], at_ms: u64) {
        if let Some(tracer) = &mut self.tracer {
            let model = self.record.choices.model.as_deref().or(self.record.model.as_deref());
            events.iter().for_each(|event| tracer.event(event, model, at_ms));
        }
        if events.iter().any(|event| matches!(event, EventData::TurnEnded(_))) {
            self.trace = None;
        }
    }
}

fn context_of(message: &Queued) -> Option<TraceContext> {
    TraceContext::parse(message.traceparent.as_deref()?, message.tracestate.as_deref())
}

/// The context as members of `_meta`, for which the protocol reserves these names.
pub(super) fn members_of(trace: &TraceContext) -> Value {
    let mut members = Map::from_iter([("traceparent".to_owned(), trace.traceparent().into())]);
    members.extend(trace.state.clone().map(|state| ("tracestate".to_owned(), state.into())));
    Value::Object(members)
}

/// The context as variables, which programs of a trace read.
pub(super) fn variables_of(trace: &TraceContext) -> BTreeMap<String, String> {
    let state = trace.state.clone().map(|state| ("TRACESTATE".to_owned(), state));
    std::iter::once(("TRACEPARENT".to_owned(), trace.traceparent())).chain(state).collect()
}
