//! What the daemon counts, in Prometheus' format.

use axum::extract::{MatchedPath, Request};
use axum::response::Response;
use http::Method;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::Registry;
use sa_api::AcpServerStatus;
use sa_api::sessions::SessionState;
use sa_hub::Hub;
use sa_processes::Processes;
use sa_sessions::Sessions;

/// Requests answered, by route.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

/// All metrics of the daemon.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
}

impl Metrics {
    pub(crate) fn new(hub: Hub, processes: Processes, sessions: Sessions) -> Self {
        let mut registry = Registry::with_prefix("sandbox_agent");
        let requests = Family::default();
        registry.register(
            "http_requests",
            "HTTP requests answered, by route, method and status",
            requests.clone(),
        );
        registry.register_collector(Box::new(HubCollector(hub)));
        registry.register_collector(Box::new(ProcessCollector(processes)));
        registry.register_collector(Box::new(SessionCollector(sessions)));
        Self { registry, requests }
    }

    /// Everything, as text.
    pub(crate) fn encode(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// What a request will be counted under, once it is answered.
pub(crate) struct Asked {
    method: &'static str,
    route: Option<MatchedPath>,
}

impl Asked {
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
        metrics.requests.get_or_create(&labels).inc();
    }
}

/// Clients make up methods, also those without a token: each name of its own would be an entry that stays for ever.
fn known_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

/// Reads the hub when somebody asks.
struct HubCollector(Hub);

impl std::fmt::Debug for HubCollector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HubCollector")
    }
}

impl Collector for HubCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let stats = self.0.stats().snapshot();
        let counters = [
            ("agent_starts", "Agent processes started", stats.starts),
            ("agent_exits", "Agent processes that ended", stats.exits),
            ("messages_from_agents", "JSON-RPC messages written by agents", stats.messages_from_agents),
            ("bytes_from_agents", "Bytes written by agents", stats.bytes_from_agents),
            ("messages_to_agents", "JSON-RPC messages accepted for agents", stats.messages_to_agents),
            ("reader_gaps", "Readers that were told of a gap", stats.gaps),
            ("request_silences", "Requests that failed because their agent was silent", stats.silences),
            ("output_holds", "Times an agent's output waited for a reader to catch up", stats.holds),
        ];
        for (name, help, value) in counters {
            counter(&mut encoder, name, help, value)?;
        }
        let servers = self.0.list();
        let running = servers.iter().filter(|server| server.status == AcpServerStatus::Running).count();
        let pending: usize = servers.iter().map(|server| server.pending_requests).sum();
        let gauges = [
            ("acp_servers", "ACP servers that exist", servers.len()),
            ("acp_servers_running", "ACP servers whose agent runs", running),
            ("pending_requests", "Requests that agents have not answered", pending),
        ];
        for (name, help, value) in gauges {
            gauge(&mut encoder, name, help, value)?;
        }
        Ok(())
    }
}

/// Reads the processes when somebody asks.
#[derive(Debug)]
struct ProcessCollector(Processes);

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let totals = self.0.totals();
        let help = "Processes started for clients, commands included";
        counter(&mut encoder, "process_starts", help, totals.started)?;
        let help = "Processes of clients that run, commands included";
        gauge(&mut encoder, "processes_running", help, totals.running)?;
        gauge(&mut encoder, "processes_ended", "Ended processes that are remembered", totals.ended)
    }
}

/// Reads the sessions when somebody asks.
struct SessionCollector(Sessions);

/// What sessions may be doing, by the names that the contract has for it.
const STATES: [(SessionState, &str); 6] = [
    (SessionState::Starting, "starting"),
    (SessionState::Idle, "idle"),
    (SessionState::Running, "running"),
    (SessionState::RequiresAction, "requiresAction"),
    (SessionState::Interrupted, "interrupted"),
    (SessionState::Ended, "ended"),
];

impl std::fmt::Debug for SessionCollector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SessionCollector")
    }
}

impl Collector for SessionCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let states = self.0.states();
        let family: Family<[(&str, &str); 1], Gauge> = Family::default();
        for (state, name) in STATES {
            let count = states.of(state);
            family.get_or_create(&[("state", name)]).set(i64::try_from(count).unwrap_or(i64::MAX));
        }
        let help = "Universal sessions, by what they are doing";
        family.encode(encoder.encode_descriptor("sessions", help, None, MetricType::Gauge)?)?;
        counter(&mut encoder, "session_events", "Events of sessions committed", self.0.events_total())?;
        counter(&mut encoder, "session_turns", "Turns of sessions begun", self.0.turns_total())?;
        let queued = self.0.queued_total();
        gauge(&mut encoder, "session_messages_queued", "Messages that wait for their turn", queued)
    }
}

fn counter(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: u64) -> std::fmt::Result {
    let descriptor = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    ConstCounter::new(value).encode(descriptor)
}

fn gauge(encoder: &mut DescriptorEncoder<'_>, name: &str, help: &str, value: usize) -> std::fmt::Result {
    let descriptor = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)).encode(descriptor)
}
