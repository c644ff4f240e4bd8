//! Requests to a collector, as `opentelemetry/proto/collector/*/v1` defines them. Numbers are those of its fields.

use crate::logs::LogRecord;
use crate::metrics::{Distribution, Point, Reading, ReadingKind, Value as MetricValue};
use crate::proto::Proto;
use crate::span::{Attribute, Span, SpanKind, SpanStatus, Value};

/// The name of this instrumentation.
const SCOPE: &str = "sandbox-agent";
const NANOSECONDS: u64 = 1_000_000;
const CUMULATIVE: u64 = 2;

/// Attributes that all telemetry of a daemon has: name, version, and those that operators add.
pub(crate) type Resource = Vec<(String, String)>;

pub(crate) fn traces(resource: &Resource, spans: &[Span]) -> Vec<u8> {
    request(resource, |scope| spans.iter().for_each(|span| scope.message(2, |proto| write_span(proto, span))))
}

pub(crate) fn logs(resource: &Resource, records: &[LogRecord]) -> Vec<u8> {
    request(resource, |scope| {
        records.iter().for_each(|record| scope.message(2, |proto| write_record(proto, record)))
    })
}

/// Values since `start_ns`, as they are at `now_ns`.
pub(crate) fn metrics(resource: &Resource, readings: &[Reading], start_ns: u64, now_ns: u64) -> Vec<u8> {
    request(resource, |scope| {
        for reading in readings.iter().filter(|reading| !reading.points.is_empty()) {
            scope.message(2, |proto| write_metric(proto, reading, start_ns, now_ns));
        }
    })
}

/// Writes the frame that all three kinds of requests have.
fn request(resource: &Resource, write: impl FnOnce(&mut Proto)) -> Vec<u8> {
    let mut proto = Proto::default();
    proto.message(1, |proto| {
        proto.message(1, |proto| {
            for (key, value) in resource {
                proto.message(1, |proto| write_pair(proto, key, &Value::Text(value.clone())));
            }
        });
        proto.message(2, |proto| {
            proto.message(1, |proto| {
                proto.text(1, SCOPE);
                proto.text(2, env!("CARGO_PKG_VERSION"));
            });
            write(proto);
        });
    });
    proto.into_bytes()
}

fn write_span(proto: &mut Proto, span: &Span) {
    proto.bytes(1, &span.context.trace_id);
    proto.bytes(2, &span.context.span_id.0);
    proto.text(3, span.context.state.as_deref().unwrap_or_default());
    if let Some(parent) = span.parent {
        proto.bytes(4, &parent.0);
    }
    proto.text(5, &span.name);
    proto.number(
        6,
        match span.kind {
            SpanKind::Internal => 1,
            SpanKind::Client => 3,
        },
    );
    proto.fixed64(7, span.start_ms.saturating_mul(NANOSECONDS));
    proto.fixed64(8, span.end_ms.max(span.start_ms).saturating_mul(NANOSECONDS));
    write_attributes(proto, 9, &span.attributes);
    if let SpanStatus::Error(message) = &span.status {
        proto.message(15, |proto| {
            proto.text(2, message);
            proto.number(3, 2);
        });
    }
    proto.fixed32(16, u32::from(span.context.sampled));
}

fn write_record(proto: &mut Proto, record: &LogRecord) {
    proto.fixed64(1, record.at_ns);
    proto.number(2, record.severity());
    proto.text(3, record.level.as_str());
    proto.message(5, |proto| write_value(proto, &Value::Text(record.body.clone())));
    write_attributes(proto, 6, &record.attributes);
    proto.fixed64(11, record.at_ns);
}

fn write_metric(proto: &mut Proto, reading: &Reading, start_ns: u64, now_ns: u64) {
    proto.text(1, reading.name);
    proto.text(2, reading.help);
    proto.text(3, reading.unit);
    let (field, temporality) = match reading.kind {
        ReadingKind::Gauge => (5, 0),
        ReadingKind::Counter => (7, CUMULATIVE),
        ReadingKind::Histogram => (9, CUMULATIVE),
    };
    proto.message(field, |proto| {
        for point in &reading.points {
            proto.message(1, |proto| write_point(proto, point, start_ns, now_ns));
        }
        proto.number(2, temporality);
        proto.number(3, u64::from(reading.kind == ReadingKind::Counter));
    });
}

fn write_point(proto: &mut Proto, point: &Point, start_ns: u64, now_ns: u64) {
    proto.fixed64(2, start_ns);
    proto.fixed64(3, now_ns);
    let labels = match &point.value {
        MetricValue::Count(count) => {
            proto.fixed64(6, *count);
            7
        }
        MetricValue::Amount(amount) => {
            proto.double(4, *amount);
            7
        }
        MetricValue::Distribution(Distribution { bounds, counts, sum }) => {
            proto.fixed64(4, counts.iter().sum());
            proto.double(5, *sum);
            proto.packed64(6, counts.iter().copied());
            proto.packed64(7, bounds.iter().map(|bound| bound.to_bits()));
            9
        }
    };
    for (key, value) in &point.labels {
        proto.message(labels, |proto| write_pair(proto, key, &Value::Text(value.clone())));
    }
}

fn write_attributes(proto: &mut Proto, field: u32, attributes: &[Attribute]) {
    for attribute in attributes {
        proto.message(field, |proto| write_pair(proto, attribute.key, &attribute.value));
    }
}

fn write_pair(proto: &mut Proto, key: &str, value: &Value) {
    proto.text(1, key);
    proto.message(2, |proto| write_value(proto, value));
}

fn write_value(proto: &mut Proto, value: &Value) {
    match value {
        Value::Text(text) => proto.always_bytes(1, text.as_bytes()),
        Value::Bool(value) => proto.always_number(2, u64::from(*value)),
        Value::Int(number) => proto.always_number(3, number.cast_unsigned()),
        Value::Double(number) => proto.double(4, *number),
        Value::Texts(texts) => proto.message(5, |proto| {
            texts.iter().for_each(|text| proto.message(1, |proto| proto.always_bytes(1, text.as_bytes())));
        }),
    }
}
