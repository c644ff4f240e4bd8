//! The task of one webhook: reads, sends, has it stored, and tries again what failed.

use crate::backoff::{backoff, time_spent};
use crate::batch::Batch;
use crate::client::Outcome;
use crate::limits::UNSTORED_EVENTS;
use crate::source::Source;
use crate::target::Target;
use crate::{Client, WebhookLimits};
use sa_api::Timestamp;
use sa_api::sessions::{Webhook, WebhookState, WebhookStatus};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Delivers the events after `from.delivered_event_id`, until the session is gone and all is delivered, the webhook
/// is disabled, or `stop`. Events that were sent but not yet stored by then are sent again by the next run.
pub async fn run(
    source: Arc<dyn Source>,
    webhook: Webhook,
    from: WebhookStatus,
    client: Client,
    limits: WebhookLimits,
    stop: CancellationToken,
) {
    if from.state == WebhookState::Disabled {
        return;
    }
    let failed_before = time_spent(&limits, from.failures);
    let cursor = from.delivered_event_id;
    let started = Instant::now();
    match Target::new(&webhook) {
        Ok(target) => {
            let mut delivery =
                Delivery { source, target, client, limits, status: from, cursor, started, failed_before };
            stop.run_until_cancelled(delivery.work()).await;
        }
        Err(error) => {
            let last_error = Some(error.to_string());
            let status = WebhookStatus { state: WebhookState::Disabled, last_error, ..from };
            source.store(cursor, &status).await;
        }
    }
}

/// The end of a pause.
enum Pause {
    Over,
    /// The source is about to go.
    CutShort,
}

struct Delivery {
    source: Arc<dyn Source>,
    target: Target,
    client: Client,
    limits: WebhookLimits,
    status: WebhookStatus,
    /// The last event that was handled. The stored cursor may be behind it by events that are not delivered.
    cursor: u64,
    /// The time of the last success, or of the start of this run.
    started: Instant,
    /// For how long it had failed before that.
    failed_before: Duration,
}

impl Delivery {
    async fn work(&mut self) {
        self.finish_pause().await;
        let mut is_last_look = false;
        loop {
            let page = match self.source.events(self.cursor).await {
                Ok(page) => page,
                Err(_) if is_last_look => return,
                Err(reason) => {
                    tracing::warn!(reason, "events for a webhook cannot be read");
                    self.pause(self.limits.first_pause).await;
                    continue;
                }
            };
            if page.is_empty() {
                if is_last_look {
                    self.keep_progress(1).await;
                    return;
                }
                is_last_look = !self.source.wait(self.cursor).await;
                if !is_last_look {
                    self.pause(self.limits.gather).await;
                }
                continue;
            }
            let batch = Batch::new(page, self.cursor, &self.target, &self.limits);
            if batch.is_empty() {
                self.cursor = batch.last;
                self.keep_progress(UNSTORED_EVENTS).await;
            } else if !self.deliver(&batch).await {
                return;
            }
        }
    }

    /// Waits for the remainder of a pause that a restart cut short.
    async fn finish_pause(&self) {
        let until = self.status.next_attempt_at.unwrap_or_default().as_millis();
        let left = Duration::from_millis(until.saturating_sub(Timestamp::now().as_millis()));
        self.pause(left.min(self.limits.longest_retry_after)).await;
    }

    /// Waits, unless this is the last look at the source.
    async fn pause(&self, pause: Duration) -> Pause {
        tokio::select! {
            biased;
            () = self.source.last_look() => Pause::CutShort,
            () = sleep(pause) => Pause::Over,
        }
    }

    /// Stores progress over events of no interest once it is worth it.
    async fn keep_progress(&mut self, at_least: u64) {
        if self.cursor.saturating_sub(self.status.delivered_event_id) >= at_least {
            self.status.delivered_event_id = self.cursor;
            self.source.store(self.cursor, &self.status).await;
        }
    }

    /// Sends a batch until it is taken. `false`: nothing is sent any more.
    async fn deliver(&mut self, batch: &Batch) -> bool {
        let delivery = Uuid::new_v4();
        let mut is_last_try = false;
        loop {
            // Nothing is sent between a failure and the next try of the same batch, so the one counts the other.
            let body = batch.body(self.status.failures);
            let trace = self.source.trace();
            match self.client.post(&self.target, delivery, body, trace.as_ref(), &self.limits).await {
                Outcome::Delivered => {
                    self.delivered(batch.last).await;
                    return true;
                }
                Outcome::Gone => {
                    self.disable("the receiver answered 410 Gone".to_owned()).await;
                    return false;
                }
                Outcome::Failed { reason, retry_after } => match self.failed(reason, retry_after).await {
                    Some(Pause::Over) => {}
                    Some(Pause::CutShort) if !is_last_try => is_last_try = true,
                    Some(Pause::CutShort) | None => return false,
                },
            }
        }
    }

    async fn delivered(&mut self, last: u64) {
        self.cursor = last;
        self.started = Instant::now();
        self.failed_before = Duration::ZERO;
        let url = std::mem::take(&mut self.status.url);
        self.status = WebhookStatus { url, delivered_event_id: last, ..WebhookStatus::default() };
        self.source.store(last, &self.status).await;
    }

    /// Notes a failure and waits. `None`: that was one too many.
    async fn failed(&mut self, reason: String, retry_after: Option<Duration>) -> Option<Pause> {
        if self.status.failures == 0 {
            self.started = Instant::now();
        }
        self.status.failures = self.status.failures.saturating_add(1);
        let failing_for = self.failed_before.saturating_add(self.started.elapsed());
        if failing_for >= self.limits.give_up {
            self.disable(format!("given up after failing for {} s: {reason}", failing_for.as_secs())).await;
            return None;
        }
        let own = backoff(&self.limits).jittered_pause(self.status.failures);
        let asked = retry_after.unwrap_or_default().min(self.limits.longest_retry_after);
        let pause = own.max(asked);
        tracing::debug!(url = self.status.url, reason, ?pause, "a webhook failed");
        self.status.state = WebhookState::Failing;
        self.status.last_error = Some(reason);
        let pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        let next = Timestamp::now().as_millis().saturating_add(pause_ms);
        self.status.next_attempt_at = Some(Timestamp::from_millis(next));
        self.source.store(self.status.delivered_event_id, &self.status).await;
        Some(self.pause(pause).await)
    }

    async fn disable(&mut self, reason: String) {
        tracing::warn!(url = self.status.url, reason, "a webhook is disabled");
        self.status.state = WebhookState::Disabled;
        self.status.last_error = Some(reason);
        self.status.next_attempt_at = None;
        self.source.store(self.status.delivered_event_id, &self.status).await;
    }
}
