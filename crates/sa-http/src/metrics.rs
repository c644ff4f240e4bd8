//! The daemon's metrics: read on request, written for Prometheus here and for collectors by `sa-otlp`.

use crate::Services;
use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use http::Method;
use parking_lot::Mutex;
use sa_api::AcpServerStatus;
use sa_api::sessions::SessionState;
use sa_otlp::{ExportCounts, Exporter, MetricValue, Point, Reading, ReadingKind};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Requests answered, by route.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

/// All metrics of the daemon.
pub(crate) struct Metrics {
    services: Services,
    requests: Mutex<BTreeMap<Answered, u64>>,
}

impl Metrics {
    pub(crate) fn new(services: Services) -> Self {
        Self { services, requests: Mutex::default() }
    }

    /// Returns all metrics as they are now.
    pub(crate) fn readings(&self) -> Vec<Reading> {
        let mut readings = vec![self.requests()];
        readings.extend(self.of_hub());
        readings.extend(self.of_processes());
        readings.extend(self.of_sessions());
        readings.extend(self.services.sessions.turn_readings());
        readings.extend(self.of_telemetry());
        readings
    }

    /// Returns all metrics as text, in the OpenMetrics format.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for reading in self.readings() {
            // Writing to a string does not fail.
            let _ = write_reading(&mut text, &reading);
        }
        text.push_str("# EOF\n");
        text
    }

    fn requests(&self) -> Reading {
        let requests = self.requests.lock();
        let point = |(Answered { method, route, status }, count): (&Answered, &u64)| {
            point([("method", method), ("route", route), ("status", &status.to_string())], *count)
        };
        let points = requests.iter().map(point).collect();
        let help = "HTTP requests answered, by route, method and status";
        labeled(ReadingKind::Counter, "sandbox_agent_http_requests", help, points)
    }

    fn of_hub(&self) -> Vec<Reading> {
        let stats = self.services.hub.stats().snapshot();
        let servers = self.services.hub.list();
        let running = servers.iter().filter(|server| server.status == AcpServerStatus::Running).count();
        let pending: usize = servers.iter().map(|server| server.pending_requests).sum();
        vec![
            counter("sandbox_agent_agent_starts", "Agent processes started", stats.starts),
            counter("sandbox_agent_agent_exits", "Agent processes that ended", stats.exits),
            counter(
                "sandbox_agent_messages_from_agents",
                "JSON-RPC messages written by agents",
                stats.messages_from_agents,
            ),
            counter("sandbox_agent_bytes_from_agents", "Bytes written by agents", stats.bytes_from_agents),
            counter(
                "sandbox_agent_messages_to_agents",
                "JSON-RPC messages accepted for agents",
                stats.messages_to_agents,
            ),
            counter("sandbox_agent_reader_gaps", "Readers that got a gap", stats.gaps),
            counter(
                "sandbox_agent_request_silences",
                "Requests that failed because their agent was silent",
                stats.silences,
            ),
            counter(
                "sandbox_agent_output_holds",
                "Times an agent's output waited for a reader to catch up",
                stats.holds,
            ),
            gauge("sandbox_agent_acp_servers", "ACP servers that exist", servers.len()),
            gauge("sandbox_agent_acp_servers_running", "ACP servers whose agent runs", running),
            gauge("sandbox_agent_pending_requests", "Requests that agents have not answered", pending),
        ]
    }

    fn of_processes(&self) -> Vec<Reading> {
        let totals = self.services.processes.totals();
        vec![
            counter(
                "sandbox_agent_process_starts",
                "Processes started for clients, commands included",
                totals.started,
            ),
            gauge(
                "sandbox_agent_processes_running",
                "Processes of clients that run, commands included",
                totals.running,
            ),
            gauge("sandbox_agent_processes_ended", "Ended processes that are remembered", totals.ended),
        ]
    }

    fn of_sessions(&self) -> Vec<Reading> {
        let sessions = &self.services.sessions;
        let states = sessions.states();
        let point = |state: &SessionState| point([("state", state.name())], states.of(*state));
        let by_state = SessionState::ALL.iter().map(point).collect();
        let help = "Universal sessions, by what they are doing";
        vec![
            labeled(ReadingKind::Gauge, "sandbox_agent_sessions", help, by_state),
            counter("sandbox_agent_session_events", "Events of sessions committed", sessions.events_total()),
            counter("sandbox_agent_session_turns", "Turns of sessions begun", sessions.turns_total()),
            gauge(
                "sandbox_agent_session_messages_queued",
                "Messages that wait for their turn",
                sessions.queued_total(),
            ),
        ]
    }

    fn of_telemetry(&self) -> Vec<Reading> {
        let counts = self.services.telemetry.as_ref().map_or_else(ExportCounts::none, Exporter::counts);
        let reading = |name, help, value: fn(&ExportCounts) -> u64| {
            let points = counts.iter().map(|of| point([("signal", of.signal)], value(of)));
            labeled(ReadingKind::Counter, name, help, points.collect())
        };
        let exported = "Spans, log records and metrics that a collector has taken";
        let dropped = "Spans, log records and metrics that were dropped";
        vec![
            reading("sandbox_agent_telemetry_exported", exported, |of| of.exported),
            reading("sandbox_agent_telemetry_dropped", dropped, |of| of.dropped),
        ]
    }
}

