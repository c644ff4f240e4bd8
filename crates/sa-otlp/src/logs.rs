//! The daemon's log as OTLP records.

use crate::exporter::{Exporter, now_ns};
use crate::span::{Attribute, Value};
use std::fmt::Debug;
use std::sync::{Arc, OnceLock};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Crates that log while telemetry is exported. Exporting their records would lead to more of them.
const OWN_TARGETS: [&str; 5] = ["sa_otlp", "hyper", "reqwest", "rustls", "h2"];

/// A record of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct LogRecord {
    /// The time of the record, in nanoseconds since 1970.
    pub at_ns: u64,
    pub level: Level,
    pub body: String,
    pub attributes: Vec<Attribute>,
}

impl LogRecord {
    /// Returns the number of the record's severity.
    pub(crate) fn severity(&self) -> u64 {
        match self.level {
            Level::TRACE => 1,
            Level::DEBUG => 5,
            Level::INFO => 9,
            Level::WARN => 13,
            _ => 17,
        }
    }
}

/// Hands the log to an exporter once there is one: the log begins before the daemon does.
#[derive(Debug, Clone, Default)]
pub struct LogLayer {
    exporter: Arc<OnceLock<Exporter>>,
}

impl LogLayer {
    /// Has the log exported from now on.
    pub fn connect(&self, exporter: &Exporter) {
        let _first = self.exporter.set(exporter.clone());
    }
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(exporter) = self.exporter.get() else { return };
        let target = event.metadata().target();
        let root = target.split("::").next().unwrap_or_default();
        if OWN_TARGETS.contains(&root) {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        fields.attributes.push(Attribute::text("code.namespace", target));
        exporter.record(LogRecord {
            at_ns: now_ns(),
            level: *event.metadata().level(),
            body: fields.message,
            attributes: fields.attributes,
        });
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    attributes: Vec<Attribute>,
}

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::Text(text)) => self.message = text,
            (key, value) => self.attributes.push(Attribute { key, value }),
        }
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, Value::Text(value.to_owned()));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, Value::Bool(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, Value::Int(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, Value::Int(i64::try_from(value).unwrap_or(i64::MAX)));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, Value::Double(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, Value::Text(format!("{value:?}")));
    }
}
