//! The HTTP edge: routes, authentication, problem details, event streams, WebSockets. Handlers read a request, ask
//! the hub and map what comes back; there is no other logic here. The only crate that names axum.

mod accept_loop;
mod acp;
mod auth;
mod body;
mod cors;
mod gate;
mod message_schema;
mod metrics;
mod negotiate;
mod openapi;
mod origin;
mod problem;
mod router;
mod routes;
mod stall;
mod state;
mod tickets;

pub use accept_loop::serve;
pub use auth::Auth;
pub use cors::{BadCors, CorsOptions};
pub use openapi::openapi_json;

use sa_files::Files;
use sa_hub::Hub;

/// The parts of the daemon that the edge puts behind HTTP.
#[derive(Clone)]
pub struct Services {
    /// The agents.
    pub hub: Hub,
    /// The files.
    pub files: Files,
}

/// How the edge behaves.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// Who may come in.
    pub auth: Auth,
    /// Which other origins may call from a browser.
    pub cors: CorsOptions,
    /// Host names, beside loopback, under which a daemon without a token answers.
    pub allow_hosts: Vec<String>,
}