/// The labels under which a request will be counted, once it is answered.
pub(crate) struct CountedRequest {
    method: &'static str,
    route: Option<MatchedPath>,
}

impl CountedRequest {
    pub(crate) fn of(request: &Request) -> Self {
        Self {
            method: known_method(request.method()),
            route: request.extensions().get::<MatchedPath>().cloned(),
        }
    }

    /// Counts the answer.
    pub(crate) fn answered(self, metrics: &Metrics, response: &Response) {
        let route = self.route.as_ref().map_or("none", MatchedPath::as_str).to_owned();
        let labels = Answered { method: self.method, route, status: response.status().as_u16() };
        let mut requests = metrics.requests.lock();
        *requests.entry(labels).or_default() += 1;
    }
}

/// Clients make up methods, also those without a token: each name of its own would be an entry that stays forever.
fn known_method(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

fn point<const N: usize>(labels: [(&'static str, &str); N], count: u64) -> Point {
    let labels = labels.map(|(name, value)| (name, value.to_owned())).to_vec();
    Point { labels, value: MetricValue::Count(count) }
}

fn labeled(kind: ReadingKind, name: &'static str, help: &'static str, points: Vec<Point>) -> Reading {
    Reading { name, help, unit: "", kind, points }
}

fn counter(name: &'static str, help: &'static str, value: u64) -> Reading {
    Reading::single(ReadingKind::Counter, name, help, value)
}

fn gauge(name: &'static str, help: &'static str, value: usize) -> Reading {
    Reading::single(ReadingKind::Gauge, name, help, value as u64)
}

fn write_reading(text: &mut String, reading: &Reading) -> std::fmt::Result {
    let name = reading.prometheus_name();
    let (kind, suffix) = match reading.kind {
        ReadingKind::Counter => ("counter", "_total"),
        ReadingKind::Gauge => ("gauge", ""),
        ReadingKind::Histogram => ("histogram", ""),
    };
    writeln!(text, "# HELP {name} {}.", reading.help)?;
    writeln!(text, "# TYPE {name} {kind}")?;
    for Point { labels, value } in &reading.points {
        match value {
            MetricValue::Count(count) => writeln!(text, "{name}{suffix}{} {count}", Labels(labels, None))?,
            MetricValue::Amount(amount) => writeln!(text, "{name}{suffix}{} {amount}", Labels(labels, None))?,
            MetricValue::Distribution(distribution) => {
                let mut so_far = 0;
                let bounds = distribution.bounds.iter().map(f64::to_string).chain(["+Inf".to_owned()]);
                for (bound, count) in bounds.zip(&distribution.counts) {
                    so_far += count;
                    writeln!(text, "{name}_bucket{} {so_far}", Labels(labels, Some(&bound)))?;
                }
                writeln!(text, "{name}_sum{} {}", Labels(labels, None), distribution.sum)?;
                writeln!(text, "{name}_count{} {so_far}", Labels(labels, None))?;
            }
        }
    }
    Ok(())
}

/// Labels of a sample, and the upper bound of its bucket.
struct Labels<'a>(&'a [(&'static str, String)], Option<&'a str>);

impl std::fmt::Display for Labels<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let own = self.0.iter().map(|(name, value)| (name.replace('.', "_"), value.as_str()));
        let bound = self.1.map(|bound| ("le".to_owned(), bound));
        for (index, (name, value)) in own.chain(bound).enumerate() {
            f.write_str(if index == 0 { "{" } else { "," })?;
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            write!(f, "{name}=\"{value}\"")?;
        }
        if self.0.is_empty() && self.1.is_none() { Ok(()) } else { f.write_str("}") }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn readings_are_written_in_the_openmetrics_format() {
        let histogram = sa_otlp::Histogram::new(&[0.5, 2.0]);
        for value in [0.25, 1.0, 3.0] {
            histogram.add(vec![("gen_ai.agent.name", "a\"b".to_owned())], value);
        }
        let (name, kind) = ("gen_ai.client.operation.duration", ReadingKind::Histogram);
        let points = histogram.points();
        let mut text = String::new();
        write_reading(&mut text, &Reading { name, help: "Duration", unit: "s", kind, points }).unwrap();
        write_reading(&mut text, &counter("sandbox_agent_agent_starts", "Started", 3)).unwrap();
        let expected = r#"# HELP gen_ai_client_operation_duration_seconds Duration.
# TYPE gen_ai_client_operation_duration_seconds histogram
gen_ai_client_operation_duration_seconds_bucket{gen_ai_agent_name="a\"b",le="0.5"} 1
gen_ai_client_operation_duration_seconds_bucket{gen_ai_agent_name="a\"b",le="2"} 2
gen_ai_client_operation_duration_seconds_bucket{gen_ai_agent_name="a\"b",le="+Inf"} 3
gen_ai_client_operation_duration_seconds_sum{gen_ai_agent_name="a\"b"} 4.25
gen_ai_client_operation_duration_seconds_count{gen_ai_agent_name="a\"b"} 3
# HELP sandbox_agent_agent_starts Started.
# TYPE sandbox_agent_agent_starts counter
sandbox_agent_agent_starts_total 3
"#;
        assert_eq!(text, expected);
    }
}
