//! The HTTP edge: routes, authentication, problem details, event streams, WebSockets. Handlers read a request, ask
//! the hub and map what comes back; there is no other logic here. The only crate that names axum.

mod accept_loop;
mod acp;
mod asset;
mod attempts;
mod auth;
mod body;
mod complaint;
mod cors;
mod excerpt;
mod extract;
mod gate;
mod handler;
mod in_place;
mod limits;
mod message_schema;
mod metrics;
mod negotiate;
mod openapi;
mod origin;
mod problem;
mod query;
mod request_id;
mod router;
mod routes;
mod stall;
mod state;
mod stream;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tickets;
mod timers;

pub use accept_loop::serve;
pub use attempts::SHORT_TOKEN;
pub use auth::Auth;
pub use cors::{BadCors, CorsOptions};
pub use limits::HttpLimits;
pub use openapi::openapi_json;
pub use query::query_table_json;

use sa_api::Timestamp;
use sa_config::ConfigStore;
use sa_credentials::Host;
use sa_files::Files;
use sa_hub::Hub;
use sa_install::Launcher;
use sa_otlp::Exporter;
use sa_probe::Probe;
use sa_processes::Processes;
use sa_sessions::Sessions;

/// The parts of the daemon that the edge puts behind HTTP.
#[derive(Clone)]
pub struct Services {
    /// The agents.
    pub hub: Hub,
    pub files: Files,
    /// MCP servers and skills of directories.
    pub configs: ConfigStore,
    /// The processes and terminals.
    pub processes: Processes,
    /// The universal sessions.
    pub sessions: Sessions,
    /// Installation, probing and credentials of agents.
    pub agents: AgentServices,
    /// The exporter of traces, metrics and logs, if somebody collects them.
    pub telemetry: Option<Exporter>,
}

/// The parts that install agents, probe them and find their credentials.
#[derive(Clone)]
pub struct AgentServices {
    /// Installs and finds their programs.
    pub launcher: Launcher,
    /// Asks them.
    pub probe: Probe,
    /// The machine on which credentials are looked for, as it was when the daemon started.
    pub host: Host,
}

impl AgentServices {
    /// That machine now.
    pub(crate) fn host(&self) -> Host {
        Host { now_ms: Timestamp::now().as_millis(), ..self.host.clone() }
    }
}

/// Options of the HTTP server.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// The clients that are let in.
    pub auth: Auth,
    /// Origins that may call from a browser.
    pub cors: CorsOptions,
    /// Host names, in addition to loopback, under which a daemon without a token answers.
    pub allow_hosts: Vec<String>,
    /// Bounds on requests, streams and connections.
    pub limits: HttpLimits,
}
