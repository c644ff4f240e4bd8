//! State that handlers share.

use crate::attempts::Attempts;
use crate::auth::Auth;
use crate::metrics::Metrics;
use crate::tickets::Tickets;
use crate::{HttpOptions, Services};
use axum::extract::FromRequestParts;
use std::convert::Infallible;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The parts of the daemon that handlers use. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AppState(Arc<Parts>);

pub(crate) struct Parts {
    pub(crate) services: Services,
    pub(crate) options: HttpOptions,
    pub(crate) attempts: Attempts,
    pub(crate) tickets: Tickets,
    pub(crate) metrics: Arc<Metrics>,
    /// The open WebSockets, which their connections leave behind.
    pub(crate) sockets: TaskTracker,
    pub(crate) started: Instant,
    /// Cancelled when the daemon begins to stop.
    pub(crate) stopping: CancellationToken,
}

impl AppState {
    pub(crate) fn new(options: HttpOptions, services: Services, stopping: CancellationToken) -> Self {
        let metrics = Arc::new(Metrics::new(services.clone()));
        if let Some(exporter) = &services.telemetry {
            let metrics = Arc::clone(&metrics);
            exporter.send_metrics(move || metrics.readings());
        }
        let attempts = match &options.auth {
            Auth::Token(token) => Attempts::for_token(token),
            Auth::Open => Attempts::Unlimited,
        };
        Self(Arc::new(Parts {
            services,
            options,
            attempts,
            tickets: Tickets::default(),
            metrics,
            sockets: TaskTracker::new(),
            started: Instant::now(),
            stopping,
        }))
    }
}

/// Handlers take the state as it is.
impl FromRequestParts<Self> for AppState {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut http::request::Parts, state: &Self) -> Result<Self, Infallible> {
        Ok(state.clone())
    }
}

impl Deref for AppState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
