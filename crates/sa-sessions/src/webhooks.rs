//! Webhooks of sessions: their events come from the log, how far they are is kept in the store.

use crate::error::Result;
use crate::log::Reader;
use crate::parts::Parts;
use crate::shared::Shared;
use crate::{SessionError, stored};
use bytes::Bytes;
use futures_util::future::{self, Either};
use sa_api::sessions::{SessionState, Webhook, WebhookState, WebhookStatus};
pub(crate) use sa_webhooks::fresh_status as fresh;
use sa_webhooks::{BoxFuture, Source, TraceHeaders, WebhookLimits};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Events that are looked at at once.
const PAGE: usize = 256;
/// Time for a webhook to take what is left when its session is forgotten.
const LAST_LOOK: Duration = Duration::from_secs(3);

/// Returns whether a webhook can be one.
pub(crate) fn check(webhook: &Webhook) -> Result<()> {
    sa_webhooks::check(webhook).map_err(|error| SessionError::BadValue(format!("webhook: {error}")))
}

/// Returns the state of a webhook for which everything up to that event is old.
pub(crate) fn from_there(webhook: &Webhook, event: u64) -> WebhookStatus {
    WebhookStatus { delivered_event_id: event, ..fresh(webhook) }
}

/// Returns how a webhook stands by what was stored of it. Its address is shown as it is shown today.
pub(crate) fn restored(webhook: &Webhook, state: &[u8]) -> Option<WebhookStatus> {
    let status: WebhookStatus = stored::from_bytes(state).ok()?;
    Some(WebhookStatus { url: fresh(webhook).url, ..status })
}

/// Lets a session's webhook have what it has not got yet, before the session is forgotten. Nothing may be appended any more.
pub(crate) async fn last_look(shared: &Shared) {
    shared.last_look.cancel();
    shared.delivered.cancelled().await;
}

/// Returns whether a webhook gets nothing more of a session that has ended.
pub(crate) fn is_done(status: &WebhookStatus, last: u64) -> bool {
    status.state == WebhookState::Disabled || status.delivered_event_id >= last
}

/// Delivers a session's events until there are no more, it is deleted or the daemon stops.
pub(crate) async fn run(shared: Arc<Shared>, parts: Arc<Parts>, webhook: Webhook, stop: CancellationToken) {
    let _delivered = shared.delivered.clone().drop_guard();
    let from = shared.state().webhook.clone().unwrap_or_else(|| fresh(&webhook));
    let limits = WebhookLimits::default();
    let (client, own_stop) = (parts.options.webhooks.clone(), shared.deleted.clone());
    let last_look = shared.last_look.clone();
    let time_is_over = async {
        last_look.cancelled().await;
        tokio::time::sleep(LAST_LOOK).await;
    };
    let source = Arc::new(Feed { shared: Arc::clone(&shared), parts: Arc::clone(&parts) });
    let delivering = sa_webhooks::run(source, webhook, from, client, limits, stop.clone());
    let (delivering, time_is_over) = (pin!(delivering), pin!(time_is_over));
    let outcome = own_stop.run_until_cancelled(future::select(delivering, time_is_over)).await;
    let Some(Either::Left(_)) = outcome else { return };
    if !stop.is_cancelled() && shared.shown_state() == SessionState::Ended {
        // Without this the next start takes the session up once more, and finds nothing to do.
        if let Err(error) = parts.options.store.set_inactive(&shared.id).await {
            tracing::debug!(session = %shared.id, %error, "a session stays noted as active");
        }
    }
}

/// A session's log as a source of deliveries.
struct Feed {
    shared: Arc<Shared>,
    parts: Arc<Parts>,
}

impl Source for Feed {
    fn events(&self, after: u64) -> BoxFuture<'_, Result<Vec<(u64, Bytes)>, String>> {
        Box::pin(async move {
            let lines = self.shared.log.read(after, PAGE).await.map_err(|error| error.to_string())?;
            Ok(lines.into_iter().map(|line| (line.id, line.json)).collect())
        })
    }

    fn wait(&self, after: u64) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            let more = pin!(Reader::new(Arc::clone(&self.shared.log), after).more());
            match future::select(more, pin!(self.shared.last_look.cancelled())).await {
                Either::Left((more, _)) => more,
                Either::Right(_) => false,
            }
        })
    }

    fn last_look(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.last_look.cancelled())
    }

    fn trace(&self) -> Option<TraceHeaders> {
        let trace = self.shared.state().trace.clone()?;
        Some(TraceHeaders { traceparent: trace.traceparent(), tracestate: trace.state })
    }

    fn store(&self, delivered: u64, status: &WebhookStatus) -> BoxFuture<'_, ()> {
        let state = stored::to_bytes(status);
        self.shared.state().webhook = Some(status.clone());
        Box::pin(async move {
            let stored = self.parts.options.store.set_webhook_cursor(&self.shared.id, delivered, state).await;
            if let Err(error) = stored {
                // Deliveries may then be repeated, which is what "at least once" means.
                tracing::warn!(session = %self.shared.id, %error, "how far a webhook is could not be stored");
            }
        })
    }
}
