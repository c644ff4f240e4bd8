//! Webhooks of sessions: their events come from the log, how far they are is kept in the store.

use crate::SessionError;
use crate::log::Reader;
use crate::parts::Parts;
use crate::shared::Shared;
use bytes::Bytes;
use sa_api::sessions::{Webhook, WebhookStatus};
use sa_webhooks::{BoxFuture, Source, WebhookLimits};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Events that are looked at at once.
const PAGE: usize = 256;

/// Whether a webhook can be one.
pub(crate) fn check(webhook: &Webhook) -> Result<(), SessionError> {
    sa_webhooks::check(webhook).map_err(|error| SessionError::Invalid(format!("webhook: {error}")))
}

/// How a webhook stands that has not been used yet.
pub(crate) fn fresh(webhook: &Webhook) -> WebhookStatus {
    sa_webhooks::fresh_status(webhook)
}

/// How a webhook stands for which everything up to that event is old.
pub(crate) fn from_there(webhook: &Webhook, event: u64) -> WebhookStatus {
    WebhookStatus { delivered_event_id: event, ..fresh(webhook) }
}

/// Delivers a session's events until it is deleted or the daemon stops.
pub(crate) async fn run(shared: Arc<Shared>, parts: Arc<Parts>, webhook: Webhook, stop: CancellationToken) {
    let from = shared.webhook().unwrap_or_else(|| fresh(&webhook));
    let limits = WebhookLimits::default();
    let (client, own_stop) = (parts.webhooks.clone(), shared.deleted.clone());
    let source = Arc::new(Feed { shared, parts });
    tokio::select! {
        () = sa_webhooks::run(source, webhook, from, client, limits, stop) => {}
        () = own_stop.cancelled() => {}
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
        Box::pin(Reader::new(Arc::clone(&self.shared.log), after).more())
    }

    fn store(&self, delivered: u64, status: &WebhookStatus) -> BoxFuture<'_, ()> {
        let state = Bytes::from(serde_json::to_vec(status).unwrap_or_default());
        self.shared.show_webhook(status.clone());
        Box::pin(async move {
            let stored = self.parts.store.set_webhook_cursor(&self.shared.id, delivered, state).await;
            if let Err(error) = stored {
                // What was delivered will then be delivered again, which is what "at least once" means.
                tracing::warn!(session = %self.shared.id, %error, "how far a webhook is could not be stored");
            }
        })
    }
}
